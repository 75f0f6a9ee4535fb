package har

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/capture/pcap"
	"a2ascope/capture/wire"
)

// folding is a sink that builds exchanges, from bytes and from messages.
type folding struct {
	conns wire.Conns
	byID  map[capture.ExchangeID]*capture.Exchange
	order []capture.ExchangeID
}

func newFolding() *folding {
	return &folding{wire.Conns{}, map[capture.ExchangeID]*capture.Exchange{}, nil}
}

func (f *folding) Chunks(cs []capture.Chunk) error {
	var es []capture.Event
	for i := range cs {
		es = f.conns.Feed(&cs[i], es)
	}
	return f.Events(es)
}

func (f *folding) Events(es []capture.Event) error {
	for i := range es {
		id := es[i].Exchange
		if id == 0 {
			continue
		}
		if f.byID[id] == nil {
			f.order = append(f.order, id)
		}
		f.byID[id] = f.byID[id].Apply(&es[i])
	}
	return nil
}

func (f *folding) Progress(capture.Progress) {}

func (f *folding) exchanges() []*capture.Exchange {
	var xs []*capture.Exchange
	for _, id := range f.order {
		xs = append(xs, f.byID[id])
	}
	return xs
}

func readSource(t testing.TB, src capture.Source, err error) []*capture.Exchange {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	f := newFolding()
	if _, err := src.Run(context.Background(), f); err != nil {
		t.Fatal(err)
	}
	return f.exchanges()
}

func export1(t testing.TB, xs []*capture.Exchange, o Options) []byte {
	t.Helper()
	o.Creator, o.Version = "a2ascope", "test"
	var out bytes.Buffer
	w := NewWriter(&out, o)
	for i, x := range xs {
		if err := w.Exchange(x, fmt.Appendf(nil, `{"n":%d}`, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out.Bytes()) {
		t.Fatalf("no JSON: %.500s", out.Bytes())
	}
	return out.Bytes()
}

func import1(t testing.TB, har []byte) []*capture.Exchange {
	t.Helper()
	k, sum, err := streamed(string(har), false)
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Damage) > 0 {
		t.Errorf("damage: %v", sum.Damage)
	}
	f := newFolding()
	_ = f.Events(k.events)
	return f.exchanges()
}

// full writes everything of an exchange that a HAR keeps.
func full(x *capture.Exchange) string {
	var b strings.Builder
	us := func(t time.Time) string {
		if t.IsZero() {
			return "never"
		}
		return t.Truncate(time.Microsecond).Format("15:04:05.000000")
	}
	head := func(h *capture.Head) {
		if h == nil {
			b.WriteString("  no head\n")
			return
		}
		c := *h
		c.Raw = nil
		fmt.Fprintf(&b, "  %+v\n", c)
	}
	l := *x.Link
	l.Source = ""
	fmt.Fprintf(&b, "%s %+v\n", us(x.Started), l)
	head(x.Request)
	for _, h := range x.Interim {
		head(h)
	}
	fmt.Fprintf(&b, "  answered %s\n", us(x.Answered))
	head(x.Response)
	for side := range capture.Side(2) {
		for _, t := range x.Frames(side) {
			f := *t.V
			f.Raw = nil
			fmt.Fprintf(&b, "  %s %s %s %q %+v\n", side, us(t.At), f.Form, f.Data, f)
		}
	}
	fmt.Fprintf(&b, "  done %v %d %v %d\n", x.SentDone, x.SentSize, x.ReceivedDone, x.ReceivedSize)
	for _, t := range []*capture.Trailer{x.SentTrailer, x.Trailer} {
		if t != nil {
			fmt.Fprintf(&b, "  trailer %v %+v\n", t.Only, t.Fields)
		}
	}
	for _, side := range []capture.Side{capture.Client, capture.Server} {
		for _, br := range x.Breaches {
			if br.V.From == side {
				fmt.Fprintf(&b, "  %s %s %+v\n", side, us(br.At), *br.V.V)
			}
		}
	}
	for _, n := range x.Notes {
		fmt.Fprintf(&b, "  note %+v\n", n)
	}
	if x.End == nil {
		b.WriteString("  open\n")
	} else {
		fmt.Fprintf(&b, "  end %+v %s %s\n", *x.End, us(x.Ended), x.EndedBy)
	}
	return b.String()
}

func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "(nothing)", "(nothing)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d\n got %.1500s\nwant %.1500s", i+1, a, b)
		}
	}
	return "equal"
}

