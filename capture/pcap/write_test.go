package pcap

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
)

// story writes what happened on each connection, in the order of connections,
// with times. Pieces of one direction that follow each other are joined: the
// writer divides them anew.
func story(cs []capture.Chunk) string {
	var b strings.Builder
	byConn := map[capture.ConnID][]capture.Chunk{}
	var ids []capture.ConnID
	for _, c := range cs {
		l := byConn[c.Conn]
		if l == nil {
			ids = append(ids, c.Conn)
		}
		if n := len(l); n > 0 && l[n-1].Kind == c.Kind && l[n-1].From == c.From && l[n-1].At.Equal(c.At) {
			switch c.Kind {
			case capture.Bytes:
				l[n-1].Data = append(l[n-1].Data[:len(l[n-1].Data):len(l[n-1].Data)], c.Data...)
				continue
			case capture.Gap:
				l[n-1].Lost += c.Lost
				continue
			}
		}
		byConn[c.Conn] = append(l, c)
	}
	for _, id := range ids {
		for _, c := range byConn[id] {
			if c.Kind != capture.Closed && c.Kind != capture.Gap { // found out later when read again
				fmt.Fprintf(&b, "%s ", c.At.Format("05.000000"))
			}
			if c.Err == Evicted {
				c.Err = Ended
			}
			b.WriteString(text([]capture.Chunk{c}))
		}
	}
	return b.String()
}

