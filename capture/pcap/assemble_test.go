package pcap

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"a2ascope/capture"
)

// hello is the start of most tests: the three packets of a handshake.
var hello = []pkt{
	{from: 'c', flags: "S"},
	{from: 's', flags: "SA", ack: 1, ms: 1},
	{from: 'c', flags: "A", seq: 1, ack: 1, ms: 2},
}

func after(ps ...pkt) []pkt { return append(slices.Clone(hello), ps...) }

// TestAssemble has one row for each rule of the assembler.
func TestAssemble(t *testing.T) {
	const opened = "1 client opened 10.0.0.1:40000>10.0.0.2:80\n"
	const midstream = "1 client opened 10.0.0.1:40000>10.0.0.2:80 midstream\n"
	const endsEnded = "1 client closed \"capture ended\"\n"
	for _, c := range []struct {
		name    string
		packets []pkt
		want    string
	}{
		{"orderly", after(
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "ask"},
			pkt{from: 's', flags: "PA", seq: 1, ack: 4, data: "answer"},
			pkt{from: 'c', flags: "FA", seq: 4, ack: 7},
			pkt{from: 's', flags: "FA", seq: 7, ack: 5},
			pkt{from: 'c', flags: "A", seq: 5, ack: 8}),
			opened + "1 client bytes \"ask\"\n1 server bytes \"answer\"\n1 client half-closed\n1 server half-closed\n1 server closed \"\""},
		{"every packet twice", func() (ps []pkt) {
			for _, p := range after(
				pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "ask"},
				pkt{from: 's', flags: "PA", seq: 1, ack: 4, data: "answer"},
				pkt{from: 'c', flags: "FA", seq: 4, ack: 7},
				pkt{from: 's', flags: "FA", seq: 7, ack: 5}) {
				ps = append(ps, p, p)
			}
			return ps
		}(), opened + "1 client bytes \"ask\"\n1 server bytes \"answer\"\n1 client half-closed\n1 server half-closed\n1 server closed \"\""},
		{"response recorded before its request", after(
			pkt{from: 's', flags: "PA", seq: 1, ack: 4, data: "answer"},
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "ask"}),
			opened + "1 client bytes \"ask\"\n1 server bytes \"answer\"\n" + endsEnded},
		{"out of order", after(
			pkt{from: 'c', flags: "PA", seq: 4, ack: 1, data: "def"},
			pkt{from: 'c', flags: "PA", seq: 7, ack: 1, data: "ghi"},
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "abc"}),
			opened + "1 client bytes \"abc\"\n1 client bytes \"def\"\n1 client bytes \"ghi\"\n" + endsEnded},
		{"overlap", after(
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "abcd"},
			pkt{from: 'c', flags: "PA", seq: 3, ack: 1, data: "cdef"},
			pkt{from: 'c', flags: "PA", seq: 9, ack: 1, data: "ij"},
			pkt{from: 'c', flags: "PA", seq: 5, ack: 1, data: "efghi"}),
			opened + "1 client bytes \"abcd\"\n1 client bytes \"ef\"\n1 client bytes \"ghi\"\n1 client bytes \"j\"\n" + endsEnded},
		{"FIN before the data it follows", after(
			pkt{from: 'c', flags: "FA", seq: 4, ack: 1},
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "ask"}),
			opened + "1 client bytes \"ask\"\n1 client half-closed\n" + endsEnded},
		{"lost, acknowledged, and 200 ms passed", after(
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "abc", ms: 10},
			pkt{from: 'c', flags: "PA", seq: 11, ack: 1, data: "xyz", ms: 20},
			pkt{from: 's', flags: "A", seq: 1, ack: 14, ms: 30},
			pkt{from: 'c', flags: "PA", seq: 14, ack: 1, data: "end", ms: 300}),
			opened + "1 client bytes \"abc\"\n1 client gap 7\n1 client bytes \"xyz\"\n1 client bytes \"end\"\n" + endsEnded},
		{"not acknowledged: late packet still fills the hole", after(
			pkt{from: 'c', flags: "PA", seq: 4, ack: 1, data: "def", ms: 20},
			pkt{from: 's', flags: "A", seq: 1, ack: 1, ms: 300},
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "abc", ms: 900}),
			opened + "1 client bytes \"abc\"\n1 client bytes \"def\"\n" + endsEnded},
		{"not acknowledged for 5 s", after(
			pkt{from: 'c', flags: "PA", seq: 4, ack: 1, data: "def", ms: 20},
			pkt{from: 's', flags: "A", seq: 1, ack: 1, ms: 5100}),
			opened + "1 client gap 3\n1 client bytes \"def\"\n" + endsEnded},
		{"whole request lost: the response says so", after(
			pkt{from: 's', flags: "PA", seq: 1, ack: 301, data: "answer", ms: 10},
			pkt{from: 'c', flags: "A", seq: 301, ack: 7, ms: 400}),
			opened + "1 client gap 300\n1 server bytes \"answer\"\n" + endsEnded},
		{"tail lost", after(
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "abc"},
			pkt{from: 's', flags: "A", seq: 1, ack: 104}),
			opened + "1 client bytes \"abc\"\n1 client gap 100\n" + endsEnded},
		{"FIN lost is no lost byte", after(
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "ask", ms: 3},
			pkt{from: 's', flags: "PA", seq: 1, ack: 5, data: "answer", ms: 4},
			pkt{from: 's', flags: "FA", seq: 7, ack: 5, ms: 5}),
			opened + "1 client bytes \"ask\"\n1 server bytes \"answer\"\n1 server half-closed\n" + endsEnded},
		{"one byte lost is a gap when bytes follow", after(
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "ask", ms: 3},
			pkt{from: 's', flags: "PA", seq: 1, ack: 5, data: "answer", ms: 4},
			pkt{from: 'c', flags: "A", seq: 5, ack: 7, ms: 400},
			pkt{from: 'c', flags: "PA", seq: 5, ack: 7, data: "more", ms: 401}),
			opened + "1 client bytes \"ask\"\n1 server bytes \"answer\"\n1 client gap 1\n1 client bytes \"more\"\n" + endsEnded},
		{"reset", after(
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "ask"},
			pkt{from: 's', flags: "R", seq: 1},
			pkt{from: 's', flags: "R", seq: 1}),
			opened + "1 client bytes \"ask\"\n1 server closed \"reset\""},
		{"old reset is ignored", after(
			pkt{from: 's', flags: "PA", seq: 1, ack: 1, data: "answer"},
			pkt{from: 's', flags: "R", seq: 3},
			pkt{from: 's', flags: "PA", seq: 7, ack: 1, data: "more"}),
			opened + "1 server bytes \"answer\"\n1 server bytes \"more\"\n" + endsEnded},
		{"reset recorded before data", after(
			pkt{from: 's', flags: "RA", seq: 7, ack: 1},
			pkt{from: 's', flags: "PA", seq: 1, ack: 1, data: "answer"}),
			opened + "1 server bytes \"answer\"\n1 server closed \"reset\""},
		{"reset with a hole before it", after(
			pkt{from: 's', flags: "PA", seq: 11, ack: 1, data: "tail"},
			pkt{from: 's', flags: "R", seq: 15}),
			opened + "1 server gap 10\n1 server bytes \"tail\"\n1 server closed \"reset\""},
		{"refused", []pkt{
			{from: 'c', flags: "S"}, {from: 'c', flags: "S"},
			{from: 's', flags: "RA", seq: 1 << 31, ack: 1}, {from: 's', flags: "RA", seq: 1 << 31, ack: 1}},
			opened + "1 server closed \"refused\""},
		{"never answered", []pkt{{from: 'c', flags: "S"}, {from: 'c', flags: "S", ms: 1000}},
			opened + "1 client closed \"no answer\""},
		{"same ends again", append(after(
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "one"}),
			pkt{from: 'c', flags: "S", seq: 100000},
			pkt{from: 's', flags: "SA", seq: 300000, ack: 100001},
			pkt{from: 'c', flags: "PA", seq: 100001, ack: 300001, data: "two"}),
			opened + "1 client bytes \"one\"\n1 client closed \"replaced\"\n2 client opened 10.0.0.1:40000>10.0.0.2:80\n2 client bytes \"two\"\n2 client closed \"capture ended\""},
		{"same ends again after an orderly end", append(after(
			pkt{from: 'c', flags: "FA", seq: 1, ack: 1},
			pkt{from: 's', flags: "FA", seq: 1, ack: 2},
			pkt{from: 'c', flags: "A", seq: 2, ack: 2}),
			pkt{from: 'c', flags: "S", seq: 7},
			pkt{from: 's', flags: "RA", ack: 8}),
			opened + "1 client half-closed\n1 server half-closed\n1 server closed \"\"\n2 client opened 10.0.0.1:40000>10.0.0.2:80\n2 server closed \"refused\""},
		{"midstream by request line", []pkt{
			{from: 'c', flags: "PA", seq: 9, ack: 9, data: "GET / HTTP/1.1\r\n\r\n"},
			{from: 's', flags: "PA", seq: 9, ack: 27, data: "HTTP/1.1 204 No\r\n\r\n"}},
			midstream + "1 client bytes \"GET / HTTP/1.1\\r\\n\\r\\n\"\n1 server bytes \"HTTP/1.1 204 No\\r\\n\\r\\n\"\n" + endsEnded},
		{"midstream by lower port", []pkt{
			{from: 's', flags: "PA", seq: 9, ack: 9, data: "\x00\x01"}},
			midstream + "1 server bytes \"\\x00\\x01\"\n" + endsEnded},
		{"midstream by status line, server has the higher port", []pkt{
			{from: 'c', flags: "PA", seq: 9, ack: 9, data: "HTTP/1.1 200 OK\r\n"}},
			"1 client opened 10.0.0.2:80>10.0.0.1:40000 midstream\n1 server bytes \"HTTP/1.1 200 OK\\r\\n\"\n" + endsEnded},
		{"midstream, server known from another connection", []pkt{
			{from: 's', flags: "S"},
			{from: 'c', flags: "SA", ack: 1},
			{from: 's', flags: "RA", seq: 1, ack: 1},
			{from: 'c', flags: "PA", seq: 9, ack: 9, data: "\x00\x01", ms: 100000}},
			"1 client opened 10.0.0.2:80>10.0.0.1:40000\n1 client closed \"reset\"\n2 client opened 10.0.0.2:80>10.0.0.1:40000 midstream\n2 server bytes \"\\x00\\x01\"\n2 client closed \"capture ended\""},
		{"midstream from SYN+ACK", []pkt{
			{from: 's', flags: "SA", ack: 1},
			{from: 'c', flags: "S"},
			{from: 'c', flags: "PA", seq: 1, ack: 1, data: "ask"}},
			opened + "1 client bytes \"ask\"\n" + endsEnded},
		{"SYN+ACK lost: the server's number is known from the client", []pkt{
			{from: 'c', flags: "S"},
			{from: 'c', flags: "A", seq: 1, ack: 1},
			{from: 'c', flags: "PA", seq: 1, ack: 1, data: "ask"},
			{from: 's', flags: "PA", seq: 4, ack: 4, data: "wer"},
			{from: 's', flags: "PA", seq: 1, ack: 4, data: "ans"}},
			opened + "1 client bytes \"ask\"\n1 server bytes \"ans\"\n1 server bytes \"wer\"\n" + endsEnded},
		{"one direction only", []pkt{
			{from: 's', flags: "SA", ack: 1},
			{from: 's', flags: "PA", seq: 1, ack: 301, data: "one"},
			{from: 's', flags: "PA", seq: 4, ack: 501, data: "two"}},
			opened + "1 client gap 300\n1 server bytes \"one\"\n1 client gap 200\n1 server bytes \"two\"\n" + endsEnded},
		{"keep-alive probes", after(
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "ask"},
			pkt{from: 'c', flags: "A", seq: 3, ack: 1, data: "\x00"},
			pkt{from: 'c', flags: "A", seq: 3, ack: 1},
			pkt{from: 'c', flags: "PA", seq: 4, ack: 1, data: "more"}),
			opened + "1 client bytes \"ask\"\n1 client bytes \"more\"\n" + endsEnded},
		{"keep-alive probe first", []pkt{
			{from: 'c', flags: "A", seq: 8, ack: 9},
			{from: 's', flags: "A", seq: 9, ack: 9},
			{from: 'c', flags: "PA", seq: 9, ack: 9, data: "GET / HTTP/1.1"},
			{from: 's', flags: "PA", seq: 9, ack: 23, data: "HTTP/1.1 200"}},
			midstream + "1 client bytes \"GET / HTTP/1.1\"\n1 server bytes \"HTTP/1.1 200\"\n" + endsEnded},
		{"keep-alive probe with a byte first", []pkt{
			{from: 'c', flags: "A", seq: 8, ack: 9, data: "\x00"},
			{from: 'c', flags: "PA", seq: 9, ack: 9, data: "GET / HTTP/1.1"}},
			midstream + "1 client bytes \"GET / HTTP/1.1\"\n" + endsEnded},
		{"nothing but the end of a connection", []pkt{
			{from: 'c', flags: "FA", seq: 9, ack: 9},
			{from: 's', flags: "FA", seq: 9, ack: 10}}, ""},
		{"data in SYN", []pkt{
			{from: 'c', flags: "S", data: "fast"},
			{from: 's', flags: "SA", ack: 5},
			{from: 'c', flags: "PA", seq: 5, ack: 1, data: "er"}},
			opened + "1 client bytes \"fast\"\n1 client bytes \"er\"\n" + endsEnded},
		{"cut by the snaplen", after(
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "0123456789", keep: 14 + 20 + 20 + 4},
			pkt{from: 'c', flags: "PA", seq: 11, ack: 1, data: "more", keep: 14 + 20 + 20}),
			opened + "1 client bytes \"0123\"\n1 client gap 6\n1 client gap 4\n" + endsEnded},
		{"one segment of another time is ignored", after(
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "abc"},
			pkt{from: 'c', flags: "PA", seq: 1 << 31, ack: 1, data: "xyz"},
			pkt{from: 'c', flags: "PA", seq: 4, ack: 1, data: "def"}),
			opened + "1 client bytes \"abc\"\n1 client bytes \"def\"\n" + endsEnded},
		{"three of them are a new beginning", after(
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "abc"},
			pkt{from: 'c', flags: "PA", seq: 1 << 31, ack: 1, data: "one"},
			pkt{from: 'c', flags: "PA", seq: 1<<31 + 3, ack: 1, data: "two"},
			pkt{from: 'c', flags: "PA", seq: 1<<31 + 6, ack: 1, data: "three"}),
			opened + "1 client bytes \"abc\"\n1 client gap -1\n1 client bytes \"three\"\n" + endsEnded},
		{"late data does not open a connection that is over", after(
			pkt{from: 's', flags: "R", seq: 1},
			pkt{from: 'c', flags: "PA", seq: 1, ack: 1, data: "ask"}),
			opened + "1 server closed \"reset\""},
		{"an end that waits for lost bytes does not wait for the next connection", after(
			pkt{from: 's', flags: "RA", seq: 1, ack: 101},
			pkt{from: 'c', flags: "PA", seq: 1 << 31, ack: 1, data: "new", ms: 70_000}),
			opened + "1 client gap 100\n1 server closed \"reset\"\n2 client opened 10.0.0.1:40000>10.0.0.2:80 midstream\n2 client bytes \"new\"\n2 client closed \"capture ended\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, _, err := run(t, tcpFile(c.packets...))
			if err != nil {
				t.Fatal(err)
			}
			want(t, text(g.chunks), c.want)
		})
	}
}

