//go:build !linux

package cli

import "a2ascope/internal/session"

// Elsewhere threads have no priority of their own that an ordinary user may set.
func makeWay()     {}
func makeRoom(int) {}

var newPacer func() session.Pacer
