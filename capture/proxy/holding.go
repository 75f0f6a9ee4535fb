package proxy

import (
	"strconv"

	"a2ascope/capture"
)

// response handles a header block of the agent on a connection that has
// streams in the table. It reports whether the block is kept back.
func (s *shared) response(f *frames) (kept bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.streams[f.opened.stream]
	if st == nil {
		return false
	}
	end := f.opened.flags&flagEndStream != 0
	if st.holding || st.through {
		if !end {
			return false // an interim head inside an answer: no peer does this
		}
		st.trailer = f.encode(f.opened, f.fields)
		s.finish(f, st)
		return true
	}
	status, _ := strconv.Atoi(fieldList(f.fields).get(":status"))
	if status >= 100 && status < 200 {
		return false
	}
	if st.asked.card == noCard {
		s.remove(st) // answered before its body told anything
		return false
	}
	switch {
	case status == 200 && !end && s.hop.p.readable(fieldList(f.fields), st.asked):
		// From here on the blocks come in another order than the agent's table
		// was made for: they are written without one.
		f.editing = true
		st.holding = true
		st.block = blockHead{kind: frameHeaders, flags: f.opened.flags, stream: f.opened.stream, priority: append([]byte(nil), f.opened.priority...)}
		st.fields = cloneFields(f.fields)
		return true
	case status == 304 && st.asked.card == plainCard:
		if e := s.hop.p.etagEdits(namesOf(f.fields), st.asked.base); len(e) > 0 {
			f.fields = editFields(f.fields, e)
			f.editing = true
		}
	default:
		if n := s.hop.p.unreadCard(status, st.asked, fieldList(f.fields)); n != nil {
			s.hop.tap.note(st.id, n)
		}
	}
	s.remove(st)
	return false
}

// keep adds a piece of DATA to a stream that is kept back or scanned.
func (s *shared) keep(st *cardStream, p []byte) {
	s.mu.Lock()
	st.content = append(st.content, p...)
	s.mu.Unlock()
}

// taken ends a DATA frame of a stream that is kept back.
func (s *shared) taken(f *frames) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := f.taking
	if s.streams[st.id] != st {
		// The client gave the stream up. The agent still gets its room back.
		s.giveBack(f.flow, 0)
		return
	}
	end := f.flags&flagEndStream != 0
	if st.through {
		st.ended = st.ended || end
		s.giveBack(f.flow, 0) // the connection's; the stream's when the client has taken it
		s.push()
		return
	}
	stream := st.id
	if end {
		stream = 0
	}
	s.giveBack(f.flow, stream)
	st.ended = end
	switch {
	case end:
		s.finish(f, st)
	case len(st.content) > maxCard:
		s.hop.tap.note(st.id, cardLeft(st.asked, tooLarge))
		f.flush()
		s.begin(f, st)
		st.through, st.holding = true, false
		s.push()
	}
}

// giveBack gives the agent credit for what was taken off its hands.
func (s *shared) giveBack(n int, stream uint32) {
	if n == 0 {
		return
	}
	b := appendWindow(nil, 0, uint32(n))
	if stream != 0 {
		b = appendWindow(b, stream, uint32(n))
	}
	s.hop.toAgent.put(s.hop.agent, b)
}

// begin sends the head of an answer that was kept back.
func (s *shared) begin(f *frames, st *cardStream) {
	st.sending = true
	s.hop.toClient.put(s.hop.client, f.encode(st.block, st.fields))
}

// finish sends an answer that is complete, with the card in it changed.
func (s *shared) finish(f *frames, st *cardStream) {
	st.ended = true
	f.flush()
	if !st.sending {
		s.change(st)
		s.begin(f, st)
	}
	s.push()
}

// change rewrites the card of an answer.
func (s *shared) change(st *cardStream) {
	p := s.hop.p
	list := fieldList(st.fields)
	encoding := list.get("content-encoding")
	if st.asked.card == grpcCard {
		encoding = list.get("grpc-encoding")
	}
	r := p.rewrite(s.at, st.asked, encoding, st.content)
	if r.note != nil {
		s.hop.tap.note(st.id, r.note)
	}
	if r.body == nil {
		if st.asked.card == plainCard {
			p.etags.unchanged(list.get("etag"))
		}
		return
	}
	st.fields = editFields(st.fields, p.cardAnswerEdits(namesOf(st.fields), st.asked, len(r.body)))
	st.content = r.body
}

// push sends what the client's windows allow of the answers that are under way.
func (s *shared) push() {
	for _, st := range s.streams {
		if !st.sending {
			continue
		}
		var out []byte
		for len(st.content) > 0 {
			room := min(s.window.Load(), s.initial+st.credit-st.used, maxPayload, int64(len(st.content)))
			if room <= 0 {
				break
			}
			flags := byte(0)
			if int(room) == len(st.content) && st.ended && st.trailer == nil {
				flags = flagEndStream
			}
			out = appendFrame(out, frameData, flags, st.id, int(room))
			out = append(out, st.content[:room]...)
			st.content = st.content[room:]
			st.used += room
			s.window.Add(-room)
			s.debt.Add(room)
			if flags == flagEndStream {
				s.remove(st)
			}
			if st.through && !st.ended {
				// The agent may send as much more on the stream.
				s.hop.toAgent.put(s.hop.agent, appendWindow(nil, st.id, uint32(room)))
			}
		}
		if len(st.content) == 0 && st.ended && s.streams[st.id] == st {
			if st.trailer != nil {
				out = append(out, st.trailer...)
			} else {
				out = appendFrame(out, frameData, flagEndStream, st.id, 0)
			}
			s.remove(st)
		}
		if len(out) > 0 {
			s.hop.toClient.put(s.hop.client, out)
		}
	}
}

// reset handles a RST_STREAM: the answer that was kept back is not to be had.
func (s *shared) reset(f *frames) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.streams[f.stream]
	if st == nil {
		return
	}
	if f.from == capture.Server && st.holding && !st.sending {
		f.flush()
		s.begin(f, st)
	}
	s.remove(st)
}
