package decode

import (
	"testing"

	"a2ascope/capture"
	"a2ascope/decode/spec"
)

func TestReadConnection(t *testing.T) {
	for _, c := range []struct {
		info   capture.ConnInfo
		judged bool
		by     capture.Side
		tls    bool
	}{
		{capture.ConnInfo{Protocol: "refused", Text: "the connection was refused"}, true, capture.Server, false},
		{capture.ConnInfo{Protocol: "tls", Text: "encrypted, no key"}, false, 0, false},
		{capture.ConnInfo{Protocol: "tls", Text: "encrypted, no key; the client sent alert 48 (unknown CA)"}, true, capture.Client, false},
		{capture.ConnInfo{Protocol: "tls", Text: "encrypted, no key; the client sent alert 90 (user canceled)"}, false, 0, false},
		{capture.ConnInfo{Protocol: "unknown", Text: "the connection is HTTP/2 without TLS and the answer is a TLS alert"}, true, capture.Server, true},
		{capture.ConnInfo{Protocol: "unknown", Text: "no HTTP was found in it"}, false, 0, false},
		{capture.ConnInfo{Protocol: "empty"}, false, 0, false},
	} {
		got := ReadConnection(&capture.Event{Conn: 3, Body: &c.info})
		if got == nil {
			if c.judged {
				t.Errorf("%+v: not judged", c.info)
			}
			continue
		}
		x := got.Exchange
		if !c.judged || got.Kind != spec.KindConnection || got.Outcome != spec.TransportError || x.EndedBy != c.by || x.End.Text != c.info.Text || onlyConnection(x) != c.tls {
			t.Errorf("%+v: %+v", c.info, got)
		}
		if x.ID == 0 || x.ID.Conn() != 3 || x.ID == capture.NewExchangeID(3, 1) {
			t.Errorf("id %d is not one of its own", x.ID)
		}
	}
	if ReadConnection(&capture.Event{Body: &capture.Head{}}) != nil {
		t.Error("an event that is about no connection")
	}
}
