package decode

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/decode/schema"
)

// An exchange is written as text:
//
//	POST /a2a            method and target; "grpc /pkg.Service/Method" for gRPC
//	a2a-version: 1.0     fields
//
//	{"jsonrpc":…}        body; for gRPC one JSON message a line
//	---
//	200                  status
//	content-type: …
//
//	data: {…}            with text/event-stream: events parted by blank lines
//	===                  gRPC: trailers follow
//	grpc-status: 0
//	--- reset client     how it ended when not in order: an EndKind, and a side
func events(t testing.TB, text string) []capture.Event {
	t.Helper()
	parts := strings.Split(strings.TrimLeft(text, "\n"), "\n---")
	var out []capture.Event
	at := time.Unix(1000, 0).UTC()
	add := func(from capture.Side, b capture.EventBody) {
		at = at.Add(time.Millisecond)
		out = append(out, capture.Event{Exchange: capture.NewExchangeID(1, 1), Conn: 1, Seq: uint64(len(out)), At: at, From: from, Body: b,
			Link: &capture.Link{Source: "script"}})
	}
	path := ""
	for i, part := range parts {
		if i > 0 {
			first, _, _ := strings.Cut(part, "\n")
			if kind := strings.Fields(first); len(kind) > 0 {
				end := &capture.End{}
				for k := capture.EndDone; k <= capture.EndUnreachable; k++ {
					if k.String() == kind[0] {
						end.Kind = k
					}
				}
				side := capture.Server
				if len(kind) > 1 && kind[1] == "client" {
					side = capture.Client
				}
				out = slices.DeleteFunc(out, func(e capture.Event) bool { _, is := e.Body.(*capture.BodyEnd); return is && e.From == capture.Server })
				add(side, end)
				return out
			}
			part = strings.TrimPrefix(part, "\n")
		}
		head, body, _ := strings.Cut(part, "\n\n")
		lines := strings.Split(strings.Trim(head, "\n"), "\n")
		h := &capture.Head{Proto: "HTTP/1.1"}
		for _, l := range lines[1:] {
			k, v, _ := strings.Cut(l, ":")
			h.Fields = append(h.Fields, capture.Field{Name: k, Value: strings.TrimSpace(v)})
		}
		from := capture.Client
		if i == 0 {
			h.Method, h.Target, _ = strings.Cut(lines[0], " ")
			if h.Method == "grpc" {
				h.Method, h.Proto = "POST", "HTTP/2"
				h.Fields = append(h.Fields, capture.Field{Name: "content-type", Value: "application/grpc"})
				path = h.Target
			}
		} else {
			from = capture.Server
			status, reason, _ := strings.Cut(lines[0], " ")
			n, err := strconv.Atoi(status)
			if err != nil {
				t.Fatalf("status %q", lines[0])
			}
			h.Status, h.Reason = n, reason
		}
		if i == 0 && lines[0] == "none" {
			continue
		}
		add(from, h)
		body, trailer, _ := strings.Cut(body, "===\n")
		sendBody(t, h, body, path, from, add)
		if trailer != "" {
			tr := &capture.Trailer{}
			for _, l := range strings.Split(strings.Trim(trailer, "\n"), "\n") {
				k, v, _ := strings.Cut(l, ":")
				tr.Fields = append(tr.Fields, capture.Field{Name: k, Value: strings.TrimSpace(v)})
			}
			add(from, tr)
		}
		add(from, &capture.BodyEnd{Size: int64(len(body))})
	}
	add(capture.Server, &capture.End{})
	return out
}

func sendBody(t testing.TB, h *capture.Head, body, path string, from capture.Side, add func(capture.Side, capture.EventBody)) {
	t.Helper()
	seq := 0
	frame := func(form capture.Form, data []byte, event string) {
		add(from, &capture.Frame{Seq: seq, Form: form, Data: data, Size: int64(len(data)), WireSize: int64(len(data)), Event: event})
		seq++
	}
	body = strings.Trim(body, "\n")
	switch {
	case body == "":
	case h.MediaType() == "text/event-stream":
		for _, ev := range strings.Split(body, "\n\n") {
			var data []string
			name := ""
			comment := false
			for _, l := range strings.Split(ev, "\n") {
				switch {
				case strings.HasPrefix(l, "data: "):
					data = append(data, l[6:])
				case strings.HasPrefix(l, "event: "):
					name = l[7:]
				case strings.HasPrefix(l, ":"):
					comment = true
				}
			}
			if comment {
				frame(capture.SSEComment, []byte("keep-alive"), "")
				continue
			}
			frame(capture.SSEEvent, []byte(strings.Join(data, "\n")), name)
		}
	case strings.HasPrefix(h.MediaType(), "application/grpc"):
		for _, l := range strings.Split(body, "\n") {
			if strings.HasPrefix(l, "hex ") {
				frame(capture.GRPCMessage, unhexAll(t, l[4:]), "")
				continue
			}
			wire, err := schema.EncodeGRPC(path, from == capture.Server, []byte(l))
			if err != nil {
				t.Fatalf("encode %s for %s: %v", l, path, err)
			}
			frame(capture.GRPCMessage, wire, "")
		}
	default:
		frame(capture.WholeBody, []byte(body), "")
	}
}

func unhexAll(t testing.TB, s string) []byte {
	var b []byte
	for _, w := range strings.Fields(s) {
		n, err := strconv.ParseUint(w, 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, byte(n))
	}
	return b
}

// checked is a call at a checkpoint.
type checked struct {
	call *Call
	at   Checkpoint
}

// readAll feeds events and returns the calls in order.
func readAll(es []capture.Event) []checked {
	r := NewReader()
	var x *capture.Exchange
	var out []checked
	for i := range es {
		x = x.Apply(&es[i])
		if c, at := r.Read(x, &es[i]); at != NoCheckpoint {
			out = append(out, checked{c, at})
		}
	}
	return out
}

// read returns the last call of an exchange.
func read(t testing.TB, text string) *Call {
	t.Helper()
	cs := readAll(events(t, text))
	if len(cs) == 0 || cs[len(cs)-1].at != AtEnd {
		t.Fatalf("the exchange did not end with %s: %v", AtEnd, cs)
	}
	return cs[len(cs)-1].call
}

// want checks that the dump of the last call has the lines (without their
// indent); a line that begins with ! must not be there, and one that ends in …
// is the beginning of one.
func want(t *testing.T, text, lines string) {
	t.Helper()
	dump := Dump(read(t, text))
	have := strings.Split(dump, "\n")
	for i := range have {
		have[i] = strings.Join(strings.Fields(have[i]), " ")
	}
	for _, l := range strings.Split(strings.TrimSpace(lines), "\n") {
		l = strings.Join(strings.Fields(l), " ")
		l, not := strings.CutPrefix(l, "!")
		begin, prefix := strings.CutSuffix(l, "…")
		found := slices.ContainsFunc(have, func(h string) bool { return h == l || prefix && strings.HasPrefix(h, begin) })
		if found == not {
			t.Errorf("line %q (there: %v) in\n%s", l, found, dump)
		}
	}
}
