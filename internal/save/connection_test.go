package save

import (
	"context"
	"fmt"
	"net/netip"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/internal/session"
)

// silent is a source of connections on which nobody speaks HTTP.
type silent struct{}

func (silent) Run(_ context.Context, to capture.Sink) (capture.Summary, error) {
	var cs []capture.Chunk
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for i, talk := range []struct {
		midstream bool
		nameless  bool // the address of the server is not known
		client    string
		server    string
		err       string
	}{
		{err: capture.Refused},
		{err: capture.Unreachable + "the client refused the tap's certificate: remote error: tls: unknown certificate (\"x\"): y"},
		{err: capture.Unreachable + "dial tcp 127.0.0.1:9: connect: connection refused"},
		{},
		{client: "EHLO a\n", server: "250 b"},
		{midstream: true, server: "220 mail"},
		{nameless: true, err: capture.Unreachable + "the client refused the tap's certificate"},
	} {
		c := capture.Chunk{Conn: capture.ConnID(i + 1), At: at.Add(time.Duration(i) * time.Second)}
		put := func(kind capture.ChunkKind, fill func(*capture.Chunk)) {
			k := c
			k.Kind, k.Seq = kind, uint64(len(cs)+1)
			fill(&k)
			cs = append(cs, k)
		}
		put(capture.Opened, func(k *capture.Chunk) {
			k.Link = &capture.Link{Client: netip.MustParseAddrPort(fmt.Sprintf("10.0.0.1:%d", 40000+i)),
				Server: netip.MustParseAddrPort("10.0.0.2:9999"), Source: "proxy", Midstream: talk.midstream}
			if talk.nameless {
				k.Link.Server = netip.AddrPort{}
			}
		})
		for side, text := range [2]string{talk.client, talk.server} {
			if text != "" {
				put(capture.Bytes, func(k *capture.Chunk) { k.From, k.Data = capture.Side(side), []byte(text) })
			}
		}
		put(capture.Closed, func(k *capture.Chunk) { k.Err = talk.err })
	}
	return capture.Summary{}, to.Chunks(cs)
}

func (silent) Close() error { return nil }

// alone are the connections of a view without HTTP.
type alone struct {
	At    time.Time
	Link  capture.Link
	Info  capture.ConnInfo
	Rules string
}

func connectionsOf(v *session.View) (all []alone) {
	for i := range v.Rows.Len() {
		r := v.Rows.At(i)
		if r.Conn == nil {
			continue
		}
		a := alone{At: r.At.UTC(), Link: *r.Link, Info: *r.Conn}
		a.Link.Source = "" // pcap for what a pcapng says
		for _, f := range r.Findings {
			a.Rules += f.Rule.ID + " "
		}
		all = append(all, a)
	}
	return all
}

// TestConnectionsWithoutHTTP: what is known of them, found in them and attached
// to them is in both kinds of files, saved or recorded, and read back.
func TestConnectionsWithoutHTTP(t *testing.T) {
	opens := map[string]func() (capture.Source, error){"made": func() (capture.Source, error) { return silent{}, nil }}
	names, err := filepath.Glob("../../samples/captures/tls*.pcap")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		opens[filepath.Base(name)] = opener(name)
	}
	if len(opens) < 3 {
		t.Fatal("the captures with TLS are gone")
	}
	for name, open := range opens {
		v := view(t, open)
		want := connectionsOf(v)
		if len(want) == 0 {
			t.Errorf("%s has none", name)
		}
		notes := map[int]Note{}
		for i, n := 0, 0; i < v.Rows.Len(); i++ {
			if v.Rows.At(i).Conn != nil {
				notes[i] = Note{Marked: n%2 == 0, Comment: "why (here): 为什么"}
				for _, code := range []string{capture.NoteMark, capture.NoteComment} {
					if code == capture.NoteComment {
						want[n].Info.Notes = append(want[n].Info.Notes, capture.Note{Code: code, Text: notes[i].Comment})
					} else if notes[i].Marked {
						want[n].Info.Notes = append(want[n].Info.Notes, capture.Note{Code: code})
					}
				}
				n++
			}
		}
		for _, plain := range []bool{true, false} {
			files := map[string]string{"recorded": recordWith(t, open, plain, notes)}
			for _, ext := range []string{".har", ".pcapng"} {
				first, second := filepath.Join(t.TempDir(), "first"+ext), filepath.Join(t.TempDir(), "second"+ext)
				n, err := Write(context.Background(), first, v, Options{Plain: plain, Notes: notes})
				if err != nil || n.Connections != len(want) {
					t.Fatal(n, err)
				}
				files[ext] = first
				if _, err := Write(context.Background(), second, view(t, opener(first)), Options{Plain: plain}); err != nil {
					t.Fatal(err)
				}
				if d := sameFile(t, first, second); d != "" {
					t.Errorf("%s %s, plain %v: written again it differs: %s", name, ext, plain, d)
				}
			}
			for how, file := range files {
				got := connectionsOf(view(t, opener(file)))
				for i := range max(len(got), len(want)) {
					if i >= len(got) || i >= len(want) || !reflect.DeepEqual(got[i], want[i]) {
						t.Errorf("%s %s, plain %v:\n got %+v\nwant %+v", name, how, plain, got, want)
						break
					}
				}
			}
		}
	}
}
