// Package menu is a small choice over the screen: a key for each item, or
// moving and enter. It is used for copying.
//
//	copy (secrets masked)
//	> f  finding: what, why, fix, evidence
//	  c  curl or grpcurl command
//
// Invariant: a menu changes nothing itself, it answers with kit.Chosen.
// Start reading at menu.go.
package menu
