package wire

// store collects the bytes of one unit. While they came in one piece it is a
// view of that piece; from the second piece on it is a copy. It keeps up to
// max bytes and counts the rest. All stores of a connection share its budget.
type store struct {
	c    *Conn
	max  int64
	size int64  // bytes added
	view []byte // all that is kept, while copied is false
	own  []byte
	held int64
	want int64 // how much is expected, 0 when that is not known
}

func (s *store) add(p []byte) {
	s.size += int64(len(p))
	room := min(s.max-s.held, s.c.lim.Held-s.c.held)
	if room < int64(len(p)) {
		p = p[:max(room, 0)]
		// What is kept is a beginning: after one cut nothing more is added.
		s.max = s.held + int64(len(p))
	}
	if len(p) == 0 {
		return
	}
	s.held += int64(len(p))
	s.c.held += int64(len(p))
	switch {
	case s.own != nil:
		s.own = append(s.own, p...)
	case s.view == nil:
		s.view = p[:len(p):len(p)]
	default:
		room := 2 * (len(s.view) + len(p))
		if s.want > 0 {
			room = max(len(s.view)+len(p), int(s.want)) // what is kept for long should not be twice as large as it is
		}
		s.own = make([]byte, 0, max(room, 64))
		s.own = append(append(s.own, s.view...), p...)
		s.view = nil
	}
}

// bytes returns what is kept; valid until the next add.
func (s *store) bytes() []byte {
	if s.own != nil {
		return s.own
	}
	return s.view
}

// cut reports whether some of the bytes were not kept.
func (s *store) cut() bool { return s.size > s.held }

// take returns what is kept, which now belongs to the caller, and empties the store.
func (s *store) take(max int64) []byte {
	b := s.bytes()
	s.c.held -= s.held
	*s = store{c: s.c, max: max}
	return b[:len(b):len(b)]
}