// TestWrap has sequence numbers pass 2^32.
func TestWrap(t *testing.T) {
	first := uint32(0xffff_fff0) - clientISN
	g, _, _ := run(t, tcpFile(
		pkt{from: 'c', flags: "S", seq: first},
		pkt{from: 's', flags: "SA", ack: first + 1},
		pkt{from: 'c', flags: "PA", seq: first + 21, ack: 1, data: "second, held"},
		pkt{from: 'c', flags: "PA", seq: first + 1, ack: 1, data: "twenty bytes for you"}))
	want(t, text(g.chunks), `1 client opened 10.0.0.1:40000>10.0.0.2:80
		1 client bytes "twenty bytes for you"
		1 client bytes "second, held"
		1 client closed "capture ended"`)
}

// TestHeldIsBounded loses one segment in a capture of one direction, in which
// nothing acknowledges what follows, and sends far more than may be held.
func TestHeldIsBounded(t *testing.T) {
	g := &gather{}
	a := newAssembler(&batch{to: g, ctx: t.Context(), in: &input{}})
	s := segment{src: addr{0, 1}, dst: addr{0, 2}, sport: 40000, dport: 80, flags: flagACK, at: start}
	s.data = make([]byte, 1000)
	s.length = 1000
	a.add(&s)
	s.seq = 2000 // 1000 bytes are missing
	for range 10 << 10 {
		s.seq += 1000
		a.add(&s)
		if a.held > maxHeldHalf+2000 {
			t.Fatalf("%d bytes held", a.held)
		}
	}
	a.end()
	if a.held != 0 {
		t.Errorf("%d bytes held after the end", a.held)
	}
	if err := a.out.flush(); err != nil {
		t.Fatal(err)
	}
	var lost, got int64
	for _, c := range g.chunks {
		got += int64(len(c.Data))
		lost += max(c.Lost, 0)
	}
	if lost != 2000 || got != 1000+(10<<10)*1000 {
		t.Errorf("lost %d, got %d", lost, got)
	}
}

