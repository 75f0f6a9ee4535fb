// Package status is the last line of the screen: what was found, what is
// watched or read, and whether the list follows.
//
//	errors 2  warnings 0  infos 1  3/570  FOLLOW  proxy 127.0.0.1:4100  connections 2 open, 14 in all      ? help  q quit
//
// Every part has a weight; where there is no room for all of them, the lightest
// go first. What is zero is not said.
//
// Invariant: the counts are never pushed out by anything else.
// Start reading at status.go, then parts.go.
package status
