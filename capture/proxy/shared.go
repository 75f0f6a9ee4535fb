package proxy

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

	"golang.org/x/net/http2/hpack"

	"a2ascope/capture"
)

// shared is what the two directions of an HTTP/2 hop know together: the
// settings that bind the other side's header blocks, the window in which the
// client takes data, and the streams that carry or may carry a card.
//
// Flow control stays between the peers, except for a stream that is kept back:
// to the agent the tap is its reader then and gives credit for what it takes;
// to the client the tap is its writer and sends no more than the client's
// windows allow. What the client was sent beyond what the agent knows of is a
// debt, which is kept from the credit the client gives to the connection.
type shared struct {
	hop    *hop
	at     *listener
	active atomic.Int32 // streams in the table
	window atomic.Int64 // of the connection, as the client sees it
	debt   atomic.Int64 // bytes of it the agent does not know of
	tables [2]atomic.Uint32

	mu      sync.Mutex
	initial int64 // SETTINGS_INITIAL_WINDOW_SIZE of the client
	streams map[uint32]*cardStream
	over    atomic.Bool // one direction is
}

// cardStream is a stream that asks, or may ask, for a card.
type cardStream struct {
	id      uint32
	asked   asked
	scan    bool  // the request's body will tell
	credit  int64 // what the client gave to the stream
	used    int64 // what the client was sent on it
	holding bool  // the answer is kept back
	through bool  // it is no card: everything goes on as the windows allow

	block   blockHead
	fields  []hpack.HeaderField
	content []byte // kept back; or, when it is being sent, what is still to go
	sending bool
	trailer []byte // encoded block that ends the stream, after the content
	ended   bool   // the agent ended the stream: after the content comes END_STREAM
}

// maxStreams bounds the table: no client asks for so many cards at once.
const maxStreams = 256

// initialWindow is what RFC 9113 section 6.9.2 begins with.
const initialWindow = 65535

func newShared(h *hop, at *listener) *shared {
	s := &shared{hop: h, at: at, initial: initialWindow, streams: map[uint32]*cardStream{}}
	s.window.Store(initialWindow)
	for i := range s.tables {
		s.tables[i].Store(4096)
	}
	return s
}

// tableSize is the largest HPACK table the reader of a side's blocks allowed so far.
func (s *shared) tableSize(from capture.Side) uint32 { return s.tables[from].Load() }

// settings reads a SETTINGS frame of a side.
func (s *shared) settings(from capture.Side, p []byte) {
	for ; len(p) >= 6; p = p[6:] {
		v := binary.BigEndian.Uint32(p[2:])
		switch id := binary.BigEndian.Uint16(p); {
		case id == 1: // SETTINGS_HEADER_TABLE_SIZE binds what the other side sends
			t := &s.tables[from.Other()]
			t.Store(max(t.Load(), min(v, 1<<20)))
		case id == 4 && from == capture.Client:
			s.mu.Lock()
			s.initial = int64(v)
			s.push()
			s.mu.Unlock()
		}
	}
}

// watch puts a stream that asks for a card into the table.
func (s *shared) watch(id uint32, q asked) { s.add(&cardStream{id: id, asked: q}) }

// scan puts a stream into the table whose body may ask for one.
func (s *shared) scan(id uint32, q asked) { s.add(&cardStream{id: id, asked: q, scan: true}) }

func (s *shared) add(st *cardStream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.streams) >= maxStreams {
		return // its card passes as it is
	}
	s.streams[st.id] = st
	s.active.Store(int32(len(s.streams)))
}

func (s *shared) remove(st *cardStream) {
	if s.streams[st.id] == st {
		delete(s.streams, st.id)
		s.active.Store(int32(len(s.streams)))
	}
}

// scanning returns the stream whose request body is looked at, or nil.
func (s *shared) scanning(id uint32) *cardStream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.streams[id]; st != nil && st.scan {
		return st
	}
	return nil
}

// scanned ends a DATA frame of such a body. The answer cannot have come yet
// when the body is a call, for the frame was not sent on.
func (s *shared) scanned(f *frames) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := f.taking
	end := f.flags&flagEndStream != 0
	if !end && len(st.content) <= maxScan {
		return
	}
	st.scan = false
	if end && asksForCard(st.content) {
		st.asked.card = rpcCard
	} else {
		s.remove(st)
	}
	st.content = nil
}

// holding returns the stream whose answer is kept back, or nil.
func (s *shared) holding(id uint32) *cardStream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.streams[id]; st != nil && (st.holding || st.through) {
		return st
	}
	return nil
}

// admit counts a DATA frame that passes to the client. Where the client was
// sent more than the agent knows, the frame has to wait until the client's
// window has room.
func (s *shared) admit(n int) bool {
	if s.debt.Load() > 0 && s.window.Load() < int64(n) && !s.over.Load() {
		return false
	}
	s.window.Add(-int64(n))
	return true
}

// windowUpdate handles the client's credit and passes on what is the agent's.
func (s *shared) windowUpdate(f *frames, n uint32) {
	if f.stream != 0 {
		if s.active.Load() > 0 {
			s.mu.Lock()
			defer s.mu.Unlock()
			if st := s.streams[f.stream]; st != nil {
				st.credit += int64(n)
				if st.holding || st.through {
					s.push()
					return
				}
			}
		}
		f.split.put(f.held)
		return
	}
	s.window.Add(int64(n))
	if s.debt.Load() > 0 {
		s.mu.Lock()
		paid := min(s.debt.Load(), int64(n))
		s.debt.Add(-paid)
		n -= uint32(paid)
		s.push()
		s.mu.Unlock()
		s.hop.move()
		if n == 0 {
			return
		}
		f.split.put(appendWindow(nil, 0, n))
		return
	}
	if s.active.Load() > 0 {
		s.mu.Lock()
		s.push()
		s.mu.Unlock()
	}
	f.split.put(f.held)
}

func appendWindow(out []byte, stream uint32, n uint32) []byte {
	return binary.BigEndian.AppendUint32(appendFrame(out, frameWindow, 0, stream, 4), n)
}

// abandon says that one direction is over: nobody waits any longer.
func (s *shared) abandon() {
	s.over.Store(true)
	s.hop.move()
}