// maskEach is a redactor that leaves alone what it has masked.
var maskEach = &Redactor{
	Header: func(name, v string) string {
		if strings.EqualFold(name, "authorization") || strings.EqualFold(name, "user-agent") {
			return "[masked]"
		}
		return v
	},
	Text: func(s string) string { return strings.ReplaceAll(s, "secret", "[m]") },
	Body: func(_ capture.Side, f *capture.Frame) []byte {
		return bytes.ReplaceAll(f.Data, []byte("messageId"), []byte("[masked]"))
	},
}

func maskAll(*capture.Exchange) *Redactor { return maskEach }

// TestWriteCorpus: an exported capture is read back as what it was, and
// exported again it is the same file, masked or not.
func TestWriteCorpus(t *testing.T) {
	const corpus = "../../samples/captures/"
	var names []string
	for _, pattern := range []string{"*.pcap", "*.pcapng", "*.pcap.gz", "*.har"} {
		n, err := filepath.Glob(corpus + pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, n...)
	}
	if len(names) == 0 {
		t.Skip("the captures are not here")
	}
	total := 0
	for _, name := range names {
		open := pcap.Open
		if strings.HasSuffix(name, ".har") {
			open = Open
		}
		src, err := open(name)
		xs := readSource(t, src, err)
		total += len(xs)
		plain := export1(t, xs, Options{Unmasked: true})
		again := import1(t, plain)
		if len(again) != len(xs) {
			t.Errorf("%s: %d exchanges, want %d", name, len(again), len(xs))
			continue
		}
		for i := range xs {
			if got, want := full(again[i]), full(xs[i]); got != want {
				t.Errorf("%s: exchange %d: %s", name, i+1, difference(got, want))
				break
			}
		}
		if second := export1(t, again, Options{Unmasked: true}); !bytes.Equal(second, plain) {
			t.Errorf("%s: exported again: %s", name, difference(string(second), string(plain)))
		}
		masked := export1(t, xs, Options{Redact: maskAll})
		if bytes.Contains(masked, []byte(`"messageId"`)) || bytes.Contains(masked, []byte(`\"messageId\"`)) {
			t.Errorf("%s: what was to be masked is in the file", name)
		}
		if second := export1(t, import1(t, masked), Options{Redact: maskAll}); !bytes.Equal(second, masked) {
			t.Errorf("%s: masked and exported again: %s", name, difference(string(second), string(masked)))
		}
	}
	if total < 300 {
		t.Errorf("only %d exchanges", total)
	}
}

