//go:build !linux

package har

func hintHuge([]byte) {}
