package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/capture/script"
	"a2ascope/decode"
	"a2ascope/decode/schema"
	"a2ascope/diagnose"
)

// The lessons of the twelve rows are performed live: one half of each play is a
// client of the tap, the other half is the agent behind it. What the lesson is
// about must be told while its client is still connected.
func TestTheTwelveRowsAreToldWhileTheyHappen(t *testing.T) {
	all, err := loadSamples()
	if err != nil {
		t.Fatal(err)
	}
	set, err := ruleSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, s := range all {
		var row int
		if _, err := fmt.Sscanf(s.slug, "%d-", &row); err != nil || row == 0 {
			continue // the first look is about no row
		}
		rows++
		t.Run(s.slug, func(t *testing.T) {
			t.Parallel()
			wanted := wantedOf(t, set, s, row)
			st := startStage(t)
			st.play(s, wanted[len(wanted)-1].exchange)
			for _, w := range wanted {
				if w.silent {
					st.pass(61 * time.Second)
				}
				st.wait(w)
			}
			st.end()
		})
	}
	if rows != 12 {
		t.Errorf("%d lessons about rows, want 12", rows)
	}
}

// wanted is a finding that has to be told.
type wanted struct {
	exchange int
	rule     string
	silent   bool // it is about what does not come
}

// wantedOf returns the findings of a lesson that speak for its row, in order.
func wantedOf(t *testing.T, set *diagnose.Set, s sample, row int) []wanted {
	t.Helper()
	var all []wanted
	for line := range strings.Lines(string(s.file["want.findings"])) {
		var w wanted
		if _, err := fmt.Sscanf(line, "%d %s", &w.exchange, &w.rule); err != nil {
			t.Fatalf("want.findings: %q: %v", line, err)
		}
		i := slices.IndexFunc(set.Rules(), func(r *diagnose.Rule) bool { return r.ID == w.rule })
		if i < 0 {
			t.Fatalf("there is no rule %s", w.rule)
		}
		rule := set.Rules()[i]
		w.silent = slices.Equal(rule.At, []decode.Checkpoint{decode.AtSilent})
		if slices.Contains(rule.Table, row) {
			all = append(all, w)
		}
	}
	if len(all) == 0 {
		t.Fatalf("the lesson wants nothing that speaks for row %d", row)
	}
	return all
}

// stage is a running `a2ascope proxy` between the two halves of a play.
type stage struct {
	t     *testing.T
	agent *net.TCPListener
	tap   string
	ahead atomic.Int64 // how far the clock of the tap is ahead of ours
	stop  context.CancelFunc
	ended chan error

	mu    sync.Mutex
	told  map[string]bool // "exchange rule"
	lines []string
	news  chan struct{}
	conns map[capture.ConnID]*pair
}

func startStage(t *testing.T) *stage {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	st := &stage{t: t, agent: ln.(*net.TCPListener), stop: stop, ended: make(chan error, 1), told: map[string]bool{},
		news: make(chan struct{}, 1), conns: map[capture.ConnID]*pair{}}
	stdout, report := io.Pipe()
	notices, stderr := io.Pipe()
	env := Env{Args: []string{"proxy", "http://" + ln.Addr().String(), "--listen", "127.0.0.1:0", "--headless"},
		Stdin: os.Stdin, Stdout: report, Stderr: stderr, Getenv: func(string) string { return "" },
		Now: func() time.Time { return time.Now().Add(time.Duration(st.ahead.Load())) }, Sleep: sleep}
	go func() {
		err := rootCommand(&env).ExecuteContext(ctx)
		report.Close()
		stderr.Close()
		st.ended <- err
	}()
	said := bufio.NewReader(notices)
	first, err := said.ReadString('\n')
	m := regexp.MustCompile(`client at http://(\S+)`).FindStringSubmatch(first)
	if m == nil {
		t.Fatalf("it says %q, %v", first, err)
	}
	st.tap = m[1]
	go func() { _, _ = io.Copy(io.Discard, said) }()
	go st.listen(stdout)
	t.Cleanup(func() {
		stop()
		ln.Close()
		for _, p := range st.conns {
			p.client.Close()
			p.agent.Close()
		}
	})
	return st
}

// listen takes the lines of the report as they come.
func (st *stage) listen(r io.Reader) {
	for in := bufio.NewScanner(r); in.Scan(); {
		var line struct {
			Type     string
			Exchange int
			Rule     string
		}
		_ = json.Unmarshal(in.Bytes(), &line)
		st.mu.Lock()
		st.lines = append(st.lines, in.Text())
		if line.Type == "finding" {
			st.told[fmt.Sprint(line.Exchange, " ", line.Rule)] = true
		}
		st.mu.Unlock()
		select {
		case st.news <- struct{}{}:
		default:
		}
	}
}

// pass moves the clock of the tap.
func (st *stage) pass(d time.Duration) { st.ahead.Add(int64(d)) }

// wait returns when a finding was told. The clients of the play are all connected meanwhile.
func (st *stage) wait(w wanted) {
	st.t.Helper()
	late := time.After(20 * time.Second)
	for {
		st.mu.Lock()
		ok := st.told[fmt.Sprint(w.exchange, " ", w.rule)]
		st.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-st.news:
		case err := <-st.ended:
			st.t.Fatalf("a2ascope ended: %v", err)
		case <-late:
			st.mu.Lock()
			defer st.mu.Unlock()
			st.t.Fatalf("exchange %d: %s is not told while its client is connected; told:\n%s", w.exchange, w.rule, strings.Join(st.lines, "\n"))
		}
	}
}