// TestWriteForOthers: without the member that is ours, as another program
// would read and write it, heads, bodies, events with times, and trailers are there.
func TestWriteForOthers(t *testing.T) {
	at := func(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }
	frame := func(ms int, form capture.Form, data, event string) capture.Timed[*capture.Frame] {
		return capture.Timed[*capture.Frame]{At: at(ms), V: &capture.Frame{Form: form, Data: []byte(data), Size: int64(len(data)), WireSize: int64(len(data)), Event: event}}
	}
	sse := &capture.Exchange{
		Started: at(0), Answered: at(20), Ended: at(90), SentDone: true, ReceivedDone: true, End: &capture.End{Kind: capture.EndDone},
		Request: &capture.Head{Proto: "HTTP/1.1", Method: "POST", Scheme: "http", Authority: "agent:9001", Target: "/rpc?x=1&y=a%20b",
			Fields: capture.Fields{{Name: "Host", Value: "agent:9001"}, {Name: "A2A-Version", Value: "1.0"}, {Name: "Content-Type", Value: "application/json"}}},
		Response: &capture.Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: capture.Fields{{Name: "Content-Type", Value: "text/event-stream"}}},
		Sent:     []capture.Timed[*capture.Frame]{frame(5, capture.WholeBody, `{"a":"é\u0000"}`, "")},
		Received: []capture.Timed[*capture.Frame]{frame(30, capture.SSEEvent, `{"n":1}`, ""), frame(40, capture.SSEComment, "ping", ""), frame(80, capture.SSEEvent, "two\nlines", "done")},
	}
	grpc := &capture.Exchange{
		Started: at(100), Answered: at(120), Ended: at(130), SentDone: true, ReceivedDone: true, End: &capture.End{Kind: capture.EndReset, Code: 8, Text: "CANCEL"},
		Request:  &capture.Head{Proto: "HTTP/2", Method: "POST", Scheme: "https", Authority: "agent", Target: "/a2a.v1.A2AService/GetTask", Fields: capture.Fields{{Name: "content-type", Value: "application/grpc"}}},
		Response: &capture.Head{Proto: "HTTP/2", Status: 200, Fields: capture.Fields{{Name: "content-type", Value: "application/grpc"}}},
		Sent:     []capture.Timed[*capture.Frame]{frame(110, capture.GRPCMessage, "\x0a\x07tasks/1", "")},
		Received: []capture.Timed[*capture.Frame]{frame(125, capture.GRPCMessage, "\x0a\x011", ""), frame(126, capture.GRPCMessage, "", "")},
		Trailer:  &capture.Trailer{Fields: capture.Fields{{Name: "grpc-status", Value: "0"}}},
	}
	text := export1(t, []*capture.Exchange{sse, grpc}, Options{Unmasked: true})
	theirs := bytes.ReplaceAll(text, []byte(`"_exchange":`), []byte(`"_else":`))
	k, _, err := streamed(string(theirs), false)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "what others read", dump(k.events, noon), `1.1 client +0s HTTP/1.1 POST http agent:9001 /rpc?x=1&y=a%20b [Host: agent:9001] [A2A-Version: 1.0] [Content-Type: application/json] link(agent invalid AddrPort tls= alpn= har)
1.1 client +5ms body#0 "{\"a\":\"é\\u0000\"}" size=16 wire=16
1.1 client +5ms body-end 16
1.1 server +20ms HTTP/1.1 200 OK [Content-Type: text/event-stream]
1.1 server +30ms sse-event#0 "{\"n\":1}" size=7 wire=14
1.1 server +80ms sse-comment#1 "ping" size=4 wire=6
1.1 server +80ms sse-event#2 "two\nlines" size=9 wire=34 event=done id=
1.1 server +90ms body-end 57
1.1 server +90ms end done 
2.1 client +100ms HTTP/2 POST https agent /a2a.v1.A2AService/GetTask [content-type: application/grpc] link(agent invalid AddrPort tls=yes alpn=h2 har)
2.1 client +110ms grpc-message#0 "\n\atasks/1" size=9 wire=14
2.1 client +110ms body-end 14
2.1 server +120ms HTTP/2 200  [content-type: application/grpc]
2.1 server +130ms grpc-message#0 "\n\x011" size=3 wire=8
2.1 server +130ms grpc-message#1 "" size=0 wire=5
2.1 server +130ms trailer only=false [grpc-status: 0]
2.1 server +130ms body-end 13
2.1 server +130ms end done reset: CANCEL
`)
	for _, has := range []string{
		`"startedDateTime":"2026-11-29T12:00:00.000000Z","time":90,`,
		`"queryString":[{"name":"x","value":"1"},{"name":"y","value":"a b"}]`,
		`"timings":{"blocked":-1,"dns":-1,"connect":-1,"send":5,"wait":15,"receive":70,"ssl":-1}`,
		`"_eventSourceMessages":[{"time":1795953600.03,"eventName":"message","eventId":"","data":"{\"n\":1}"},{"time":1795953600.08,"eventName":"done","eventId":"","data":"two\nlines"}]`,
		`"_trailers":[{"name":"grpc-status","value":"0"}]`, `"_error":"reset: CANCEL"`,
		`"text":"AAAAAAMKATEAAAAAAA==","encoding":"base64"`, `"_a2ascope":{"n":1}`,
	} {
		if !bytes.Contains(text, []byte(has)) {
			t.Errorf("%s is not in\n%s", has, text)
		}
	}
}

