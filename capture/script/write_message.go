package script

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"a2ascope/capture"
)

// exchangeWriter writes one exchange.
type exchangeWriter struct {
	w    *playWriter
	x    *capture.Exchange
	conn *playConn
	lane int
	grpc bool // in the form of a call: one line of JSON each message
}

// say adds lines at a time.
func (e *exchangeWriter) say(at time.Time, lines ...string) {
	if len(lines) > 0 {
		e.w.steps = append(e.w.steps, playStep{at, e.conn, e.lane, lines})
	}
}

func mark(from capture.Side) string {
	if from == capture.Client {
		return ">"
	}
	return "<"
}

// line writes a line of text, or its bytes in hex where it is none. end is what
// the language adds to a line of text by itself.
func line(from capture.Side, text, end string) string {
	if !plainLine(text) {
		return mark(from) + "x " + hex.EncodeToString([]byte(text+end))
	}
	if text == "" {
		return mark(from)
	}
	return mark(from) + " " + text
}

// plainLine reports text that a line of a play can hold and a reader can see.
func plainLine(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r != '\t' && (unicode.IsControl(r) || r == '\uFEFF') {
			return false
		}
	}
	return true
}

// side writes the message of one side.
func (e *exchangeWriter) side(from capture.Side) {
	x := e.x
	h, at, trailer, done := x.Request, x.Started, x.SentTrailer, x.SentDone
	if from == capture.Server {
		h, at, trailer, done = x.Response, x.Answered, x.Trailer, x.ReceivedDone
		for _, i := range x.Interim {
			e.say(at, e.head(i, from, false)...)
		}
	}
	if h == nil {
		e.foreign(from)
		return
	}
	if e.grpc && from == capture.Server {
		e.answer(h, at)
		return
	}
	e.say(at, e.head(h, from, done)...)
	for i, t := range x.Frames(from) {
		if t.At.After(at) {
			at = t.At
		}
		if !toldLater(x.Frames(from)[i:]) {
			e.say(at, e.frame(from, t.V, h)...)
		}
	}
	e.losses(from)
	if trailer != nil && !trailer.Only {
		if from == capture.Server && x.End != nil && x.End.Kind == capture.EndDone && x.Ended.After(at) {
			at = x.Ended
		}
		var lines []string
		for _, f := range trailer.Fields {
			lines = append(lines, mark(from)+"t "+f.Name+": "+f.Value)
		}
		e.say(at, lines...)
	}
	if done && !e.conn.http2 && from == capture.Server || done && e.conn.http2 {
		e.say(at, "")
	}
}

// toldLater reports a loose line that stands between the lines of the event
// that comes next: the event is written with it.
func toldLater(fs []capture.Timed[*capture.Frame]) bool {
	if fs[0].V.Form != capture.LooseData {
		return false
	}
	const near = 256 // lines of one event
	for _, f := range fs[1:min(len(fs), near)] {
		if f.V.Form == capture.SSEEvent {
			return bytes.Contains(f.V.Raw, append([]byte{'\n'}, fs[0].V.Data...))
		}
	}
	return false
}

// foreign writes what a peer answered that does not speak the protocol of the
// connection: a TLS alert, the first frame of HTTP/2.
func (e *exchangeWriter) foreign(from capture.Side) {
	if from != capture.Server || e.conn.http2 {
		return
	}
	for _, b := range e.x.Breaches {
		switch b.V.V.Code {
		case capture.BreachTLS:
			e.say(b.At, "<x 15 03 03 00 02 02 28")
		case capture.BreachHTTP2Answer:
			e.say(b.At, "<x 00 00 00 04 00 00 00 00 00")
		}
	}
}

// losses says what the capture misses of a side.
func (e *exchangeWriter) losses(from capture.Side) {
	for _, b := range e.x.Breaches {
		if b.V.From != from || b.V.V.Code != capture.BreachLost {
			continue
		}
		n := "?"
		if b.V.V.Lost > 0 {
			n = strconv.FormatInt(b.V.V.Lost, 10)
		}
		e.say(b.At, "! gap "+from.String()+" "+n)
	}
}

// head writes a head. Framing that the language adds by itself is left out of a
// message that is complete.
func (e *exchangeWriter) head(h *capture.Head, from capture.Side, done bool) []string {
	var lines []string
	drop := e.framing(h, from, done)
	fields := h.Fields
	switch {
	case e.conn.http2:
		lines = append(lines, e.first2(h, from)...)
	case len(h.Raw) > 0 && bytes.HasSuffix(h.Raw, []byte("\r\n\r\n")):
		rows := strings.Split(strings.TrimSuffix(string(h.Raw), "\r\n\r\n"), "\r\n")
		first := rows[0]
		if !wellFormed(h, first) {
			return []string{mark(from) + "x " + hex.EncodeToString(h.Raw[:len(h.Raw)-2]), mark(from)}
		}
		lines = append(lines, line(from, strings.TrimSuffix(first, " HTTP/1.1"), "\r\n"))
		for _, r := range rows[1:] {
			if name, _, _ := strings.Cut(r, ":"); !drop[strings.ToLower(strings.TrimSpace(name))] {
				lines = append(lines, line(from, r, "\r\n"))
			}
		}
		fields = nil
	case h.IsRequest():
		lines = append(lines, line(from, h.Method+" "+h.Target, " HTTP/1.1\r\n"))
		if _, ok := h.Fields.Lookup("host"); !ok && h.Authority != "" {
			lines = append(lines, "> Host: "+h.Authority)
		}
	default:
		lines = append(lines, line(from, strings.TrimSpace(strconv.Itoa(h.Status)+" "+h.Reason), "\r\n"))
	}
	for _, f := range fields {
		if !drop[strings.ToLower(f.Name)] {
			lines = append(lines, line(from, f.Name+": "+f.Value, "\r\n"))
		}
	}
	if e.grpc { // the first message ends the metadata
		return lines
	}
	return append(lines, mark(from))
}