// TestTick gives up a hole on a connection that gets no more packets, because
// time passes on others.
func TestTick(t *testing.T) {
	ps := after(pkt{from: 's', flags: "PA", seq: 1, ack: 301, data: "answer", ms: 10})
	for i := range 2 * tickPackets {
		ps = append(ps, pkt{from: 'c', flags: "S", port: uint16(1000 + i), ms: 1000 + i})
	}
	g, _, _ := run(t, tcpFile(ps...))
	at := slices.IndexFunc(g.chunks, func(c capture.Chunk) bool { return c.Kind == capture.Gap })
	if at < 0 || at > tickPackets+3 {
		t.Fatalf("gap at chunk %d of %d", at, len(g.chunks))
	}
	if c := g.chunks[at+1]; string(c.Data) != "answer" || c.Conn != 1 {
		t.Errorf("after the gap: %+v", c)
	}
}

// TestManyConnections goes over the bound of remembered connections.
func TestManyConnections(t *testing.T) {
	out := &batch{to: &nothing{}, ctx: t.Context(), in: &input{}}
	a := newAssembler(out)
	for i := range maxClosed + maxClosed/2 {
		s := segment{src: addr{1, uint64(i)}, dst: addr{2, 2}, sport: 40000, dport: 80, flags: flagSYN, at: start}
		a.add(&s)
		s.src, s.dst, s.sport, s.dport, s.flags = s.dst, s.src, s.dport, s.sport, flagRST|flagACK
		a.add(&s)
	}
	if len(a.flows) > maxClosed || len(a.over) > maxClosed || a.live != 0 {
		t.Errorf("%d flows, %d remembered, %d live", len(a.flows), len(a.over), a.live)
	}
}

