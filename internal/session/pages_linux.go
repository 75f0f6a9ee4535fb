package session

import "golang.org/x/sys/unix"

// hintHuge asks for huge pages under memory that was not touched yet: a page is
// paid for when it is first written, and a huge one once for 512 small ones.
func hintHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