// TestWriteOddities: exchanges that no HAR program would write.
func TestWriteOddities(t *testing.T) {
	at := func(us int) time.Time { return noon.Add(time.Duration(us) * time.Microsecond) }
	link := &capture.Link{TLS: "1.3", ALPN: "h2", ServerName: "agent"}
	for name, x := range map[string]*capture.Exchange{
		"response only": {Link: link, Started: at(0), Answered: at(0), Response: &capture.Head{Proto: "HTTP/1.1", Status: 404, Reason: "Not Found"},
			End: &capture.End{Kind: capture.EndDone}, Ended: at(3), EndedBy: capture.Server},
		"upgrade": {Link: link, Started: at(0), Request: &capture.Head{Proto: "HTTP/1.1", Method: "GET", Target: "/"}, Answered: at(1), Response: &capture.Head{Proto: "HTTP/1.1", Status: 101},
			End: &capture.End{Kind: capture.EndUpgraded}, Ended: at(1)},
		"tunnel": {Link: link, Started: at(0), Request: &capture.Head{Proto: "HTTP/1.1", Method: "CONNECT", Authority: "agent:443", Target: "agent:443"},
			End: &capture.End{Kind: capture.EndUnreachable, Text: "no route"}, Ended: at(1)},
		"absolute form, another Host, bytes that are no UTF-8": {Link: link, Started: at(0),
			Request: &capture.Head{Proto: "HTTP/1.1", Method: "GET", Scheme: "http", Authority: "b", Target: "http://a/x?y#z", Fields: capture.Fields{{Name: "Host", Value: "b"}, {Name: ":odd", Value: "\xff\x80é\u2028\x00"}, {Name: "x", Value: "?", Unknown: true}}},
			End:     &capture.End{Kind: capture.EndStillOpen, Text: "capture ended"}, Ended: at(5)},
		"no method, a tail before the start, notes": {Link: link, Started: at(10), Request: &capture.Head{},
			Sent:  []capture.Timed[*capture.Frame]{{At: at(3), V: &capture.Frame{Form: capture.LooseData, Data: []byte("\xff"), Size: 400, WireSize: 7, Lost: -1, Cut: true}}},
			Notes: []capture.Note{{Code: "card-rewritten", Text: "changed", Original: []byte("{}"), Delivered: []byte("\x00\xff")}},
			End:   &capture.End{Kind: capture.EndGoAway, Code: 11}, Ended: at(11)},
		"interim": {Link: link, Started: at(0), Request: &capture.Head{Proto: "HTTP/2", Method: "POST", Target: "*", Stream: 5}, Interim: []*capture.Head{{Proto: "HTTP/2", Status: 103, Stream: 5, Fields: capture.Fields{{Name: "link", Value: "x"}}}},
			Answered: at(2), Response: &capture.Head{Proto: "HTTP/2", Status: 999, Stream: 5}, Trailer: &capture.Trailer{Only: true}, ReceivedDone: true,
			Breaches: []capture.Timed[capture.Sided[*capture.Breach]]{{At: at(1), V: capture.Sided[*capture.Breach]{From: capture.Server, V: &capture.Breach{Code: capture.BreachLost, Text: "lost", Lost: 5}}}},
			End:      &capture.End{Kind: capture.EndDone}, Ended: at(3)},
	} {
		text := export1(t, []*capture.Exchange{x}, Options{Unmasked: true})
		again := import1(t, text)
		if len(again) != 1 {
			t.Errorf("%s: %d exchanges", name, len(again))
			continue
		}
		for _, h := range []*capture.Head{x.Request, x.Response} {
			if h != nil && h.Fields == nil {
				h.Fields = capture.Fields{}
			}
		}
		if x.Trailer != nil {
			x.Trailer.Fields = capture.Fields{}
		}
		if got, want := full(again[0]), full(x); got != want {
			t.Errorf("%s: %s", name, difference(got, want))
		}
		if second := export1(t, again, Options{Unmasked: true}); !bytes.Equal(text, second) {
			t.Errorf("%s: exported again: %s", name, difference(string(second), string(text)))
		}
	}
	open := export1(t, []*capture.Exchange{{Started: noon, Request: &capture.Head{Method: "GET", Target: "/"}}}, Options{Unmasked: true})
	if x := import1(t, open)[0]; x.End == nil || x.End.Kind != capture.EndStillOpen {
		t.Errorf("an open exchange ends with %+v", x.End)
	} else if second := export1(t, []*capture.Exchange{x}, Options{Unmasked: true}); !bytes.Equal(open, second) {
		t.Errorf("open: %s", difference(string(second), string(open)))
	}
}

