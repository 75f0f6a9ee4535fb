package translate_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"a2ascope/capture"
	"a2ascope/capture/har"
	"a2ascope/capture/pcap"
	"a2ascope/capture/script"
	"a2ascope/capture/wire"
	"a2ascope/decode"
	"a2ascope/decode/schema"
	"a2ascope/decode/spec"
	"a2ascope/decode/translate"
)

const root = "../../"

// reader is a sink that keeps every call as it stands at its end.
type reader struct {
	conns   wire.Conns
	readers decode.Readers
	calls   map[capture.ExchangeID]*decode.Call
	order   []capture.ExchangeID
}

func newReader() *reader {
	return &reader{wire.Conns{}, decode.Readers{}, map[capture.ExchangeID]*decode.Call{}, nil}
}

func (r *reader) Chunks(cs []capture.Chunk) error {
	for i := range cs {
		if err := r.Events(r.conns.Feed(&cs[i], nil)); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) Progress(capture.Progress) {}

func (r *reader) Events(es []capture.Event) error {
	for i := range es {
		e := &es[i]
		if e.Exchange != 0 && r.readers[e.Exchange] == nil {
			r.order = append(r.order, e.Exchange)
		}
		if c, at := r.readers.Read(e); at != decode.NoCheckpoint {
			r.calls[e.Exchange] = c
		}
	}
	return nil
}

// each hands over every call of the corpus, the lessons and the examples of rules.
func each(t *testing.T, do func(name string, c *decode.Call)) {
	t.Helper()
	files := 0
	run := func(name string, src capture.Source) {
		files++
		r := newReader()
		if _, err := src.Run(context.Background(), r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, id := range r.order {
			if c := r.calls[id]; c != nil {
				do(name, c)
			}
		}
	}
	captures, _ := filepath.Glob(root + "samples/captures/*.*")
	for _, name := range captures {
		open := pcap.Open
		switch {
		case strings.Contains(name, ".har"):
			open = har.Open
		case !strings.Contains(name, ".pcap"):
			continue
		}
		src, err := open(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		run(filepath.Base(name), src)
	}
	for _, glob := range []string{"rules/*/*.txtar", "samples/*.txtar"} {
		archives, _ := filepath.Glob(root + glob)
		for _, name := range archives {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range txtar.Parse(data).Files {
				if !strings.HasSuffix(f.Name, ".play") {
					continue
				}
				p, err := script.Parse(f.Name, f.Data)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				run(strings.TrimPrefix(name, root)+" "+f.Name, p.Source(script.Options{EncodeGRPC: schema.EncodeGRPC}))
			}
		}
	}
	if files < 300 {
		t.Fatalf("only %d files and plays were read", files)
	}
}

// reread sends a translated conversation, and reads it.
func reread(t *testing.T, was *decode.Call, q *translate.Request, answer []byte, events [][]byte) *decode.Call {
	t.Helper()
	r := newReader()
	at := time.Unix(1000, 0).UTC()
	n := uint64(0)
	send := func(from capture.Side, b capture.EventBody) {
		n++
		at = at.Add(time.Millisecond)
		_ = r.Events([]capture.Event{{Exchange: capture.NewExchangeID(1, 1), Conn: 1, Seq: n, At: at, From: from, Body: b, Link: &capture.Link{}}})
	}
	old := was.Exchange.Request
	form := capture.WholeBody
	if q.Binding == spec.GRPC {
		form = capture.GRPCMessage
	}
	frame := func(from capture.Side, i int, form capture.Form, data []byte) {
		if form == capture.GRPCMessage {
			wire, err := schema.EncodeGRPC(q.Target, from == capture.Server, data)
			if err != nil {
				t.Errorf("%s: what was made does not fit its schema: %v\n%s", q.Target, err, data)
			}
			data = wire
		}
		send(from, &capture.Frame{Seq: i, Form: form, Data: data, Size: int64(len(data)), WireSize: int64(len(data))})
	}
	send(capture.Client, &capture.Head{Proto: old.Proto, Method: q.Verb, Target: q.Target, Authority: old.Authority, Scheme: old.Scheme, Stream: old.Stream, Fields: q.Fields})
	if q.Body != nil {
		frame(capture.Client, 0, form, q.Body)
	}
	send(capture.Client, &capture.BodyEnd{Size: int64(len(q.Body))})
	if answer != nil || events != nil {
		send(capture.Server, &capture.Head{Proto: old.Proto, Status: 200, Fields: was.Exchange.Response.Fields, Stream: old.Stream})
		if events == nil {
			frame(capture.Server, 0, form, answer)
		}
		if form == capture.WholeBody {
			form = capture.SSEEvent
		}
		for i, e := range events {
			frame(capture.Server, i, form, e)
		}
		send(capture.Server, &capture.BodyEnd{})
		if q.Binding == spec.GRPC {
			send(capture.Server, &capture.Trailer{Fields: capture.Fields{{Name: "grpc-status", Value: "0"}}})
		}
	}
	send(capture.Server, &capture.End{})
	return r.calls[capture.NewExchangeID(1, 1)]
}
