package har

// header is one {"name", "value"}.
type header struct {
	name, value text
	unknown     bool // "_unknown": capture.Field.Unknown
}

// stored is a body as the file stores it.
type stored struct {
	there     bool // there was a member for the body, though perhaps without text
	mime      text
	text      text
	encoding  text
	comment   text
	file      text // Playwright: the body lies in a file beside the HAR
	params    []header
	size      float64 // as the producer counted, -1 when it did not
	cut       float64 // "compression": size - bytes sent
	hasCut    bool
	discarded text // HTTP Toolkit: why there is no text
}

// side is a request or a response as the file stores it.
type side struct {
	there                    bool
	method, url              text
	status                   float64
	statusText, failure      text
	version                  text
	headers                  []header
	trailers                 []header
	body                     stored
	bodySize, transferred    float64
	hasBodySize, wasTransfer bool
}

// entry is what is read of one element of log.entries. Its slices are used
// again for the next one.
type entry struct {
	started           text
	time              float64
	timings           timings
	request, response side
	server, port      text
	resource          text
	failure           text
	webSocket         bool
	messages          []message
	own               own
}

// message is one event of an EventSource, as Chrome keeps it beside a body it did not keep.
type message struct {
	time            float64 // seconds since 1970
	event, id, data text
}

func (e *entry) reset() {
	rq, rs := e.request, e.response
	*e = entry{messages: e.messages[:0]}
	e.request.headers, e.response.headers = rq.headers[:0], rs.headers[:0]
	e.request.trailers, e.response.trailers = rq.trailers[:0], rs.trailers[:0]
	e.request.body.params = rq.body.params[:0]
	e.request.body.size, e.response.body.size = -1, -1
}

// read fills e from the members of an entry.
func (e *entry) read(c *cursor) {
	e.reset()
	switch c.peek() {
	case '{':
		c.i++
	default:
		c.fail("an object expected")
		return
	}
	for first := true; ; first = false {
		name, ok := c.member(first)
		if !ok {
			return
		}
		switch string(name) {
		case "startedDateTime":
			e.started = c.str()
		case "time":
			e.time, _ = c.num()
		case "request":
			e.request.read(c)
		case "response":
			e.response.read(c)
		case "timings":
			e.timings.read(c)
		case "serverIPAddress":
			e.server = c.str()
		case "_serverPort", "serverPort":
			e.port = c.str()
		case "_resourceType":
			e.resource = c.str()
		case "_webSocketMessages":
			e.webSocket = true
			c.skip()
		case "_eventSourceMessages":
			e.readMessages(c)
		case "_error":
			e.failure = c.str()
		case "_exchange":
			e.own.read(c)
		default:
			c.skip()
		}
	}
}

func (t *timings) read(c *cursor) {
	if !c.enter('{') {
		return
	}
	for first := true; ; first = false {
		name, ok := c.member(first)
		if !ok {
			return
		}
		var into *float64
		switch string(name) {
		case "blocked":
			into = &t.blocked
		case "dns":
			into = &t.dns
		case "connect":
			into = &t.connect
		case "send":
			into = &t.send
		case "wait":
			into = &t.wait
		case "receive":
			into = &t.receive
		default:
			c.skip()
			continue
		}
		*into, _ = c.num()
	}
}

func (s *side) read(c *cursor) {
	if !c.enter('{') {
		return
	}
	s.there = true
	for first := true; ; first = false {
		name, ok := c.member(first)
		if !ok {
			return
		}
		switch string(name) {
		case "method":
			s.method = c.str()
		case "url":
			s.url = c.str()
		case "status":
			s.status, _ = c.num()
		case "statusText":
			s.statusText = c.str()
		case "httpVersion":
			s.version = c.str()
		case "headers":
			s.headers = readHeaders(c, s.headers[:0])
		case "_trailers", "trailers":
			s.trailers = readHeaders(c, s.trailers[:0])
		case "postData", "content", "_content":
			s.body.read(c)
		case "_requestBodyStatus", "_responseBodyStatus":
			s.body.discarded = c.str()
		case "bodySize":
			s.bodySize, s.hasBodySize = c.num()
		case "_transferSize":
			s.transferred, s.wasTransfer = c.num()
		case "_error":
			s.failure = c.str()
		default:
			c.skip()
		}
	}
}

func (b *stored) read(c *cursor) {
	if !c.enter('{') {
		return
	}
	b.there = true
	for first := true; ; first = false {
		name, ok := c.member(first)
		if !ok {
			return
		}
		switch string(name) {
		case "mimeType":
			b.mime = c.str()
		case "text":
			b.text = c.str()
		case "encoding", "_encoding":
			b.encoding = c.str()
		case "params":
			b.params = readHeaders(c, b.params[:0])
		case "size":
			if n, ok := c.num(); ok {
				b.size = n
			}
		case "compression":
			b.cut, b.hasCut = c.num()
		case "comment":
			b.comment = c.str()
		case "_file":
			b.file = c.str()
		default:
			c.skip()
		}
	}
}

// readHeaders reads the forms in which name-value pairs are written: an array
// of {"name", "value"}, an array of [name, value], or an object whose values
// are a string or an array of strings.
func readHeaders(c *cursor, hs []header) []header {
	switch c.peek() {
	case '[':
		c.i++
		for first := true; c.more(']', first); first = false {
			hs = readHeader(c, hs)
		}
		return hs
	case '{':
		c.i++
		for first := true; ; first = false {
			name, ok := c.member(first)
			if !ok {
				return hs
			}
			key := text{raw: name} // member has removed escapes already
			if c.peek() != '[' {
				hs = append(hs, header{name: key, value: c.str()})
				continue
			}
			c.i++
			for first := true; c.more(']', first); first = false {
				hs = append(hs, header{name: key, value: c.str()})
			}
		}
	}
	c.skip()
	return hs
}

func readHeader(c *cursor, hs []header) []header {
	var h header
	switch c.peek() {
	case '{':
		c.i++
		for first := true; ; first = false {
			name, ok := c.member(first)
			if !ok {
				break
			}
			switch string(name) {
			case "name":
				h.name = c.str()
			case "value":
				h.value = c.str()
			case "_unknown":
				h.unknown = c.yes()
			default:
				c.skip()
			}
		}
	case '[':
		c.i++
		k := 0
		for first := true; c.more(']', first); first = false {
			switch v := c.str(); k {
			case 0:
				h.name = v
			case 1:
				h.value = v
			}
			k++
		}
	default:
		c.skip()
	}
	if h.name.empty() {
		return hs
	}
	return append(hs, h)
}

func (e *entry) readMessages(c *cursor) {
	if !c.enter('[') {
		return
	}
	for first := true; c.more(']', first); first = false {
		if !c.enter('{') {
			continue
		}
		var m message
		for first := true; ; first = false {
			name, ok := c.member(first)
			if !ok {
				break
			}
			switch string(name) {
			case "time":
				m.time, _ = c.num()
			case "eventName":
				m.event = c.str()
			case "eventId":
				m.id = c.str()
			case "data":
				m.data = c.str()
			default:
				c.skip()
			}
		}
		e.messages = append(e.messages, m)
	}
}