// TestWriteEdited: an entry whose body another program has changed is read as
// what it says now.
func TestWriteEdited(t *testing.T) {
	x := &capture.Exchange{Started: noon, Request: &capture.Head{Proto: "HTTP/1.1", Method: "POST", Scheme: "http", Authority: "a", Target: "/"},
		Sent: []capture.Timed[*capture.Frame]{{At: noon, V: &capture.Frame{Data: []byte("before"), Size: 6, WireSize: 6}}}, SentDone: true, SentSize: 6}
	text := export1(t, []*capture.Exchange{x}, Options{Unmasked: true})
	got := import1(t, bytes.ReplaceAll(text, []byte("before"), []byte("afterwards")))[0]
	if b := got.Body(capture.Client); b == nil || string(b.Data) != "afterwards" || got.Request.Target != "/" {
		t.Errorf("%s", full(got))
	}
}

func TestWriteRefuses(t *testing.T) {
	var out bytes.Buffer
	if err := NewWriter(&out, Options{}).Close(); err == nil || out.Len() > 0 {
		t.Errorf("to write secrets must be asked for: %v", err)
	}
	w := NewWriter(&out, Options{Unmasked: true})
	if err := w.Exchange(&capture.Exchange{}, []byte("{")); err == nil || w.Close() == nil {
		t.Error("what is no JSON must not be added")
	}
	w = NewWriter(&out, Options{Unmasked: true})
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if w.Close() == nil {
		t.Error("a second Close must say that the file is complete")
	}
	w = NewWriter(full0{}, Options{Unmasked: true})
	if err := w.Close(); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

var errFull = errors.New("disk full")

type full0 struct{}

func (full0) Write([]byte) (int, error) { return 0, errFull }

func TestDecimal(t *testing.T) {
	for us, want := range map[int64]string{0: "0", 1: "0.001", -1: "-0.001", 1000: "1", 1234567: "1234.567", -20500: "-20.5"} {
		if got := millis(us); got != want {
			t.Errorf("%d: %s", us, got)
		}
	}
}

// FuzzWrite: any stream that is read is written so that it is read the same.
func FuzzWrite(f *testing.F) {
	for _, s := range []string{
		"data: {\"a\":1}\n\n: ping\n\nid: 1\nevent: x\ndata: a\ndata: b\n\n", "retry: 5\r\n\r\ndata\r\rdata: x: y\n:c\nfoo: bar\ndata: z\n\n", "data: cut", "\xef\xbb\xbfdata: \xff\n\nData: no\n\n", "{}\n{}\n",
	} {
		f.Add([]byte(s), true, false)
	}
	f.Add([]byte("\x00\x00\x00\x00\x01x\x01\x00\x00\x00\x02ab\x00\x00\x00"), false, true)
	f.Fuzz(func(t *testing.T, body []byte, sse, grpc bool) {
		media := "application/json"
		if sse {
			media = "text/event-stream"
		} else if grpc {
			media = "application/grpc"
		}
		h := &capture.Head{Proto: "HTTP/2", Status: 200, Fields: capture.Fields{{Name: "content-type", Value: media}}}
		x := &capture.Exchange{Link: &capture.Link{}, Started: noon, Answered: noon, Response: h, Request: &capture.Head{Proto: "HTTP/2", Method: "POST", Target: "/", Fields: capture.Fields{}}}
		for i, u := range wire.Units(capture.Server, h, body) {
			x.Absorb(&capture.Event{At: noon.Add(time.Duration(i) * time.Millisecond), From: capture.Server, Body: u})
		}
		x.Absorb(&capture.Event{At: noon.Add(time.Second), From: capture.Server, Body: &capture.End{Kind: capture.EndDone}})
		first := export1(t, []*capture.Exchange{x}, Options{Unmasked: true})
		again := import1(t, first)
		if got, want := full(again[0]), full(x); got != want {
			t.Errorf("%q: %s", body, difference(got, want))
		}
		if second := export1(t, again, Options{Unmasked: true}); !bytes.Equal(second, first) {
			t.Errorf("%q: exported again: %s", body, difference(string(second), string(first)))
		}
	})
}
