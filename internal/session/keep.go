package session

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"a2ascope/capture"
)

// keeper decides where the bytes of heads and bodies stay until the exchange is
// packed (store.go). Up to its budget they stay where the source or the parser
// put them; beyond it they go to a temporary file that nobody else can open and
// are read back through a mapping of it, so that a Frame does not know the
// difference. Where the file is refused they stay in memory, and the session
// drops the oldest of exchanges that have ended.
type keeper struct {
	budget int64  // of bytes in memory; 0: no bound
	dir    string // of the temporary file

	regions regions // the mappings

	inMemory atomic.Int64
	spilled  atomic.Int64

	moving  sync.Mutex
	file    *spillFile
	refused error // why there is no file, or no more room in it
}

// spillLeast is the length from which bytes are worth a place in the file:
// below it the slice that would point there costs as much.
const spillLeast = 32

// keep returns b or its copy in the file, and how many bytes stay in memory.
func (k *keeper) keep(b []byte) (kept []byte, inMemory int64) {
	n := int64(len(b))
	if n == 0 {
		return b, 0
	}
	if k.budget > 0 && n >= spillLeast && k.inMemory.Load()+n > k.budget {
		if moved := k.spill(b); moved != nil {
			return moved, 0
		}
	}
	k.inMemory.Add(n)
	return b, n
}

// spill copies b to the file; nil when that is refused.
func (k *keeper) spill(b []byte) []byte {
	k.moving.Lock()
	defer k.moving.Unlock()
	if k.refused != nil {
		return nil
	}
	if k.file == nil {
		if k.file, k.refused = newSpillFile(k.dir); k.refused != nil {
			return nil
		}
	}
	moved, err := k.file.add(b, &k.regions)
	if err != nil {
		k.refused = err
		return nil
	}
	k.spilled.Add(int64(len(b)))
	return moved
}

// freed says that bytes in memory are not held any more.
func (k *keeper) freed(n int64) { k.inMemory.Add(-n) }

// over reports whether more is in memory than may be: the file was refused.
func (k *keeper) over() bool { return k.budget > 0 && k.inMemory.Load() > k.budget }

// trouble is why bytes could not be spilled; nil when they could.
func (k *keeper) trouble() error {
	k.moving.Lock()
	defer k.moving.Unlock()
	return k.refused
}

// close frees the descriptor. What was spilled stays readable: the mapping
// lives as long as the process, for views point into it.
func (k *keeper) close() {
	k.moving.Lock()
	defer k.moving.Unlock()
	if k.file != nil {
		k.file.close()
	}
}

// mapped is implemented by sources that leave bodies in a mapping of their
// file: those bytes are not the session's.
type mapped interface{ Mapped() []byte }

// within reports whether b lies in the mapping m.
func within(b, m []byte) bool {
	if len(b) == 0 || len(m) == 0 {
		return false
	}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(m)))
	return at < uintptr(len(m))
}

// event finds a place for the bytes of an event nobody has seen yet.
func (k *keeper) event(e *capture.Event, mapping []byte) (inMemory int64) {
	place := func(b *[]byte) {
		if within(*b, mapping) {
			return
		}
		kept, n := k.keep(*b)
		*b = kept
		inMemory += n
	}
	switch b := e.Body.(type) {
	case *capture.Head:
		place(&b.Raw)
	case *capture.Frame:
		if at := offset(b.Data, b.Raw); at >= 0 { // SSE: the data is a part of the lines
			place(&b.Raw)
			b.Data = b.Raw[at : at+len(b.Data) : at+len(b.Data)]
			break
		}
		place(&b.Data)
		place(&b.Raw)
	case *capture.Note:
		place(&b.Original)
		place(&b.Delivered)
	}
	return inMemory
}

// offset is where part lies in whole; -1 when it does not.
func offset(part, whole []byte) int {
	if !within(part, whole) {
		return -1
	}
	at := int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(whole))))
	if at+len(part) > len(whole) {
		return -1
	}
	return at
}