// end ends the tap while the clients are connected.
func (st *stage) end() {
	st.t.Helper()
	st.stop()
	select {
	case err := <-st.ended:
		if e, ok := err.(exit); err != nil && (!ok || e.code != exitFindings) {
			st.t.Errorf("it ends with %v", err)
		}
	case <-time.After(20 * time.Second):
		st.t.Error("it does not end")
	}
}

// chunks collects what a play says; what a side says at one moment is one chunk.
type chunks []capture.Chunk

func (c *chunks) Chunks(cs []capture.Chunk) error {
	for _, n := range cs {
		if n.Kind != capture.Bytes {
			continue
		}
		if i := len(*c) - 1; i >= 0 && (*c)[i].Conn == n.Conn && (*c)[i].From == n.From && (*c)[i].At.Equal(n.At) {
			(*c)[i].Data = slices.Concat((*c)[i].Data, n.Data)
			continue
		}
		*c = append(*c, n)
	}
	return nil
}
func (c *chunks) Events([]capture.Event) error { return nil }
func (c *chunks) Progress(capture.Progress)    {}

// play performs a lesson up to the answer of an exchange. Nobody hangs up.
func (st *stage) play(s sample, last int) {
	st.t.Helper()
	p, err := script.Parse(s.slug, s.file["traffic.play"])
	if err != nil {
		st.t.Fatal(err)
	}
	var cs chunks
	if _, err := p.Source(script.Options{EncodeGRPC: schema.EncodeGRPC}).Run(context.Background(), &cs); err != nil {
		st.t.Fatal(err)
	}
	exchange, before := 0, capture.Server
	for _, c := range cs {
		if framesOf(c.Data).opening {
			st.pair(c.Conn).say(st.t, c.From, c.Data)
			continue
		}
		if c.From == capture.Client && before == capture.Server {
			if exchange++; exchange > last {
				return
			}
		}
		before = c.From
		st.pair(c.Conn).say(st.t, c.From, c.Data)
	}
	if exchange < last {
		st.t.Fatalf("the play has %d exchanges, want %d", exchange, last)
	}
}

// pair is a connection of the play: the client's end and the agent's.
type pair struct {
	client, agent net.Conn
	http2         bool
	card          bool // the client asked for a card: the tap changes the answer
}

func (st *stage) pair(id capture.ConnID) *pair {
	st.t.Helper()
	if st.conns[id] == nil {
		c, err := net.Dial("tcp", st.tap)
		if err != nil {
			st.t.Fatal(err)
		}
		st.conns[id] = &pair{client: c, agent: &accepted{from: st.agent}}
	}
	return st.conns[id]
}

// accepted is the agent's end: the tap connects when the client has said something.
type accepted struct {
	net.Conn
	from *net.TCPListener
}

func (a *accepted) open() error {
	if a.Conn != nil {
		return nil
	}
	_ = a.from.SetDeadline(time.Now().Add(10 * time.Second))
	var err error
	a.Conn, err = a.from.Accept()
	return err
}

func (a *accepted) Close() error {
	if a.Conn == nil {
		return nil
	}
	return a.Conn.Close()
}

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// say says a piece on one side and waits until the other has heard it.
func (p *pair) say(t *testing.T, from capture.Side, b []byte) {
	t.Helper()
	p.http2 = p.http2 || from == capture.Client && bytes.HasPrefix(b, []byte(preface))
	to := p.agent
	speaker := p.client
	if from == capture.Server {
		to, speaker = p.client, p.agent
	} else {
		p.card = bytes.Contains(b, []byte("/.well-known/agent"))
	}
	if _, err := speaker.Write(b); err != nil {
		t.Fatal(err)
	}
	if a, ok := to.(*accepted); ok {
		if err := a.open(); err != nil {
			t.Fatalf("the tap does not connect: %v", err)
		}
	}
	_ = to.SetReadDeadline(time.Now().Add(10 * time.Second))
	var heard []byte
	buf := make([]byte, 64<<10)
	for !p.arrived(from, b, heard) {
		n, err := to.Read(buf)
		heard = append(heard, buf[:n]...)
		if err != nil {
			t.Fatalf("%v; of\n%q\ncame\n%q", err, b, heard)
		}
	}
}

// arrived reports whether what was said was heard. HTTP/1 arrives byte by byte
// as it was said; the addresses of a card are changed, and HTTP/2 heads are
// written anew.
func (p *pair) arrived(from capture.Side, said, heard []byte) bool {
	switch {
	case p.http2:
		frames, n := framesOf(said), framesOf(heard)
		return n.count >= frames.count && n.data >= frames.data
	case from == capture.Server && p.card:
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(heard)), nil)
		if err != nil {
			return false
		}
		_, err = io.Copy(io.Discard, resp.Body)
		return err == nil
	}
	return bytes.Equal(said, heard)
}

// framed is what a stretch of HTTP/2 holds.
type framed struct {
	count, data int
	opening     bool // what begins a connection: settings and windows, no exchange
}

func framesOf(b []byte) framed {
	b = bytes.TrimPrefix(b, []byte(preface))
	f := framed{opening: len(b) > 0}
	for len(b) >= 9 {
		n := int(b[0])<<16 | int(b[1])<<8 | int(b[2])
		if len(b) < 9+n {
			break
		}
		f.count++
		if b[3] == 0 {
			f.data += n
		}
		f.opening = f.opening && b[3] > 1
		b = b[9+n:]
	}
	f.opening = f.opening && len(b) == 0
	return f
}
