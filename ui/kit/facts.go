package kit

import (
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/diagnose"
	"a2ascope/internal/jsontree"
	"a2ascope/internal/lang"
	"a2ascope/internal/session"
)

// Operation names what an exchange does: the A2A operation, or else the wire's own words.
func Operation(r *session.Row, w *lang.Words) string {
	c := r.Call()
	if c == nil {
		return ""
	}
	switch {
	case r.Conn != nil:
		return ConnText(r.Conn, w)
	case c.Operation != "":
		return string(c.Operation)
	case c.Kind == spec.KindPush:
		return w.PushDelivery
	case c.Kind == spec.KindPreflight:
		return "OPTIONS " + path(c)
	case c.Method != "":
		return OneLine(c.Method, 120)
	case c.Exchange.Request != nil:
		return OneLine(c.Exchange.Request.Method, 20) + " " + path(c)
	}
	return w.NoRequest
}

// Number names a row as lists do; a connection without an exchange has none.
func Number(r *session.Row) string {
	if r.Number == 0 {
		return "–"
	}
	return "#" + strconv.Itoa(r.Number)
}

func path(c *decode.Call) string {
	if c.Exchange.Request == nil {
		return ""
	}
	return OneLine(c.Exchange.Request.Path(), 200)
}

// Path returns the path of the request, without query.
func Path(r *session.Row) string {
	if c := r.Call(); c != nil {
		return path(c)
	}
	return ""
}

// BindingName returns the name of the binding, short where there is little room.
func BindingName(b spec.Binding, short bool) string {
	switch b {
	case spec.JSONRPC:
		if short {
			return "RPC"
		}
		return "JSON-RPC"
	case spec.HTTPJSON:
		if short {
			return "REST"
		}
		return "HTTP+JSON"
	case spec.GRPC:
		return "gRPC"
	}
	return ""
}

// Versions returns the version spoken, and the one answered where it differs: "1.0→0.3".
func Versions(c *decode.Call) string {
	if c == nil {
		return ""
	}
	a, b := ShortVersion(c.Request.Value), ShortVersion(c.Response.Value)
	switch {
	case a == b || b == "":
		return a
	case a == "":
		return "→" + b
	}
	return a + "→" + b
}

// ShortVersion returns a version in few cells.
func ShortVersion(v spec.Version) string {
	switch v {
	case spec.V10Draft:
		return "1.0d"
	case spec.Mixed:
		return "mix"
	}
	return string(v)
}

// Status is the answer in one word, and the role that says how bad it is: the
// error code of JSON-RPC, the gRPC status, else the HTTP status.
func Status(c *decode.Call, w *lang.Words) (string, Role) {
	if c == nil {
		return "", Dim
	}
	role := Err
	switch {
	case c.Outcome == spec.OK:
		role = OK
	case c.Outcome == "" || c.Outcome == spec.NoResponse || c.Outcome == spec.Truncated:
		role = Warn
	}
	x := c.Exchange
	switch {
	case c.Fault != nil && c.Fault.Code != 0 && c.Binding == spec.JSONRPC:
		return strconv.FormatInt(c.Fault.Code, 10), role
	case c.Binding == spec.GRPC && c.GRPC.Status > 0:
		return strconv.Itoa(c.GRPC.Status) + " " + GRPCStatus(c.GRPC.Status), role
	case x.Response != nil:
		return strconv.Itoa(x.Response.Status), role
	case x.End != nil && x.End.Kind == capture.EndUnreachable:
		return w.StatusFailed, Err
	case x.End != nil && x.End.Kind == capture.EndReset:
		return w.StatusReset, role
	}
	return w.StatusNone, Warn
}

var grpcNames = [...]string{"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
	"ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
	"UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"}

// GRPCStatus returns the name of a grpc-status.
func GRPCStatus(n int) string {
	if n >= 0 && n < len(grpcNames) {
		return grpcNames[n]
	}
	return "?"
}

// StatusIn is Status in at most w cells. Where a name of gRPC would be cut to
// nothing, its number stands alone: the detail has the name.
func StatusIn(c *decode.Call, words *lang.Words, w int) (string, Role) {
	text, role := Status(c, words)
	if number, name, ok := strings.Cut(text, " "); ok && Width(text) > w && c.Binding == spec.GRPC {
		switch {
		case Width(name) <= w:
			text = name
		case w < 10:
			text = "grpc" + number
		}
	}
	return text, role
}

// Took is the duration of an exchange, or that it is open.
func Took(x *capture.Exchange, w *lang.Words) (string, Role) {
	switch {
	case x.End == nil || x.End.Kind == capture.EndStillOpen:
		if len(x.Received) > 0 && x.Received[0].V.Form != capture.WholeBody {
			return w.OpenStream(len(x.Received)), Accent
		}
		return w.OpenCall, Warn
	case x.Ended.IsZero() || x.Started.IsZero():
		return "", Dim
	}
	return Duration(x.Ended.Sub(x.Started)), Plain
}

