package wire

import (
	"testing"
	"time"

	"a2ascope/capture"
)

// read feeds chunks to a connection and folds the events of its exchanges.
func readNotes(t *testing.T, chunks ...capture.Chunk) map[capture.ExchangeID]*capture.Exchange {
	t.Helper()
	c := NewConn(1)
	xs := map[capture.ExchangeID]*capture.Exchange{}
	for i := range chunks {
		chunks[i].Conn, chunks[i].Seq, chunks[i].At = 1, uint64(i+1), time.Unix(int64(i), 0)
		for _, e := range c.Feed(&chunks[i], nil) {
			if e.Exchange != 0 {
				xs[e.Exchange] = xs[e.Exchange].Apply(&e)
			}
		}
	}
	return xs
}

func TestANoteGoesToTheExchangeWhoseAnswerComesNext(t *testing.T) {
	xs := readNotes(t,
		capture.Chunk{Kind: capture.Opened, Link: &capture.Link{}},
		capture.Chunk{Kind: capture.Bytes, Data: []byte("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n")},
		capture.Chunk{Kind: capture.Bytes, From: capture.Server, Data: []byte("HTTP/1.1 204 No\r\n\r\n")},
		capture.Chunk{Kind: capture.Noted, From: capture.Server, Note: &capture.Note{Code: "card-rewritten", Delivered: []byte("x")}},
		capture.Chunk{Kind: capture.Bytes, From: capture.Server, Data: []byte("HTTP/1.1 204 No\r\n\r\n")},
		capture.Chunk{Kind: capture.Noted, From: capture.Server, Note: &capture.Note{Code: "late"}},
	)
	first, second := xs[capture.NewExchangeID(1, 1)], xs[capture.NewExchangeID(1, 2)]
	if len(first.Notes) != 0 || len(second.Notes) != 1 || second.Notes[0].Code != "card-rewritten" {
		t.Errorf("notes: first %v, second %v", first.Notes, second.Notes)
	}
}

func TestAnUnreachableAgentEndsTheExchange(t *testing.T) {
	xs := readNotes(t,
		capture.Chunk{Kind: capture.Opened, Link: &capture.Link{}},
		capture.Chunk{Kind: capture.Bytes, Data: []byte("GET /a HTTP/1.1\r\n\r\n")},
		capture.Chunk{Kind: capture.Closed, Err: capture.Unreachable + "connection refused"},
	)
	x := xs[capture.NewExchangeID(1, 1)]
	if x.End == nil || x.End.Kind != capture.EndUnreachable || x.End.Text != "connection refused" {
		t.Errorf("end: %+v", x.End)
	}
}
