package session

import (
	"sync"
	"sync/atomic"
)

// regions are runs of bytes that stay where they are and as they are for the
// life of the process: mapped captures, and the mapping of the temporary file.
// A packed call says where in them its bytes are.
type regions struct {
	mu   sync.Mutex
	list atomic.Pointer[[][]byte]
}

// spot is a place in a region.
type spot struct{ region, offset int }

// regionLeast is the length from which bytes are worth a reference.
const regionLeast = 12

func (r *regions) add(b []byte) {
	if len(b) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	list := append([][]byte(nil), r.all()...)
	list = append(list, b)
	r.list.Store(&list)
}

func (r *regions) all() [][]byte {
	if list := r.list.Load(); list != nil {
		return *list
	}
	return nil
}

// find returns where b lies.
func (r *regions) find(b []byte) (spot, bool) {
	if len(b) < regionLeast {
		return spot{}, false
	}
	for i, all := range r.all() {
		if at := offset(b, all); at >= 0 {
			return spot{i, at}, true
		}
	}
	return spot{}, false
}

// at returns the n bytes at a place.
func (r *regions) at(region, offset, n uint64) ([]byte, bool) {
	list := r.all()
	if region >= uint64(len(list)) {
		return nil, false
	}
	all := list[region]
	if offset > uint64(len(all)) || n > uint64(len(all))-offset {
		return nil, false
	}
	return all[offset : offset+n : offset+n], true
}
