package pcap

import (
	"net/netip"
	"reflect"
	"testing"

	"a2ascope/capture"
)

// TestTapNotesAreReadBack: what the tap did to an answer stands in front of the
// answer again.
func TestTapNotesAreReadBack(t *testing.T) {
	l := &capture.Link{Client: netip.MustParseAddrPort("127.0.0.1:4000"), Server: netip.MustParseAddrPort("127.0.0.1:80")}
	notes := []capture.Note{{Code: "card-rewritten", Text: "http://a/ became http://b/ (twice)"}, {Code: "card-left", Text: "too large\nfor us"}}
	_, read := saved(t, aTalk(1, *l,
		says(capture.Client, "ask"),
		capture.Chunk{Kind: capture.Noted, From: capture.Server, Note: &notes[0]},
		capture.Chunk{Kind: capture.Noted, From: capture.Server, Note: &notes[1], Stream: 7},
		says(capture.Server, "answer")), nil)
	var got []capture.Chunk
	for _, ch := range read.chunks {
		switch ch.Kind {
		case capture.Noted:
			got = append(got, ch)
		case capture.Bytes:
			if ch.From == capture.Server && len(got) != 2 {
				t.Errorf("the answer comes with %d notes in front of it, want 2", len(got))
			}
		}
	}
	for i := range got {
		if n := got[i].Note; i > 1 || n.Code != notes[i].Code || n.Text != notes[i].Text || got[i].From != capture.Server || got[i].Stream != uint32(7*i) || got[i].Nth != 0 {
			t.Errorf("note %d is %+v, %+v", i, got[i], n)
		}
	}
	if len(got) != 2 {
		t.Errorf("%d notes are read back, want 2", len(got))
	}
	for _, s := range []string{"", tapMark, tapMark + " (", tapMark + " (x", tapMark + ", stream x (c): t", tapMark + ", stream 1", tapMark + " (mark): t", tapMark + "s (c): t"} {
		if _, n, ok := readTap(s); ok {
			t.Errorf("%q is read as %+v", s, n)
		}
	}
}

// TestConnectionsWithoutHTTPAreReadBack: what is known of them, whatever it says.
func TestConnectionsWithoutHTTPAreReadBack(t *testing.T) {
	for _, c := range []struct {
		info capture.ConnInfo
		link capture.Link
	}{
		{capture.ConnInfo{Protocol: "refused", Text: "the connection was refused"}, capture.Link{}},
		{capture.ConnInfo{Protocol: "tls", Sent: [2]int64{517, 7}, Text: "encrypted, no key; server sent alert 40: x"}, capture.Link{TLS: "1.3", ServerName: "a.example", ALPN: "h2"}},
		{capture.ConnInfo{Protocol: "tls", Text: "a): b\nc"}, capture.Link{ServerName: "\"), ALPN \"x\"): \\\n\xff"}},
		{capture.ConnInfo{Protocol: "unknown", Sent: [2]int64{1 << 40, 0}}, capture.Link{ALPN: "h3"}},
	} {
		mark := markWithout(&c.info, &c.link)
		var l capture.Link
		info, ok := readWithout(mark, &l)
		if !ok || !isMark(mark) || !reflect.DeepEqual(*info, c.info) || l != c.link {
			t.Errorf("%q is read as %+v, %+v, %v", mark, info, l, ok)
		}
	}
	for _, s := range []string{"", withoutMark, withoutMark + "ftp, 1 bytes from the client, 2 from the server): x",
		withoutMark + "tls, 99999999999999999999 bytes from the client, 2 from the server): x", withoutMark + "tls, 1 bytes from the client): x"} {
		if info, ok := readWithout(s, &capture.Link{}); ok {
			t.Errorf("%q is read as %+v", s, info)
		}
	}
}

// TestMadeUpAddresses: an address that stands for one that is not known is not
// taken for it when the file is read.
func TestMadeUpAddresses(t *testing.T) {
	known := netip.MustParseAddrPort("127.0.0.1:4000")
	for _, c := range []struct{ link, want capture.Link }{
		{capture.Link{}, capture.Link{}},
		{capture.Link{Client: known}, capture.Link{Client: known}},
		{capture.Link{Server: known}, capture.Link{Server: known}},
		{capture.Link{Client: netip.MustParseAddrPort("192.0.2.1:5"), Server: known}, capture.Link{Client: netip.MustParseAddrPort("192.0.2.1:5"), Server: known}},
		{capture.Link{Midstream: true, Client: known}, capture.Link{Midstream: true, Client: known}},
	} {
		_, read := saved(t, aTalk(1, c.link, says(capture.Client, "GET / HTTP/1.1\r\n\r\n"), capture.Chunk{Kind: capture.Closed}), nil)
		if l := read.chunks[0].Link; l.Client != c.want.Client || l.Server != c.want.Server {
			t.Errorf("%+v is read as %+v", c.link, l)
		}
	}
	for _, s := range []string{"", madeUpMark, madeUpMark + "server", madeUpMark + "proxy: 1.2.3.4:5"} {
		if side, ok := readMadeUp(s); ok {
			t.Errorf("%q is read as %v", s, side)
		}
	}
}