// TestEvict closes idle connections when there are too many.
func TestEvict(t *testing.T) {
	a := newAssembler(&batch{to: &gather{}, ctx: t.Context(), in: &input{}})
	a.live = maxConns - 2
	for i := range 4 {
		a.add(&segment{src: addr{1, uint64(i)}, dst: addr{2, 2}, sport: 40000, dport: 80, flags: flagSYN, at: start.Add(1)})
	}
	var closed []string
	for _, c := range a.out.chunks {
		if c.Kind == capture.Closed {
			closed = append(closed, fmt.Sprint(c.Conn, " ", c.Err))
		}
	}
	if got := strings.Join(closed, ", "); got != "1 no answer, 2 no answer" {
		t.Errorf("closed: %s", got)
	}
}

// TestShuffled is the property that matters: whatever order, repetition and
// cutting the packets of a conversation were recorded in, the same bytes come
// out, and no answer before what it answers.
func TestShuffled(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		ps, asked, answered := conversation(r)
		rest := ps[2:] // the roles come from the first two
		for range len(rest) / 2 {
			if i := r.IntN(len(rest)); r.IntN(3) == 0 {
				rest = slices.Insert(rest, i, rest[r.IntN(len(rest))]) // recorded twice, much later or earlier
			} else {
				j := min(i+r.IntN(12), len(rest)-1)
				rest[i], rest[j] = rest[j], rest[i]
			}
		}
		g, sum, err := run(t, tcpFile(append(ps[:2:2], rest...)...))
		if err != nil || len(sum.Damage) > 0 {
			t.Fatalf("seed %d: %v %v", seed, sum.Damage, err)
		}
		var got [2]strings.Builder
		for _, c := range g.chunks {
			got[c.From].Write(c.Data)
			if c.Kind == capture.Gap {
				t.Fatalf("seed %d: a gap\n%s", seed, text(g.chunks))
			}
			// Round n of the server answers round n of the client.
			if c.From == capture.Server && c.Kind == capture.Bytes {
				if a, q := strings.Count(got[1].String(), "\n"), strings.Count(got[0].String(), "\n"); a > q {
					t.Fatalf("seed %d: answer %d came after question %d\n%s", seed, a, q, text(g.chunks))
				}
			}
		}
		if got[0].String() != asked || got[1].String() != answered {
			t.Fatalf("seed %d: other bytes\n%s", seed, text(g.chunks))
		}
		if last := g.chunks[len(g.chunks)-1]; last.Kind != capture.Closed || last.Err != "" {
			t.Fatalf("seed %d: ends with %s %q", seed, last.Kind, last.Err)
		}
	}
}

// conversation makes the packets of some rounds of question and answer, one
// line each, in pieces of any size.
func conversation(r *rand.Rand) (ps []pkt, asked, answered string) {
	ps = slices.Clone(hello)
	pos := [2]uint32{1, 1}
	send := func(side int, s string) {
		for len(s) > 0 {
			n := 1 + r.IntN(len(s))
			ps = append(ps, pkt{from: "cs"[side], flags: "PA", seq: pos[side], ack: pos[1-side], data: s[:n]})
			pos[side] += uint32(n)
			s = s[n:]
		}
	}
	for n := range 1 + r.IntN(6) {
		q := fmt.Sprintf("question %d %s\n", n, strings.Repeat("?", r.IntN(60)))
		a := fmt.Sprintf("answer %d %s\n", n, strings.Repeat("!", r.IntN(60)))
		send(0, q)
		send(1, a)
		asked, answered = asked+q, answered+a
	}
	return append(ps,
		pkt{from: 'c', flags: "FA", seq: pos[0], ack: pos[1]},
		pkt{from: 's', flags: "FA", seq: pos[1], ack: pos[0] + 1}), asked, answered
}
