package har

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hintHuge asks for huge pages under a large piece of memory that was not yet
// touched. Touching 100 MB in pages of 4 KiB for the first time costs more than
// everything else that is done to a HAR. It is a hint: an error changes nothing.
func hintHuge(b []byte) {
	const page, worth = 4 << 10, 2 << 20
	if len(b) < worth {
		return
	}
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & (page - 1))
	if b = b[skip:]; len(b) >= worth {
		_ = unix.Madvise(b[:len(b)&^(page-1)], unix.MADV_HUGEPAGE)
	}
}