// wellFormed reports a first line that a play can begin a message with.
func wellFormed(h *capture.Head, first string) bool {
	if !plainLine(first) {
		return false
	}
	words := strings.Fields(first)
	if h.IsRequest() {
		return len(words) == 3 && first == strings.Join(words, " ") && !strings.ContainsAny(words[0], ":{}\"[]") && words[0] != "h2" && words[0] != "grpc"
	}
	_, status := statusLine(first)
	return status == h.Status
}

// first2 begins a message of HTTP/2.
func (e *exchangeWriter) first2(h *capture.Head, from capture.Side) []string {
	if from == capture.Server {
		return []string{"< " + strconv.Itoa(h.Status)}
	}
	lines := []string{"> h2 " + h.Method + " " + h.Target}
	if e.grpc {
		lines[0] = "> grpc " + h.Target
	}
	scheme, authority := "http", ""
	if l := e.x.Link; l != nil {
		if l.TLS != "" {
			scheme = "https"
		}
		if authority = l.ServerName; authority == "" && l.Server.IsValid() {
			authority = l.Server.String()
		}
	}
	if h.Scheme != "" && h.Scheme != scheme {
		lines = append(lines, "> :scheme: "+h.Scheme)
	}
	if h.Authority != "" && h.Authority != authority {
		lines = append(lines, "> :authority: "+h.Authority)
	}
	return lines
}

// framing names the fields that the language writes itself.
func (e *exchangeWriter) framing(h *capture.Head, from capture.Side, done bool) map[string]bool {
	drop := map[string]bool{}
	if !done || e.x.Request != nil && e.x.Request.Method == "HEAD" && from == capture.Server {
		return drop
	}
	fs := e.x.Frames(from)
	coding, text := "", true
	for _, f := range fs {
		if f.V.Form != capture.GRPCMessage && f.V.Coding != "" {
			coding = f.V.Coding
		}
		for l := range bytes.SplitSeq(f.V.Data, []byte{'\n'}) {
			text = text && plainLine(string(l))
		}
	}
	if coding != "" && (coding != "gzip" || !text) { // what is written is what was read: without the coding
		drop["content-encoding"] = true
	}
	lengths := h.Fields.Values("content-length")
	_, chunked := h.Fields.Lookup("transfer-encoding")
	if len(lengths) == 1 && !chunked && h.MediaType() != "text/event-stream" && (len(fs) > 0 || lengths[0] == "0") && e.x.Lost() == 0 && !e.conn.http2 {
		drop["content-length"] = true
	}
	if coding != "" {
		drop["content-length"] = true
	}
	return drop
}

// frame writes a piece of a body.
func (e *exchangeWriter) frame(from capture.Side, f *capture.Frame, h *capture.Head) []string {
	switch {
	case f.Form == capture.GRPCMessage && e.grpc:
		return []string{e.message(from, f)}
	case f.Form == capture.GRPCMessage:
		data := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(f.Data))), f.Data...)
		return hexLines(from, data)
	case f.Form == capture.SSEEvent, f.Form == capture.SSEComment:
		return eventLines(from, f)
	case f.Form == capture.LooseData && h.MediaType() == "text/event-stream" && !f.Cut: // a line that is no field
		return hexLines(from, append(bytes.Clone(f.Data), '\n'))
	case f.Form == capture.LooseData || h.MediaType() == "text/event-stream":
		return hexLines(from, f.Data)
	}
	return bodyLines(from, f.Data)
}

// bodyLines writes a body as text, or in hex where it is none.
func bodyLines(from capture.Side, data []byte) []string {
	rows, text := strings.Split(string(data), "\n"), true
	for _, r := range rows {
		text = text && plainLine(r)
	}
	switch {
	case len(data) == 0:
		return nil
	case !text:
		return hexLines(from, data)
	}
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = line(from, r, "")
	}
	return lines
}

// hexLines writes bytes, 32 a line.
func hexLines(from capture.Side, data []byte) []string {
	var lines []string
	for len(data) > 0 {
		n := min(32, len(data))
		lines = append(lines, mark(from)+"x "+hex.EncodeToString(data[:n]))
		data = data[n:]
	}
	return lines
}

