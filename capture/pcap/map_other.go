//go:build !unix

package pcap

import (
	"io"
	"os"
)

// mapFile reads the whole file where it cannot be mapped.
func mapFile(f *os.File, size int64) ([]byte, error) {
	b := make([]byte, size)
	n, err := io.ReadFull(f, b)
	if err == io.ErrUnexpectedEOF {
		err = nil // it became shorter meanwhile; records will say where it ends
	}
	return b[:n], err
}

// release is for mappings; memory stays.
func release([]byte) {}
