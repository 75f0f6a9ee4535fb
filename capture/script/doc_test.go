package script

import (
	"os"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/capture/wire"
)

// examples returns the plays of docs/PLAY.md.
func examples(t *testing.T) []string {
	t.Helper()
	doc, err := os.ReadFile("../../docs/PLAY.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(doc), "```play\n")
	if len(parts) < 6 {
		t.Fatal("docs/PLAY.md has no examples")
	}
	var plays []string
	for _, p := range parts[1:] {
		p, _, _ = strings.Cut(p, "```")
		plays = append(plays, p)
	}
	return plays
}

// exchanges reads chunks the way a session does.
func exchanges(cs []capture.Chunk) []*capture.Exchange {
	conns := wire.Conns{}
	byID := map[capture.ExchangeID]*capture.Exchange{}
	var order []capture.ExchangeID
	for i := range cs {
		for _, e := range conns.Feed(&cs[i], nil) {
			if e.Exchange == 0 {
				continue
			}
			if byID[e.Exchange] == nil {
				order = append(order, e.Exchange)
			}
			byID[e.Exchange] = byID[e.Exchange].Apply(&e)
		}
	}
	var xs []*capture.Exchange
	for _, id := range order {
		xs = append(xs, byID[id])
	}
	return xs
}

// The examples of the documentation are plays, and what they say is read back
// from their bytes without a breach.
func TestDocumentation(t *testing.T) {
	count := 0
	for i, text := range examples(t) {
		xs := exchanges(perform(t, text))
		count += len(xs)
		for _, x := range xs {
			if x.Request == nil || x.End == nil || !x.SentDone {
				t.Errorf("example %d: exchange %x is not whole: %+v", i+1, uint64(x.ID), x)
			}
			for _, b := range x.Breaches {
				t.Errorf("example %d: %s %s", i+1, b.V.V.Code, b.V.V.Text)
			}
		}
	}
	if count != 9 {
		t.Errorf("%d exchanges in the examples", count)
	}
}

func TestReadBack(t *testing.T) {
	plays := examples(t)
	call := exchanges(perform(t, plays[0]))[0]
	if string(call.Body(capture.Client).Data) != "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"GetTask\",\n \"params\": {\"id\": \"t1\"}}" ||
		call.Answered.Sub(call.Started) != 12*time.Millisecond || call.End.Kind != capture.EndDone {
		t.Errorf("%+v", call)
	}
	stream := exchanges(perform(t, plays[2]))[0]
	if stream.End.Kind != capture.EndReset || len(stream.Received) != 3 || stream.Received[0].V.Form != capture.SSEComment || !stream.Received[2].V.Cut {
		t.Errorf("%+v", stream)
	}
	grpc := exchanges(perform(t, plays[4]))
	if len(grpc) != 2 || grpc[0].Trailer == nil || !grpc[0].Trailer.Only || grpc[0].Trailer.Fields.Get("grpc-status") != "5" ||
		len(grpc[1].Received) != 1 || grpc[1].Received[0].V.Form != capture.GRPCMessage || grpc[1].Trailer.Fields.Get("grpc-status") != "0" {
		t.Errorf("%+v", grpc)
	}
	lanes := exchanges(perform(t, plays[5]))
	if len(lanes) != 2 || string(lanes[0].Body(capture.Server).Data) != "slow" || lanes[0].Ended.Sub(lanes[1].Ended) != time.Second {
		t.Errorf("%+v", lanes)
	}
	silent := exchanges(perform(t, plays[6]))
	if len(silent) != 1 || silent[0].Response != nil || silent[0].Ended.Sub(silent[0].Started) != 30*time.Second || silent[0].End.Kind != capture.EndClosed {
		t.Errorf("%+v", silent)
	}
}