// IsStream reports whether the answer came as events or messages one by one.
func IsStream(c *decode.Call) bool { return c != nil && c.Streamed() }

// Peers returns "client→agent"; short leaves out addresses that say nothing.
func Peers(r *session.Row, short bool) string {
	l := r.Link
	if l == nil {
		return ""
	}
	c, s := addr(l.Client, short), addr(l.Server, short)
	if !l.Server.IsValid() && l.ServerName != "" {
		if ap, err := netip.ParseAddrPort(l.ServerName); err == nil {
			s = addr(ap, short)
		} else {
			s = OneLine(l.ServerName, 80)
		}
	}
	if c == "" {
		return s
	}
	return c + "→" + s
}

func addr(a netip.AddrPort, short bool) string {
	if !a.IsValid() {
		return ""
	}
	if short || a.Addr().IsLoopback() {
		return ":" + strconv.Itoa(int(a.Port()))
	}
	return a.String()
}

// WorstFinding returns the finding that a row of the list shows, nil when there
// is none. again says that it only repeats an earlier one, which counts.
func WorstFinding(r *session.Row) (f *diagnose.Finding, again bool) {
	for _, x := range r.Findings {
		if x.Counts() {
			return x, false
		}
		if f == nil && x.FoldedInto != nil {
			f = x
		}
	}
	return f, f != nil
}

// SeverityLetter is the sign of a severity that needs no colour.
func SeverityLetter(s diagnose.Severity, w *lang.Words) string {
	switch s {
	case diagnose.Error:
		return w.LetterError
	case diagnose.Warning:
		return w.LetterWarning
	case diagnose.Info:
		return w.LetterInfo
	}
	return ""
}

// SeverityWord is the word for a severity.
func SeverityWord(s diagnose.Severity, w *lang.Words) string {
	switch s {
	case diagnose.Error:
		return w.Error
	case diagnose.Warning:
		return w.Warning
	case diagnose.Info:
		return w.Info
	}
	return ""
}

// SeverityHead is letter and word, or only the word where it begins with the letter.
func SeverityHead(s diagnose.Severity, w *lang.Words) string {
	letter, word := SeverityLetter(s, w), SeverityWord(s, w)
	if strings.HasPrefix(word, letter) {
		return word
	}
	return letter + " " + word
}

// Label puts a head before a text: a blank between them, but none behind a
// full-width colon, which is as wide as one.
func Label(head, text string) string {
	if strings.HasSuffix(head, "：") {
		return head + text
	}
	return head + " " + text
}

// At returns a place in time as the clock of the screen shows it.
func (p Props) At(t time.Time) string {
	if p.Zone != nil && !t.IsZero() {
		t = t.In(p.Zone)
	}
	return Clock(t)
}

// FileName is the name of an input for people: without its folder.
func FileName(name string, w *lang.Words) string {
	if name == "-" {
		return w.StandardInput
	}
	return OneLine(filepath.Base(name), 60)
}

// SplitPlace takes a place apart: side "request", "response" or "exchange";
// kind "line", "header", "query", "trailer", "frame" or ""; name of the field
// or parameter; number of the frame and pointer into it.
func SplitPlace(p decode.Place) (side, kind, name string, frame int, pointer string) {
	s, pointer, _ := strings.Cut(string(p), "#")
	side, rest, _ := strings.Cut(s, "/")
	kind, name, _ = strings.Cut(rest, "/")
	if kind == "frame" {
		frame, _ = strconv.Atoi(name)
	}
	return side, kind, name, frame, pointer
}

// SideName is the word of places for a side.
func SideName(s capture.Side) string {
	if s == capture.Client {
		return "request"
	}
	return "response"
}

// eager is the size up to which a JSON body is parsed to say where it breaks
// off. A larger one is parsed only when a place in it is asked for: showing it
// does not need that.
const eager = 256 << 10

// FrameBody returns what is shown of a frame: the JSON of a gRPC message, else
// its bytes; and the parsed document where there is one. places says that the
// document is needed to find places in it.
func FrameBody(c *decode.Call, s capture.Side, frame int, places bool) ([]byte, *jsontree.Doc) {
	fs := c.Exchange.Frames(s)
	if frame < 0 || frame >= len(fs) {
		return nil, nil
	}
	f := fs[frame].V
	if f.Form == capture.GRPCMessage || LooksJSON(f.Data) && (places || len(f.Data) <= eager) {
		if d := decode.DocAt(c, SideName(s), frame); d != nil {
			return d.Text, d
		}
	}
	return f.Data, nil
}

// LooksJSON reports whether bytes begin as a JSON object or array.
func LooksJSON(b []byte) bool {
	for _, c := range b[:min(len(b), 64)] {
		switch c {
		case ' ', '\t', '\n', '\r', 0xef, 0xbb, 0xbf:
			continue
		case '{', '[':
			return true
		}
		return false
	}
	return false
}
