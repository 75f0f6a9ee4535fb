package script

import (
	"slices"
	"strconv"
	"strings"

	"a2ascope/capture"
)

// h2codes are the HTTP/2 error codes by number (RFC 9113 section 7).
var h2codes = []string{"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
	"FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED"}

const whatHappens = "close, end, reset, gap, rst, goaway (each with client or server), refused, unreachable or stop expected after '!'"

// maxGap bounds what one gap may swallow.
const maxGap = 1 << 40

// happen reads '! WHAT SIDE [ARG]'.
func (p *parser) happen(arg string) {
	words := strings.Fields(arg)
	if len(words) == 0 {
		p.fail(1, whatHappens)
		return
	}
	what, args := words[0], words[1:]
	from := capture.Server
	switch what {
	case "refused", "stop":
	case "unreachable":
		p.unreachable(strings.Join(args, " "))
		return
	case "close", "end", "reset", "gap", "rst", "goaway":
		if len(args) == 0 || args[0] != "client" && args[0] != "server" {
			p.fail(wordAt(p.text, 2), "'client' or 'server' expected after '"+what+"'")
			return
		}
		if args[0] == "client" {
			from = capture.Client
		}
		args = args[1:]
	default:
		p.fail(wordAt(p.text, 1), whatHappens)
		return
	}
	n, takes := int64(0), 0
	argAt := wordAt(p.text, 3)
	switch what {
	case "gap":
		takes = 1
		v, err := int64(-1), error(nil)
		if len(args) > 0 && args[0] != "?" {
			v, err = strconv.ParseInt(args[0], 10, 64)
		}
		if len(args) == 0 || err != nil || v == 0 || v < -1 || v > maxGap {
			p.fail(argAt, "how many bytes are missing: a number, or '?' when it is not known")
			return
		}
		n = v
	case "rst", "goaway":
		takes = 1
		n = int64(slices.Index(h2codes, "CANCEL"))
		if what == "goaway" {
			n = 0
		}
		if len(args) > 0 {
			if n = h2code(args[0]); n < 0 {
				p.fail(argAt, "an HTTP/2 error code expected, such as CANCEL or 8")
				return
			}
		}
	}
	if len(args) > takes {
		p.fail(len(p.text), "'"+args[takes]+"' is one word too many")
		return
	}
	l := p.here()
	if l.conn.over > 0 {
		p.fail(0, "connection "+l.conn.label()+" ended at line "+itoa(l.conn.over))
		return
	}
	p.event(l, what, from, n)
}

// unreachable ends a connection that never came to be: what the client said on
// it was heard by a proxy alone.
func (p *parser) unreachable(why string) {
	l := p.here()
	switch {
	case why == "":
		p.fail(len(p.text), "the reason expected, in the words of a dialler: 'connection refused', 'no such host', 'i/o timeout'")
		return
	case l.conn.over > 0:
		p.fail(0, "connection "+l.conn.label()+" ended at line "+itoa(l.conn.over))
		return
	}
	for _, other := range l.conn.order() {
		p.breakOff(other, capture.Server)
	}
	p.act(act{conn: l.conn, from: capture.Server, kind: actClose, text: capture.Unreachable + why})
	l.conn.over = p.line
}

func h2code(s string) int64 {
	if n, err := strconv.ParseUint(s, 10, 32); err == nil {
		return int64(n)
	}
	return int64(slices.Index(h2codes, strings.ToUpper(s)))
}

func (p *parser) event(l *lane, what string, from capture.Side, n int64) {
	c := l.conn
	a := act{conn: c, from: from, n: n, ex: l.ex}
	if c.proto != speaksHTTP2 && (what == "rst" || what == "goaway") {
		p.fail(0, "only an HTTP/2 connection has '"+what+"'; '! reset' resets the connection")
		return
	}
	switch what {
	case "gap":
		if m := l.said; m != nil && m.from == from && m.inHead && !m.grpc {
			p.fail(0, "a gap inside a head; end the head first, or leave the lines out and write a gap before the body")
			return
		}
		p.seal(l)
		if m := l.said; m != nil && m.from == from && n > 0 {
			m.lost += n
		}
		a.kind = actGap
		p.act(a)
		return
	case "rst":
		if l.ex == nil {
			p.fail(0, "nothing was asked on this lane that could be reset")
			return
		}
		p.breakOff(l, from)
		a.kind = actRST
		p.act(a)
		if r := l.ex.response; r == nil {
			l.ex.response = &message{from: capture.Server, status: 200, ended: p.line}
		}
		return
	case "goaway":
		p.seal(l)
		a.kind = actGoAway
		p.act(a)
		return
	case "end":
		p.breakOff(l, from)
		a.kind = actHalf
		p.act(a)
		return
	}
	// The connection ends, and with it everything that is being said on it.
	for _, other := range c.order() {
		p.breakOff(other, from)
	}
	a.kind = actClose
	switch what {
	case "close":
		p.act(act{conn: c, from: from, kind: actHalf})
		p.act(act{conn: c, from: from.Other(), kind: actHalf})
	case "reset":
		a.text = "reset"
	case "refused":
		a.text = "refused"
		if c.proto != silent {
			p.fail(0, "a connection that was refused carries nothing; something was said on "+c.label())
			return
		}
	case "stop":
		a.text = ended
	}
	p.act(a)
	c.over = p.line
}

// breakOff stops what is being said. A request is finished by whatever the
// server does; everything else stays unfinished.
func (p *parser) breakOff(l *lane, by capture.Side) {
	if m := l.said; m != nil && m.from == capture.Client && by == capture.Server {
		p.finish(l, false)
		return
	}
	p.abandon(l)
}

// ended is why a connection is over when the recording is.
const ended = "capture ended"
