package har

// memory hands out room for decoded bodies from large pieces. Bodies of a
// piece come from neighbouring entries, so that they grow old together and
// the piece is free when the last of them is dropped.
type memory struct{ free []byte }

const (
	pieceSize = 4 << 20
	// ownPiece: a body larger than this gets memory of its own, so that it
	// neither wastes the rest of a piece nor keeps one alive.
	ownPiece = 1 << 20
)

// room returns an empty slice with at least n bytes of capacity.
func (m *memory) room(n int) []byte {
	if n > ownPiece {
		return fresh(n)[:0]
	}
	if n > len(m.free) {
		m.free = fresh(pieceSize)
	}
	return m.free[:0:n]
}

// keep makes b, which was written into the last room, permanent.
func (m *memory) keep(b []byte) []byte {
	if len(b) > 0 && len(m.free) > 0 && &b[0] == &m.free[0] {
		m.free = m.free[len(b):]
	}
	return b[:len(b):len(b)]
}

// copy keeps a copy of b.
func (m *memory) copy(b []byte) []byte { return m.keep(append(m.room(len(b)), b...)) }

func fresh(n int) []byte {
	b := make([]byte, n)
	hintHuge(b)
	return b
}

// buffers are blocks of text that are used again. The zero value of a block is
// empty with room for at least blockSize bytes.
type buffers struct{ free chan []byte }

func newBuffers() *buffers { return &buffers{free: make(chan []byte, 8)} }

// get returns an empty block with room for n bytes and a block more.
func (p *buffers) get(n int) []byte {
	select {
	case b := <-p.free:
		if cap(b) >= n+blockSize {
			return b[:0]
		}
	default:
	}
	return make([]byte, 0, n+blockSize)
}

// put takes back a block nothing refers to any more.
func (p *buffers) put(b []byte) {
	if cap(b) > 8*blockSize { // one huge entry must not stay for good
		return
	}
	select {
	case p.free <- b:
	default:
	}
}
