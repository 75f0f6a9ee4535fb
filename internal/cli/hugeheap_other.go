//go:build !linux || race

package cli

// There is nothing to ask for elsewhere; and the race detector keeps books of
// every address, which would take twice the room.

func hugeHeap() {}

func hugePages(bool) {}
func readyHeap()     {}
