package diagnose

import (
	"hash/maphash"
	"strconv"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
)

// maxHops bounds the requests remembered to be met again behind a hop.
const maxHops = 4096

// hopSpan is how long a hop may hold a request back before it sends it on.
const hopSpan = 30 * time.Second

// hop is a request as it was seen in front of a proxy or gateway, should there
// be one: it is met again, nested in time, on another connection to another
// address.
type hop struct {
	exchange  capture.ExchangeID
	conn      capture.ConnID
	authority string
	server    string
	started   time.Time
	declared  decode.Declared
}

// side is what an exchange knows of the other capture of its call.
type side struct {
	where    string // near, far; "" when the call was seen once
	other    capture.ExchangeID
	declared decode.Declared // of the other side
}

// meetAgain looks whether the same call was seen in front of a hop, and tells
// both exchanges of each other.
func (m *memory) meetAgain(c *decode.Call, s *seen) {
	key := m.hopHash(c)
	if key == 0 {
		return
	}
	x := c.Exchange
	h, fresh := m.hops.take(key)
	if !fresh && h.conn != x.Conn && (h.authority != s.authority || h.server != serverOf(x)) &&
		!x.Started.Before(h.started) && x.Started.Sub(h.started) <= hopSpan {
		if near := m.open.items[h.exchange]; near != nil && !near.value.learned {
			near.value.side = side{"near", x.ID, c.Declared}
			s.side = side{"far", h.exchange, h.declared}
		}
	}
	*h = hop{x.ID, x.Conn, s.authority, serverOf(x), x.Started, c.Declared}
}

func serverOf(x *capture.Exchange) string {
	if x.Link != nil && x.Link.Server.IsValid() {
		return x.Link.Server.String()
	}
	return ""
}

// hopHash names a call so that it is known again when a hop has changed its
// address and its headers: by the id of its message or its trace, else by its
// body. 0: nothing tells it from others.
func (m *memory) hopHash(c *decode.Call) uint64 {
	var h maphash.Hash
	h.SetSeed(m.salt)
	h.WriteString(string(c.Operation))
	msg := c.Params.Get("message")
	id := firstOf(msg.Get("messageId").Str(), msg.Get("message_id").Str())
	switch {
	case id != "":
		h.WriteString("m" + id)
	case c.Exchange.Request != nil && c.Exchange.Request.Fields.Get("traceparent") != "":
		t := c.Exchange.Request.Fields.Get("traceparent")
		if len(t) > 35 {
			t = t[:35] // version and trace id: the span id changes from hop to hop
		}
		h.WriteString("t" + t + c.RPC.ID + c.TaskID)
	case len(c.Exchange.Sent) > 0 && len(c.Exchange.Sent[0].V.Data) > 0:
		h.WriteString("b" + strconv.Itoa(len(c.Exchange.Sent)))
		h.Write(c.Exchange.Sent[0].V.Data)
	default:
		return 0
	}
	return h.Sum64()
}
