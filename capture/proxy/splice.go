package proxy

// splice builds what is sent on from what was read. As long as nothing was
// changed it is the input itself.
type splice struct {
	in   []byte
	at   int    // how much of in was handled
	sent int    // how much of in is in out or dropped; only when own
	out  []byte // what is sent, once it is no longer in[:at]
	own  bool
}

// keep passes the next n bytes as they are.
func (s *splice) keep(n int) { s.at += n }

// part begins a change at the current place.
func (s *splice) part() {
	s.own = true
	s.out = append(s.out, s.in[s.sent:s.at]...)
	s.sent = s.at
}

// drop leaves the next n bytes out for now.
func (s *splice) drop(n int) {
	s.part()
	s.at += n
	s.sent = s.at
}

// put adds bytes that are not in the input.
func (s *splice) put(b []byte) {
	s.part()
	s.out = append(s.out, b...)
}

// keepAs passes data whose last n bytes are the next of the input: what came before was held back.
func (s *splice) keepAs(data []byte, n int) {
	if len(data) == n {
		s.keep(n)
		return
	}
	s.put(data)
	s.at += n
	s.sent = s.at
}

// replace passes data with edits made; its last n bytes are the next of the input.
func (s *splice) replace(data []byte, n int, edits []edit) {
	s.part()
	s.out = apply(s.out, data, edits)
	s.at += n
	s.sent = s.at
}

// stop leaves the rest of the input out.
func (s *splice) stop() {
	s.part()
	s.at = len(s.in)
	s.sent = s.at
}

// take returns what is to be sent.
func (s *splice) take() []byte {
	if !s.own {
		return s.in
	}
	s.part()
	return s.out
}
