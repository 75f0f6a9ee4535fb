package session

import (
	"fmt"
	"os"
	"runtime"
	"sync"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// store keeps packed calls in blocks outside of the heap, and beyond its budget
// in a temporary file:
//
//	put ─▶ block being filled ─full─▶ blocks in memory, oldest first ─▶ file ─▶ room for the next
//	           └────────────── read: a copy of the bytes ──────────────┘
//
// Nobody points into a block: reading copies. A block is given back when no
// row refers to it any more, neither of the session nor of a reader of an older
// view; the collector says when that is.
type store struct {
	packer
	budget int64 // of bytes in memory; 0: no bound
	dir    string
	size   int // of a block

	mu      sync.RWMutex // of all below, and of what blocks hold
	filling [kinds]*handle
	full    []*block
	held    int64 // bytes of blocks in memory
	live    int64 // of these, bytes that rows have
	filed   int64 // bytes that rows have in the file
	file    *os.File
	end     int64           // of the file
	room    map[int][]int64 // places in it that blocks of a size have left
	refused error           // why blocks cannot be moved to the file
	spare   [][]byte
	sealed  bool

	recent recent
}

// kind keeps apart what lives for different times: a block is given back as a whole.
type kind int

const (
	plain   kind = iota
	flagged      // with findings: forgotten last
	bare         // without bodies, which were dropped
	kinds
)

// block is a run of packed calls.
type block struct {
	mem  []byte // nil: in the file
	at   int64  // there
	size int
	used int
	live int64 // bytes that rows of the session have
}

// handle is what rows hold of a block. That there is none any more means that
// nobody can read the block.
type handle struct {
	in *store
	of *block
}

// packed is where a call is.
type packed struct {
	by    *handle
	at, n uint32
}

// The size of a block: a huge page where the budget has room for some, since to
// touch memory for the first time costs more than to pack what goes there.
const (
	largeBlock = 2 << 20
	smallBlock = 256 << 10
	maxSpare   = 4 // blocks kept for the next ones
)

// OnHeap is what of a budget (Options.MaxMemory) is on the heap when it is used up.
func OnHeap(budget int64) int64 {
	if pagesOnHeap {
		return budget
	}
	return budget - budget/bodyPart/2
}

func newStore(budget int64, dir string, r *regions) *store {
	s := &store{budget: budget, dir: dir, size: largeBlock, room: map[int][]int64{}}
	if budget > 0 && budget < 16*largeBlock {
		s.size = smallBlock
	}
	s.words, s.regions = newWords(), r
	s.recent.limit = recentBytes
	return s
}

// put keeps bytes.
func (s *store) put(b []byte, of kind) (packed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.filling[of]
	if h == nil || len(b) > h.of.size-h.of.used {
		k, err := s.newBlock(len(b))
		if err != nil {
			return packed{}, err
		}
		last := h
		h = &handle{s, k}
		runtime.AddCleanup(h, s.free, k)
		if k.size > s.size { // for these bytes alone
			s.full = append(s.full, k)
		} else {
			if last != nil {
				s.full = append(s.full, last.of)
			}
			s.filling[of] = h
		}
	}
	k := h.of
	p := packed{h, uint32(k.used), uint32(len(b))}
	copy(k.mem[k.used:], b)
	k.used += len(b)
	k.live += int64(len(b))
	s.live += int64(len(b))
	return p, nil
}

// newBlock makes a block with room for n bytes at least.
func (s *store) newBlock(n int) (*block, error) {
	k := &block{size: s.size}
	for k.size < n {
		k.size *= 2
	}
	if last := len(s.spare) - 1; k.size == s.size && last >= 0 {
		k.mem, s.spare = s.spare[last], s.spare[:last]
	} else {
		var err error
		if k.mem, err = newPages(k.size); err != nil {
			return nil, fmt.Errorf("%d bytes of memory: %w", k.size, err)
		}
	}
	s.held += int64(k.size)
	return k, nil
}

// seal says that nothing is put any more.
func (s *store) seal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, h := range s.filling {
		if h != nil {
			s.full = append(s.full, h.of)
		}
		s.filling[i] = nil
	}
	for _, b := range s.spare {
		freePages(b)
	}
	s.spare, s.sealed = nil, true
}

// let says that the session's row does not need its bytes any more. Older views may.
func (s *store) let(p packed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := p.by.of
	k.live -= int64(p.n)
	if k.mem != nil {
		s.live -= int64(p.n)
	} else {
		s.filed -= int64(p.n)
	}
}

