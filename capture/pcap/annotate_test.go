package pcap

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
)

// TestAnnotate: each remark goes to the first packet of its client at or after
// its time, behind the comments that are there; all else stays.
func TestAnnotate(t *testing.T) {
	at := time.Date(2025, 1, 2, 3, 4, 5, 6, time.UTC)
	client, server := netip.MustParseAddrPort("[2001:db8::1]:4000"), netip.MustParseAddrPort("[2001:db8::2]:80")
	var file bytes.Buffer
	w := NewWriter(&file, "about")
	l := &capture.Link{Client: client, Server: server}
	for i, ch := range []capture.Chunk{
		{Kind: capture.Opened, Link: l},
		{Kind: capture.Bytes, From: capture.Client, Data: []byte("first")},
		{Kind: capture.Bytes, From: capture.Server, Data: []byte("answer")},
		{Kind: capture.Bytes, From: capture.Client, Data: []byte("second")},
	} {
		ch.Conn, ch.At = 1, at.Add(time.Duration(i)*time.Second)
		comments := []string{"there"}[:i/3]
		if err := w.Chunk(&ch, comments...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	remarks := []Remark{
		{Client: client, Server: server, At: at.Add(3 * time.Second), Comments: []string{"of the second", MarkNote(2, capture.Note{Code: capture.NoteComment, Text: "x\ny"})}},
		{Client: client, At: at, Comments: []string{"of the first"}},
		{Client: client, Server: client, At: at, Comments: []string{"of nobody"}},
		{Client: client, At: at.Add(time.Hour), Comments: []string{"too late"}},
	}
	var out bytes.Buffer
	if err := Annotate(&out, bytes.NewReader(file.Bytes()), remarks); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, s := range []string{"first", "of the first", "answer", "second", "there", "of the second", "note on exchange 2"} {
		i := strings.Index(out.String(), s)
		if i < 0 {
			t.Fatalf("%q is not in it", s)
		}
		order = append(order, s)
		if n := len(order); n > 1 && strings.Index(out.String(), order[n-2]) > i {
			t.Errorf("%q comes before %q", s, order[n-2])
		}
	}
	if s := out.String(); strings.Contains(s, "of nobody") || strings.Contains(s, "too late") {
		t.Error("remarks without a packet are in it")
	}
	var said []capture.Chunk
	read, _, err := run(t, out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, ch := range read.chunks {
		if ch.Kind == capture.Noted {
			said = append(said, ch)
		}
	}
	if len(said) != 1 || said[0].Nth != 2 || said[0].Note.Code != capture.NoteComment || said[0].Note.Text != "x\ny" {
		t.Errorf("read back: %+v", said)
	}
	var same bytes.Buffer
	if err := Annotate(&same, bytes.NewReader(file.Bytes()), nil); err != nil || !bytes.Equal(same.Bytes(), file.Bytes()) {
		t.Errorf("without remarks it is another file (%v)", err)
	}
	if err := Annotate(&same, bytes.NewReader(file.Bytes()[:file.Len()-1]), remarks); err == nil {
		t.Error("a file that is cut is taken for a whole one")
	}
	if err := Annotate(&same, strings.NewReader(strings.Repeat("\xff", 64)), remarks); err == nil {
		t.Error("damage is not noticed")
	}
}
