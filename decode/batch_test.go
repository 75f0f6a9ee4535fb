package decode_test

import (
	"path/filepath"
	"testing"

	"a2ascope/capture"
	"a2ascope/decode"
)

// TestBatchEndsTheSame: what is kept back while a batch lasts changes nothing
// of what a call is in the end, on the whole corpus.
func TestBatchEndsTheSame(t *testing.T) {
	files, err := filepath.Glob("../samples/captures/*.pcap")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d captures: %v", len(files), err)
	}
	kept := 0
	for _, name := range files {
		want := readFile(t, name)
		for _, c := range want {
			r := decode.NewReader()
			r.Batch = true
			var x *capture.Exchange
			var last *decode.Call
			for _, e := range replayed(c.Exchange) {
				x = x.Apply(&e)
				if call, at := r.Read(x, &e); at != decode.NoCheckpoint {
					last = call
				} else if _, ok := e.Body.(*capture.Frame); ok {
					kept++
				}
			}
			if got, want := decode.Dump(last.Compact()), decode.Dump(c.Compact()); got != want {
				t.Errorf("%s: %s", name, firstDifference(got, want))
			}
		}
	}
	if kept == 0 {
		t.Error("nothing was kept back: the test does not test")
	}
}

// replayed lists events that lead to the exchange, in an order that it may have had.
func replayed(x *capture.Exchange) []capture.Event {
	var es []capture.Event
	add := func(s capture.Side, b capture.EventBody) {
		es = append(es, capture.Event{Exchange: x.ID, Conn: x.Conn, Link: x.Link, At: x.Started, From: s, Body: b})
	}
	if x.Request != nil {
		add(capture.Client, x.Request)
	}
	for _, f := range x.Sent {
		add(capture.Client, f.V)
	}
	if x.SentDone {
		add(capture.Client, &capture.BodyEnd{Size: x.SentSize})
	}
	for _, h := range x.Interim {
		add(capture.Server, h)
	}
	if x.Response != nil {
		add(capture.Server, x.Response)
	}
	for _, f := range x.Received {
		add(capture.Server, f.V)
	}
	if x.Trailer != nil {
		add(capture.Server, x.Trailer)
	}
	if x.ReceivedDone {
		add(capture.Server, &capture.BodyEnd{Size: x.ReceivedSize})
	}
	for _, b := range x.Breaches {
		add(b.V.From, b.V.V)
	}
	if x.End != nil {
		add(x.EndedBy, x.End)
	}
	return es
}
