package script

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"a2ascope/capture"
)

// WriteOptions say how exchanges become a play.
type WriteOptions struct {
	// DecodeGRPC gives the JSON of a gRPC message where EncodeGRPC makes a
	// message of it that says the same. nil: messages are written in hex.
	DecodeGRPC func(path string, response bool, data []byte) (json []byte, ok bool)
}

// Write makes a play of exchanges: read again it gives the same messages. Each
// connection is one of the play. What a play cannot say is said in a comment:
// a coding that cannot be written, bytes that belong to no message.
func Write(xs []*capture.Exchange, o WriteOptions) []byte {
	w := &playWriter{o: o, conns: map[capture.ConnID]*playConn{}}
	for _, x := range xs {
		w.exchange(x)
	}
	w.ends(xs)
	slices.SortStableFunc(w.steps, func(a, b playStep) int { return a.at.Compare(b.at) })
	return w.play()
}

// playWriter collects what is said, and when.
type playWriter struct {
	o     WriteOptions
	conns map[capture.ConnID]*playConn
	order []*playConn
	steps []playStep
}

// playConn is a connection of the play.
type playConn struct {
	name  string
	link  *capture.Link
	http2 bool
	free  time.Time // HTTP/1: nothing is said before it, for an exchange is running
	lanes int
	named bool
	end   string // how it ended
}

// playStep is a few lines at one time.
type playStep struct {
	at    time.Time
	conn  *playConn
	lane  int
	lines []string
}

// exchange adds the lines of one exchange.
func (w *playWriter) exchange(x *capture.Exchange) {
	c := w.conns[x.Conn]
	if c == nil {
		c = &playConn{name: fmt.Sprintf("c%d", len(w.order)+1), link: x.Link}
		w.conns[x.Conn] = c
		w.order = append(w.order, c)
	}
	h := x.Request
	if h == nil {
		h = x.Response
	}
	c.http2 = h != nil && h.Proto == "HTTP/2"
	c.lanes++
	if h == nil && x.End != nil && x.End.Kind == capture.EndUnreachable { // it is all there is of the connection
		c.end = "! refused"
		if why := oneLine(x.End.Text); why != "" && why != "the connection was refused" {
			c.end = "! unreachable " + why
		}
		w.steps = append(w.steps, playStep{x.Started, c, c.lanes, []string{c.end}})
		return
	}
	e := &exchangeWriter{w: w, x: x, conn: c, lane: c.lanes, grpc: canBeCall(x)}
	from := len(w.steps)
	e.side(capture.Client)
	e.side(capture.Server)
	if c.http2 {
		return
	}
	// HTTP/1 answers in order: the next request of the play waits for the answer before it.
	last := c.free
	for i := from; i < len(w.steps); i++ {
		if w.steps[i].at.Before(c.free) {
			w.steps[i].at = c.free
		}
		if w.steps[i].at.After(last) {
			last = w.steps[i].at
		}
	}
	c.free = last
}

// ends says how connections and HTTP/2 streams ended, where they did not end in order.
func (w *playWriter) ends(xs []*capture.Exchange) {
	for _, x := range xs {
		c := w.conns[x.Conn]
		if x.End == nil {
			continue
		}
		side := x.EndedBy.String()
		if side != "client" {
			side = "server"
		}
		at := x.Ended
		if at.Before(c.free) {
			at = c.free
		}
		end := ""
		switch x.End.Kind {
		case capture.EndReset:
			end = "! reset " + side
			if c.http2 && x.End.Text != "tcp reset" {
				w.steps = append(w.steps, playStep{at, c, w.laneOf(x, xs), []string{fmt.Sprintf("! rst %s %d", side, x.End.Code)}})
				continue
			}
		case capture.EndGoAway:
			end = fmt.Sprintf("! goaway %s %d", side, x.End.Code)
		case capture.EndClosed:
			end = "! close " + side
		case capture.EndStillOpen:
			end = "! stop"
		case capture.EndUnreachable:
			end = "! unreachable " + oneLine(x.End.Text)
		}
		if end != "" && c.end == "" { // the first is how the connection ended
			c.end = end
			w.steps = append(w.steps, playStep{at, c, w.laneOf(x, xs), []string{end}})
		}
	}
}

func (w *playWriter) laneOf(x *capture.Exchange, xs []*capture.Exchange) int {
	n := 0
	for _, y := range xs {
		if y.Conn == x.Conn {
			if n++; y == x {
				break
			}
		}
	}
	return n
}

// play writes the steps, with the time between them and the turns of connections.
func (w *playWriter) play() []byte {
	var b bytes.Buffer
	var now time.Time
	var on *playConn
	lane := 0
	for i := range w.steps {
		s := &w.steps[i]
		if i > 0 {
			if d := s.at.Sub(now).Truncate(time.Microsecond); d > 0 {
				fmt.Fprintf(&b, "+ %s\n", min(d, maxClock/2))
			}
		}
		now = s.at
		if s.conn != on || s.conn.http2 && s.lane != lane {
			b.WriteString(s.conn.turn(s.lane))
			on, lane = s.conn, s.lane
		}
		for _, l := range s.lines {
			b.WriteString(l)
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// turn is the line that switches to the connection; the first time it says what it is.
func (c *playConn) turn(lane int) string {
	line := "= " + c.name
	if c.http2 {
		line += fmt.Sprintf("/%d", lane)
	}
	if c.named || c.link == nil {
		c.named = true
		return line + "\n"
	}
	c.named = true
	l := c.link
	if l.Client.IsValid() {
		line += " client " + l.Client.String()
	}
	if l.Server.IsValid() {
		line += " server " + l.Server.String()
	}
	if l.ServerName != "" && !strings.ContainsAny(l.ServerName, " \t\r\n") {
		line += " name " + l.ServerName
	}
	switch l.TLS {
	case "":
	case "1.2":
		line += " tls 1.2"
	default:
		line += " tls"
	}
	if l.Midstream {
		line += " midstream"
	}
	return line + "\n"
}

// oneLine is text that can stand in a line of a play; never empty.
func oneLine(s string) string {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s))
	if s == "" {
		return "connection refused"
	}
	return s
}
