package wire

import (
	"testing"

	"a2ascope/capture"
)

// TestTheFirstFinCloses: the side whose FIN came first ended the exchange,
// whichever of the two spoke the last word of the connection.
func TestTheFirstFinCloses(t *testing.T) {
	for _, first := range []capture.Side{capture.Client, capture.Server} {
		for _, last := range []capture.Side{capture.Client, capture.Server} {
			second := capture.Client + capture.Server - first
			closed := capture.Chunk{Kind: capture.Closed, From: last}
			events := play(talk{
				cl(lines("POST / HTTP/1.1\nHost: a\nContent-Length: 2\n\n{}")),
				sv(lines("HTTP/1.1 200 OK\nContent-Type: text/event-stream\nTransfer-Encoding: chunked\n\n3\n: a\n")),
				fin(first), fin(second), closed,
			})
			found := false
			for _, e := range events {
				end, ok := e.Body.(*capture.End)
				if !ok {
					continue
				}
				found = true
				if end.Kind != capture.EndClosed || e.From != first {
					t.Errorf("first FIN of %v, last word of %v: ended by %v as %v", first, last, e.From, end.Kind)
				}
			}
			if !found {
				t.Errorf("first FIN of %v: the exchange has no end", first)
			}
		}
	}
}