// saved writes chunks in the order of Seq and reads them again. comments are
// those of a chunk, by Seq.
func saved(t testing.TB, cs []capture.Chunk, comments map[uint64][]string) (file []byte, again *gather) {
	t.Helper()
	cs = slices.Clone(cs)
	slices.SortStableFunc(cs, func(x, y capture.Chunk) int { return cmp.Compare(x.Seq, y.Seq) })
	var out bytes.Buffer
	w := NewWriter(&out, "written by a test")
	for i := range cs {
		if err := w.Chunk(&cs[i], comments[cs[i].Seq]...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	g, sum, err := run(t, out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range sum.Damage {
		if d.What != "one-way" && d.What != "no-tcp" {
			t.Errorf("damage: %s", d.Detail)
		}
	}
	return out.Bytes(), g
}

// TestWriteCorpus: what is read back from a saved capture is what was saved,
// gaps, ends and times included.
func TestWriteCorpus(t *testing.T) {
	for _, name := range corpusFiles(t) {
		g, _ := read(t, name)
		_, again := saved(t, g.chunks, nil)
		if got, want := story(again.chunks), story(g.chunks); got != want {
			t.Errorf("%s:\n%s", filepath.Base(name), firstDifference(got, want))
		}
	}
}

func firstDifference(got, want string) string {
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
			return fmt.Sprintf("line %d\n got %.300s\nwant %.300s", i+1, a, b)
		}
	}
	return "equal"
}

// a talk of one connection with everything that can happen on it.
func aTalk(id capture.ConnID, l capture.Link, more ...capture.Chunk) []capture.Chunk {
	cs := []capture.Chunk{{Kind: capture.Opened, Link: &l}}
	cs = append(cs, more...)
	for i := range cs {
		cs[i].Conn, cs[i].Seq = id, uint64(id)*100+uint64(i)
		cs[i].At = start.Add(time.Duration(i) * time.Millisecond)
	}
	return cs
}

func says(from capture.Side, s string) capture.Chunk {
	return capture.Chunk{Kind: capture.Bytes, From: from, Data: []byte(s)}
}

var v4Link = capture.Link{Client: netip.MustParseAddrPort("10.0.0.1:40000"), Server: netip.MustParseAddrPort("10.0.0.2:9001")}

func TestWriteKinds(t *testing.T) {
	v6 := capture.Link{Client: netip.MustParseAddrPort("[fe80::1%eth0]:40000"), Server: netip.MustParseAddrPort("[::1]:9001")}
	mixed := capture.Link{Client: netip.MustParseAddrPort("[::1]:40000"), Server: netip.MustParseAddrPort("127.0.0.1:9001")}
	long := strings.Repeat("0123456789", 1000)
	for _, c := range []struct {
		name string
		in   []capture.Chunk
		want string // without the line that opens the connection; "" when nothing is told of it
	}{
		{"orderly", aTalk(1, v4Link, says(capture.Client, "ask"), says(capture.Server, long),
			capture.Chunk{Kind: capture.HalfClosed, From: capture.Server}, capture.Chunk{Kind: capture.HalfClosed}, capture.Chunk{Kind: capture.Closed}),
			"client bytes \"ask\"\nserver bytes \"" + long + "\"\nserver half-closed\nclient half-closed\nclient closed \"\""},
		{"closed without a word", aTalk(1, v6, says(capture.Client, "ask"), capture.Chunk{Kind: capture.Closed, From: capture.Server}),
			"client bytes \"ask\"\nserver half-closed\nclient half-closed\nclient closed \"\""},
		{"reset", aTalk(1, mixed, says(capture.Client, "ask"), capture.Chunk{Kind: capture.Closed, From: capture.Server, Err: Reset}),
			"client bytes \"ask\"\nserver closed \"reset\""},
		{"refused", aTalk(1, v4Link, capture.Chunk{Kind: capture.Closed, From: capture.Server, Err: Refused}), "server closed \"refused\""},
		{"no answer", aTalk(1, v4Link, capture.Chunk{Kind: capture.Closed, Err: NoAnswer}), "client closed \"no answer\""},
		{"still open", aTalk(1, v4Link, capture.Chunk{Kind: capture.Closed, Err: Ended}), "client closed \"capture ended\""},
		{"not closed", aTalk(1, v4Link, says(capture.Server, "hello")), "server bytes \"hello\"\nclient closed \"capture ended\""},
		{"unreachable", aTalk(1, v4Link, says(capture.Client, "ask"), capture.Chunk{Kind: capture.Closed, From: capture.Server, Err: capture.Unreachable + "no route"}),
			"client bytes \"ask\"\nserver closed \"unreachable: no route\""},
		{"gaps", aTalk(1, v4Link, capture.Chunk{Kind: capture.Gap, From: capture.Client, Lost: 2}, says(capture.Client, "ask"),
			capture.Chunk{Kind: capture.Gap, From: capture.Server, Lost: 100_000}, says(capture.Server, "end"), capture.Chunk{Kind: capture.Gap, From: capture.Server, Lost: 7},
			capture.Chunk{Kind: capture.Closed, Err: Ended}),
			"client gap 2\nclient bytes \"ask\"\nserver gap 100000\nserver bytes \"end\"\nserver gap 7\nclient closed \"capture ended\""},
		{"gaps that cannot be said", aTalk(1, v4Link, capture.Chunk{Kind: capture.Gap, From: capture.Server, Lost: -1}, says(capture.Server, "a"),
			capture.Chunk{Kind: capture.Gap, From: capture.Server, Lost: 1 << 40}, says(capture.Server, "b"), capture.Chunk{Kind: capture.Closed, Err: Ended}),
			fmt.Sprintf("server gap %d\nserver bytes \"a\"\nserver gap %d\nserver bytes \"b\"\nclient closed \"capture ended\"", unknownGap, maxSkip)},
		{"decrypted", aTalk(1, v4Link, capture.Chunk{Kind: capture.Secured, Link: &capture.Link{TLS: "1.3", ALPN: "h2"}},
			says(capture.Client, "ask"), capture.Chunk{Kind: capture.Closed, Err: Ended}),
			"client secured\nclient bytes \"ask\"\nclient closed \"capture ended\""},
	} {
		_, again := saved(t, c.in, nil)
		lines := strings.SplitN(strings.TrimSpace(text(merged(again.chunks))), "\n", 2)
		got := strings.ReplaceAll("\n"+lines[1], "\n1 ", "\n")
		if got != "\n"+c.want {
			t.Errorf("%s: got%.500s", c.name, got)
		}
		l := again.chunks[0].Link
		if wantLink := c.in[0].Link; l.Client != netip.AddrPortFrom(wantLink.Client.Addr().WithZone(""), wantLink.Client.Port()) || l.Server != wantLink.Server {
			t.Errorf("%s: %v", c.name, l)
		}
	}
}

// TestWriteSecured: that a connection was TLS is read back, of files of this program only.
func TestWriteSecured(t *testing.T) {
	in := aTalk(1, v4Link, capture.Chunk{Kind: capture.Secured, Link: &capture.Link{TLS: "1.3", ServerName: "agent.example", ALPN: "h2"}}, says(capture.Client, "ask"))
	file, again := saved(t, in, nil)
	var got *capture.Link
	for _, c := range again.chunks {
		if c.Kind == capture.Secured {
			got = c.Link
		}
	}
	if want := (capture.Link{Client: v4Link.Client, Server: v4Link.Server, TLS: "1.3", ServerName: "agent.example", ALPN: "h2", Source: "pcap"}); got == nil || *got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	other := bytes.Replace(file, []byte("a2ascope"), []byte("wireshrk"), 1)
	g, _, _ := run(t, other)
	if strings.Contains(text(g.chunks), "secured") {
		t.Error("a comment of another program is believed")
	}
}

// merged joins pieces of one direction, whenever they came.
func merged(cs []capture.Chunk) []capture.Chunk {
	var out []capture.Chunk
	for _, c := range cs {
		if n := len(out); n > 0 && c.Kind == capture.Bytes && out[n-1].Kind == capture.Bytes && out[n-1].From == c.From {
			out[n-1].Data = append(out[n-1].Data[:len(out[n-1].Data):len(out[n-1].Data)], c.Data...)
			continue
		}
		out = append(out, c)
	}
	return out
}

// TestWriteSameEnds: connections with the same addresses, or with none, stay apart.
func TestWriteSameEnds(t *testing.T) {
	for _, l := range []capture.Link{v4Link, {}} {
		var all []capture.Chunk
		for id := range capture.ConnID(3) {
			all = append(all, aTalk(id+1, l, says(capture.Client, fmt.Sprint("ask ", id+1)), says(capture.Server, fmt.Sprint("answer ", id+1)))...)
		}
		for i := range all { // at the same time
			all[i].Seq = uint64(i%3*100 + i/3)
		}
		_, again := saved(t, all, nil)
		for id := range capture.ConnID(3) {
			if got := bytesOf(again, id+1); got != fmt.Sprintf("ask %d\n====\nanswer %d\n====\n", id+1, id+1) {
				t.Errorf("%v: connection %d: %q", l, id+1, got)
			}
		}
		// One after the other with the same addresses.
		var w bytes.Buffer
		p := NewWriter(&w, "")
		for range 3 {
			if err := p.Chunks(aTalk(1, l, says(capture.Client, "ask"), capture.Chunk{Kind: capture.Closed, Err: Reset})); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if g, sum, _ := run(t, w.Bytes()); sum.Connections != 3 || bytesOf(g, 1, 2, 3) != strings.Repeat("ask\n====\n\n====\n", 3) {
			t.Errorf("%v: %s", l, text(g.chunks))
		}
	}
}

// TestWriteLarge: more than the window of TCP, and the end of its numbers, in
// one direction.
func TestWriteLarge(t *testing.T) {
	block := bytes.Repeat([]byte("0123456789abcdef"), 4096)
	var more []capture.Chunk
	for range 200 {
		more = append(more, capture.Chunk{Kind: capture.Bytes, From: capture.Server, Data: block})
	}
	in := aTalk(1, v4Link, more...)
	_, again := saved(t, in, nil)
	n := 0
	for _, c := range again.chunks {
		if c.Kind == capture.Gap {
			t.Fatal("a gap")
		}
		n += len(c.Data)
	}
	if n != 200*len(block) {
		t.Errorf("%d bytes", n)
	}
}

// fails is a writer whose disk is full.
type fails struct{ room int }

func (f *fails) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errors.New("disk full")
	}
	return len(b), nil
}