// eventLines writes an event of a stream as its sender wrote it.
func eventLines(from capture.Side, f *capture.Frame) []string {
	raw := string(f.Raw)
	if raw == "" {
		if f.Form == capture.SSEComment {
			raw = ": " + string(f.Data)
		} else {
			var b strings.Builder
			if f.Event != "" {
				b.WriteString("event: " + f.Event + "\n")
			}
			if f.ID != "" {
				b.WriteString("id: " + f.ID + "\n")
			}
			for l := range strings.SplitSeq(string(f.Data), "\n") {
				b.WriteString("data: " + l + "\n")
			}
			raw = b.String()
		}
	}
	switch {
	case f.Cut:
		return hexLines(from, []byte(raw))
	case strings.Contains(raw, "\r"): // other line ends than a play's: they stay as they are
		return hexLines(from, []byte(strings.TrimRight(raw, "\r\n")+"\r\n\r\n"))
	}
	var lines []string
	for l := range strings.SplitSeq(strings.TrimRight(raw, "\r\n"), "\n") {
		lines = append(lines, line(from, l, "\n"))
	}
	return append(lines, mark(from))
}

// message writes a message of a call: one line of JSON, or its bytes.
func (e *exchangeWriter) message(from capture.Side, f *capture.Frame) string {
	if decode := e.w.o.DecodeGRPC; decode != nil && f.Lost == 0 && f.Size == int64(len(f.Data)) {
		if text, ok := decode(e.x.Request.Path(), from == capture.Server, f.Data); ok && plainLine(string(text)) && bytes.HasPrefix(text, []byte("{")) {
			return mark(from) + " " + string(text)
		}
	}
	return strings.TrimRight(mark(from)+"x "+hex.EncodeToString(f.Data), " ")
}

// canBeCall reports an exchange that the form of a call can say completely.
func canBeCall(x *capture.Exchange) bool {
	q := x.Request
	if q == nil || q.Proto != "HTTP/2" || q.Method != "POST" || !strings.HasPrefix(q.MediaType(), "application/grpc") || !strings.HasPrefix(q.Target, "/") ||
		!x.SentDone || x.SentTrailer != nil || len(x.Interim) > 0 || x.Lost() != 0 {
		return false
	}
	for _, side := range []capture.Side{capture.Client, capture.Server} {
		for _, f := range x.Frames(side) {
			if f.V.Form != capture.GRPCMessage || f.V.Cut || f.V.Coding == "unknown" {
				return false
			}
		}
	}
	r := x.Response
	if r == nil {
		return x.Trailer == nil
	}
	if r.Status != 200 || !strings.HasPrefix(r.MediaType(), "application/grpc") || strings.Contains(r.MediaType(), "web") {
		return false
	}
	if x.Trailer == nil {
		return !x.ReceivedDone
	}
	code, err := strconv.Atoi(x.Trailer.Fields.Get("grpc-status"))
	text, ok := grpcMessageText(x.Trailer.Fields.Get("grpc-message"))
	return err == nil && code >= 0 && code < 1000 && len(x.Trailer.Fields.Values("grpc-status")) == 1 && ok && plainLine(text)
}

// grpcMessageText decodes grpc-message; ok is false where it would not be written the same again.
func grpcMessageText(v string) (string, bool) {
	text, err := url.PathUnescape(v)
	return text, err == nil && percentEncode(text) == v && strings.TrimSpace(text) == text
}

// answer writes the server's side of a call.
func (e *exchangeWriter) answer(h *capture.Head, at time.Time) {
	x := e.x
	only := x.Trailer != nil && x.Trailer.Only
	if !only {
		var lines []string
		for _, f := range h.Fields {
			if !strings.EqualFold(f.Name, "content-type") || f.Value != "application/grpc" {
				lines = append(lines, line(capture.Server, f.Name+": "+f.Value, ""))
			}
		}
		if len(lines) == 0 && len(x.Received) == 0 {
			lines = []string{"< headers"}
		} else if len(x.Received) == 0 && x.Trailer == nil {
			lines = append(lines, "<")
		}
		e.say(at, lines...)
	}
	for _, t := range x.Received {
		if t.At.After(at) {
			at = t.At
		}
		e.say(at, e.message(capture.Server, t.V))
	}
	if x.Trailer == nil {
		return
	}
	if x.Ended.After(at) && x.End != nil && x.End.Kind == capture.EndDone {
		at = x.Ended
	}
	text, _ := grpcMessageText(x.Trailer.Fields.Get("grpc-message"))
	lines := []string{strings.TrimSpace(fmt.Sprintf("< status %s %s", x.Trailer.Fields.Get("grpc-status"), text))}
	for _, f := range x.Trailer.Fields {
		switch strings.ToLower(f.Name) {
		case "grpc-status", "grpc-message":
		case "content-type":
			if only {
				continue // the head has its own
			}
			fallthrough
		default:
			lines = append(lines, "< "+f.Name+": "+f.Value)
		}
	}
	e.say(at, append(lines, "")...)
}
