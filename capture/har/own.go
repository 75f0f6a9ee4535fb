package har

import "a2ascope/capture"

// own is the member "_exchange", in which Writer keeps what HAR has no member
// for. Times are milliseconds after startedDateTime. With it an entry is read
// back as the exchange that was written.
//
//	{"source": where the exchange was seen, unless it was a HAR,
//	 "client", "server": "address:port", "serverName", "tls", "alpn", "midstream",
//	 "request", "response": {
//	   "head": when it came; without it there was none
//	   "torn": a part of the head is not in the capture
//	   "stream", "method", "scheme", "authority", "target": as sent
//	   "done": the size as sent; without it the message was not complete
//	   "trailer": there was one, in "_trailers"; "trailerOnly": it is also the head
//	   "frames": [{"form", "at", "bytes": of the text that belong to it,
//	               "size", "wire", "lost", "cut", "coding",
//	               "verbatim": the text is the data, "event", "id"}]},
//	 "interim": [{"status", "statusText", "httpVersion", "stream", "headers"}],
//	 "breaches": [{"from", "at", "code", "text", "lost"}],
//	 "notes": [{"code", "text", "original", "delivered": base64}],
//	 "connection": {"protocol", "sent", "received": bytes, "text"}: no HTTP was in
//	               it, and the entry stands for the connection,
//	 "end": {"kind", "by", "at", "code", "text"}}
type own struct {
	there                 bool
	source                text
	client, server        text
	serverName, tls, alpn text
	midstream             bool
	sides                 [2]ownSide
	interim               []ownHead
	breaches              []ownBreach
	notes                 []ownNote
	connection            ownConnection
	end                   ownEnd
}

type ownSide struct {
	there, head, torn                 bool
	done, trailer, only               bool
	at, stream, size                  float64
	method, scheme, authority, target text
	frames                            []ownFrame
}

type ownFrame struct {
	form, coding, event, id         text
	at, bytes, size, wire, lost     float64
	hasSize, hasWire, cut, verbatim bool
}

type ownHead struct {
	status, stream      float64
	torn                bool
	statusText, version text
	headers             []header
}

type ownBreach struct {
	from, code, text text
	at, lost         float64
}

type ownConnection struct {
	there          bool
	protocol, text text
	sent, received float64
}

type ownNote struct{ code, text, original, delivered text }

type ownEnd struct {
	kind, by, text text
	at, code       float64
}

// members calls f with the name of each member; f reads the value.
func (c *cursor) members(f func(name string)) {
	if !c.enter('{') {
		return
	}
	for first := true; ; first = false {
		name, ok := c.member(first)
		if !ok {
			return
		}
		f(string(name))
	}
}

// elements calls f for each element; f reads it.
func (c *cursor) elements(f func()) {
	if !c.enter('[') {
		return
	}
	for first := true; c.more(']', first); first = false {
		f()
	}
}

func (c *cursor) yes() bool { return string(c.str().raw) == "true" }

func (o *own) read(c *cursor) {
	*o = own{there: c.peek() == '{'}
	c.members(func(name string) {
		switch name {
		case "source":
			o.source = c.str()
		case "client":
			o.client = c.str()
		case "server":
			o.server = c.str()
		case "serverName":
			o.serverName = c.str()
		case "tls":
			o.tls = c.str()
		case "alpn":
			o.alpn = c.str()
		case "midstream":
			o.midstream = c.yes()
		case "request":
			o.sides[capture.Client].read(c)
		case "response":
			o.sides[capture.Server].read(c)
		case "interim":
			c.elements(func() { o.interim = append(o.interim, readInterim(c)) })
		case "breaches":
			c.elements(func() { o.breaches = append(o.breaches, readBreach(c)) })
		case "notes":
			c.elements(func() { o.notes = append(o.notes, readNote(c)) })
		case "connection":
			o.connection.read(c)
		case "end":
			o.end.read(c)
		default:
			c.skip()
		}
	})
}

func (s *ownSide) read(c *cursor) {
	s.there = true
	c.members(func(name string) {
		switch name {
		case "head":
			s.at, s.head = c.num()
		case "torn":
			s.torn = c.yes()
		case "stream":
			s.stream, _ = c.num()
		case "method":
			s.method = c.str()
		case "scheme":
			s.scheme = c.str()
		case "authority":
			s.authority = c.str()
		case "target":
			s.target = c.str()
		case "done":
			s.size, s.done = c.num()
		case "trailer":
			s.trailer = c.yes()
		case "trailerOnly":
			s.only = c.yes()
		case "frames":
			c.elements(func() {
				var f ownFrame
				f.read(c)
				s.frames = append(s.frames, f)
			})
		default:
			c.skip()
		}
	})
}

func (f *ownFrame) read(c *cursor) {
	c.members(func(name string) {
		switch name {
		case "form":
			f.form = c.str()
		case "coding":
			f.coding = c.str()
		case "at":
			f.at, _ = c.num()
		case "bytes":
			f.bytes, _ = c.num()
		case "size":
			f.size, f.hasSize = c.num()
		case "wire":
			f.wire, f.hasWire = c.num()
		case "lost":
			f.lost, _ = c.num()
		case "cut":
			f.cut = c.yes()
		case "verbatim":
			f.verbatim = c.yes()
		case "event":
			f.event = c.str()
		case "id":
			f.id = c.str()
		default:
			c.skip()
		}
	})
}

func readInterim(c *cursor) (h ownHead) {
	c.members(func(name string) {
		switch name {
		case "status":
			h.status, _ = c.num()
		case "stream":
			h.stream, _ = c.num()
		case "torn":
			h.torn = c.yes()
		case "statusText":
			h.statusText = c.str()
		case "httpVersion":
			h.version = c.str()
		case "headers":
			h.headers = readHeaders(c, nil)
		default:
			c.skip()
		}
	})
	return h
}

func readBreach(c *cursor) (b ownBreach) {
	c.members(func(name string) {
		switch name {
		case "from":
			b.from = c.str()
		case "code":
			b.code = c.str()
		case "text":
			b.text = c.str()
		case "at":
			b.at, _ = c.num()
		case "lost":
			b.lost, _ = c.num()
		default:
			c.skip()
		}
	})
	return b
}

func readNote(c *cursor) (n ownNote) {
	c.members(func(name string) {
		switch name {
		case "code":
			n.code = c.str()
		case "text":
			n.text = c.str()
		case "original":
			n.original = c.str()
		case "delivered":
			n.delivered = c.str()
		default:
			c.skip()
		}
	})
	return n
}

func (k *ownConnection) read(c *cursor) {
	k.there = true
	c.members(func(name string) {
		switch name {
		case "protocol":
			k.protocol = c.str()
		case "text":
			k.text = c.str()
		case "sent":
			k.sent, _ = c.num()
		case "received":
			k.received, _ = c.num()
		default:
			c.skip()
		}
	})
}

func (e *ownEnd) read(c *cursor) {
	c.members(func(name string) {
		switch name {
		case "kind":
			e.kind = c.str()
		case "by":
			e.by = c.str()
		case "text":
			e.text = c.str()
		case "at":
			e.at, _ = c.num()
		case "code":
			e.code, _ = c.num()
		default:
			c.skip()
		}
	})
}