func TestWriteFails(t *testing.T) {
	for _, room := range []int{0, 100_000} {
		p := NewWriter(&fails{room}, "")
		var err error
		for i := 0; err == nil && i < 1000; i++ {
			err = p.Chunks(aTalk(capture.ConnID(i+1), v4Link, says(capture.Client, strings.Repeat("x", 1000))))
		}
		if err == nil || p.Close() == nil {
			t.Error("the error is lost")
		}
	}
}

func TestClip(t *testing.T) {
	if got := clip("a\x00b\xffc"); got != "a\uFFFDb\uFFFDc" {
		t.Errorf("%q", got)
	}
	if got := clip(strings.Repeat("界", 2000)); len(got) > maxComment+3 || !strings.HasSuffix(got, "界…") {
		t.Errorf("%d bytes, ends with %q", len(got), got[len(got)-9:])
	}
}

// TestWriteComments: tshark, when it is here, finds every comment on the packet
// it belongs to, and nothing wrong with any packet.
func TestWriteWithTshark(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	ask := "POST / HTTP/1.1\r\nHost: agent\r\nContent-Length: 2\r\n\r\n{}"
	answer := "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + strings.Repeat("x", 5000)
	v6 := capture.Link{Client: netip.MustParseAddrPort("[fd00::1]:40000"), Server: netip.MustParseAddrPort("[fd00::2]:80")}
	in := append(aTalk(1, capture.Link{Client: v4Link.Client, Server: netip.MustParseAddrPort("10.0.0.2:80")},
		says(capture.Client, ask), says(capture.Server, answer), capture.Chunk{Kind: capture.Closed}),
		aTalk(2, v6, says(capture.Client, ask), says(capture.Server, answer), capture.Chunk{Kind: capture.Closed, Err: Reset})...)
	file, _ := saved(t, in, map[uint64][]string{101: {"the request is wrong"}, 202: {"the response is wrong: 方法不存在", "and a second one"}})
	name := filepath.Join(t.TempDir(), "saved.pcapng")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	say := func(args ...string) string {
		cmd := exec.Command(tshark, append([]string{"-r", name, "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"}, args...)...)
		cmd.Env = append(os.Environ(), "TZ=UTC")
		var problems bytes.Buffer
		cmd.Stderr = &problems
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("tshark %v: %v %s", args, err, problems.Bytes())
		}
		return string(out)
	}
	if out := say("-Y", "_ws.malformed || ip.checksum.status == 0 || tcp.checksum.status == 0 || tcp.analysis.flags || _ws.expert.severity >= 6291456"); strings.TrimSpace(out) != "" && strings.Count(out, "\n") != strings.Count(out, "RST") {
		t.Errorf("tshark finds fault with:\n%s", out)
	}
	lines := func(got, want string) {
		t.Helper()
		if strings.TrimSpace(got) != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
	}
	lines(say("-Y", "frame.comment", "-T", "fields", "-e", "tcp.stream", "-e", "tcp.srcport", "-e", "frame.comment", "-E", "aggregator=|"),
		"0\t40000\tthe request is wrong\n1\t80\tthe response is wrong: 方法不存在|and a second one")
	lines(say("-Y", "http", "-T", "fields", "-e", "tcp.stream", "-e", "http.request.method", "-e", "http.response.code", "-e", "frame.time_epoch"),
		"0\tPOST\t\t1767323045.001000000\n0\t\t200\t1767323045.002000000\n1\tPOST\t\t1767323045.001000000\n1\t\t200\t1767323045.002000000")

	for i, c := range corpusFiles(t) { // real traffic: every packet is sound
		if i%25 != 0 {
			continue // starting tshark takes half a second
		}
		g, _ := read(t, c)
		file, _ := saved(t, g.chunks, nil)
		if err := os.WriteFile(name, file, 0o600); err != nil {
			t.Fatal(err)
		}
		if out := say("-Y", "ip.checksum.status == 0 || tcp.checksum.status == 0 || tcp.analysis.retransmission || tcp.analysis.window_full || tcp.analysis.out_of_order"); strings.TrimSpace(out) != "" {
			t.Errorf("%s: tshark finds fault with:\n%s", filepath.Base(c), out)
		}
	}
}