// free takes a block back that nobody can read any more.
func (s *store) free(k *block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k.mem == nil {
		s.filed -= k.live
		s.room[k.size] = append(s.room[k.size], k.at)
		return
	}
	s.live -= k.live
	for i, f := range s.full {
		if f == k {
			s.full = append(s.full[:i], s.full[i+1:]...)
			break
		}
	}
	s.drop(k)
}

// drop gives the memory of a block back.
func (s *store) drop(k *block) {
	s.held -= int64(k.size)
	if k.size == s.size && len(s.spare) < maxSpare && !s.sealed {
		s.spare = append(s.spare, k.mem)
	} else {
		freePages(k.mem)
	}
	k.mem = nil
}

// trim moves the oldest blocks to the file until the rest is within the budget.
func (s *store) trim() {
	for s.budget > 0 && s.trimOne() {
	}
}

func (s *store) trimOne() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held <= s.budget || len(s.full) == 0 || s.refused != nil {
		return false
	}
	k := s.full[0]
	if s.refused = s.write(k); s.refused != nil {
		return false
	}
	s.full = s.full[1:]
	s.live, s.filed = s.live-k.live, s.filed+k.live
	s.drop(k)
	return true
}

func (s *store) write(k *block) (err error) {
	if s.file == nil {
		if s.file, err = unnamedFile(s.dir); err != nil {
			return err
		}
	}
	k.at = s.end
	if free := s.room[k.size]; len(free) > 0 {
		k.at = free[len(free)-1]
	}
	if _, err := s.file.WriteAt(k.mem[:k.used], k.at); err != nil {
		return fmt.Errorf("temporary file for bodies: %w", err)
	}
	if free := s.room[k.size]; len(free) > 0 {
		s.room[k.size] = free[:len(free)-1]
	} else {
		s.end += int64(k.size)
	}
	return nil
}

// over reports whether more is in memory than may be: the file was refused.
func (s *store) over() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.budget > 0 && s.refused != nil && s.live > s.budget
}

// trouble is why blocks could not be moved; nil when they could.
func (s *store) trouble() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.refused
}

// inMemory reports whether something was packed and is not in the file.
func (s *store) inMemory(p packed) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return p.by != nil && p.by.of.mem != nil
}

// sizes are the bytes that rows have in memory and in the file.
func (s *store) sizes() (inMemory, filed int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.live, s.filed
}

// bytes returns a copy of what was put.
func (s *store) bytes(p packed) ([]byte, error) {
	b := make([]byte, p.n)
	s.mu.RLock()
	defer s.mu.RUnlock()
	k := p.by.of // the handle is there as long as the lock: free waits for it
	if k.mem != nil {
		copy(b, k.mem[p.at:])
		return b, nil
	}
	_, err := s.file.ReadAt(b, k.at+int64(p.at))
	return b, err
}

// read returns the call of a row.
func (s *store) read(k *kept, link *capture.Link) *decode.Call {
	b, err := s.bytes(k.packed)
	var c *decode.Call
	if err == nil {
		c, err = unpack(b, link, s.words, s.regions)
	}
	if err != nil {
		return lost(k.id, link, err)
	}
	s.recent.add(k, c)
	return c
}

// lost stands for a call that the temporary file does not give back.
func lost(id capture.ExchangeID, link *capture.Link, err error) *decode.Call {
	return &decode.Call{
		Exchange: &capture.Exchange{ID: id, Conn: id.Conn(), Link: link}, Compacted: true,
		Kind: spec.KindOther, Protocol: spec.HTTPOther, Phase: decode.Ended,
		Problems: []decode.Problem{{Code: "tool-fault", Text: fmt.Sprintf("what was kept of this exchange could not be read back: %v", err)}},
	}
}

// recent are the calls that were read last: whoever draws a row asks for its
// call several times.
type recent struct {
	limit int64

	mu    sync.Mutex
	ring  [128]*kept
	sizes [128]int64
	next  int
	bytes int64
}

// recentBytes bounds what the calls that were read last keep from being given
// back; the newest one is kept in any case.
const recentBytes = 8 << 20

func (r *recent) add(k *kept, c *decode.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out(r.next)
	k.call.Store(c)
	r.ring[r.next], r.sizes[r.next] = k, int64(k.packed.n)
	r.bytes += int64(k.packed.n)
	for i := 1; i < len(r.ring) && r.bytes > r.limit; i++ {
		r.out((r.next + i) % len(r.ring))
	}
	r.next = (r.next + 1) % len(r.ring)
}

func (r *recent) out(i int) {
	if old := r.ring[i]; old != nil {
		old.call.Store(nil)
		r.bytes -= r.sizes[i]
		r.ring[i] = nil
	}
}
