//go:build !linux

package cli

// Elsewhere threads have no priority of their own that an ordinary user may set.
func makeWay()     {}
func makeRoom(int) {}
