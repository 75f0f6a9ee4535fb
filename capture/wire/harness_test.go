package wire

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
)

// A talk is a conversation written by hand: what each side sends, in order.
type talk []capture.Chunk

func open(l capture.Link) capture.Chunk   { return capture.Chunk{Kind: capture.Opened, Link: &l} }
func secure(l capture.Link) capture.Chunk { return capture.Chunk{Kind: capture.Secured, Link: &l} }
func cl(s string) capture.Chunk {
	return capture.Chunk{Kind: capture.Bytes, From: capture.Client, Data: []byte(s)}
}
func sv(s string) capture.Chunk {
	return capture.Chunk{Kind: capture.Bytes, From: capture.Server, Data: []byte(s)}
}
func gapOf(s capture.Side, n int64) capture.Chunk {
	return capture.Chunk{Kind: capture.Gap, From: s, Lost: n}
}
func fin(s capture.Side) capture.Chunk { return capture.Chunk{Kind: capture.HalfClosed, From: s} }
func bye(err string) capture.Chunk {
	return capture.Chunk{Kind: capture.Closed, From: capture.Server, Err: err}
}

// lines turns "\n" into "\r\n": heads are easier to read that way.
func lines(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

func feedAll(c *Conn, t talk) []capture.Event {
	var out []capture.Event
	for i := range t {
		ch := t[i]
		ch.Conn, ch.Seq, ch.At = 1, uint64(i+1), time.Unix(int64(i), 0)
		out = c.Feed(&ch, out)
	}
	return out
}

func play(t talk) []capture.Event { return feedAll(NewConn(1), t) }

// dump writes events so that two lists are equal exactly when their dumps are,
// apart from when they happened and whose memory they use.
func dump(es []capture.Event, full bool) string {
	var b strings.Builder
	for _, e := range es {
		dir := "> "
		if e.From == capture.Server {
			dir = "< "
		}
		if e.Exchange == 0 {
			b.WriteString("- ")
		} else {
			fmt.Fprintf(&b, "%d%s", uint64(e.Exchange)&0xffffff, dir)
		}
		dumpBody(&b, e.Body, full)
		if full && e.Link != nil {
			fmt.Fprintf(&b, " link=%v", *e.Link)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func dumpBody(b *strings.Builder, body capture.EventBody, full bool) {
	switch v := body.(type) {
	case *capture.Head:
		if v.IsRequest() {
			fmt.Fprintf(b, "%s %s", v.Method, v.Target)
		} else {
			fmt.Fprintf(b, "%d", v.Status)
		}
		if full {
			fmt.Fprintf(b, " %q", fmt.Sprintf("%+v", *v))
		}
	case *capture.Frame:
		fmt.Fprintf(b, "%s", v.Form)
		if len(v.Data) > 200 && !full {
			fmt.Fprintf(b, " %.20q…%d", v.Data, len(v.Data))
		} else {
			fmt.Fprintf(b, " %q", v.Data)
		}
		if v.Event != "" {
			fmt.Fprintf(b, " event=%s", v.Event)
		}
		if v.ID != "" {
			fmt.Fprintf(b, " id=%s", v.ID)
		}
		if v.Coding != "" {
			fmt.Fprintf(b, " coding=%s", v.Coding)
		}
		if v.Size != int64(len(v.Data)) {
			fmt.Fprintf(b, " size=%d", v.Size)
		}
		if v.Lost != 0 {
			fmt.Fprintf(b, " lost=%d", v.Lost)
		}
		if v.Cut {
			b.WriteString(" cut")
		}
		if full {
			fmt.Fprintf(b, " seq=%d wire=%d raw=%q", v.Seq, v.WireSize, v.Raw)
		}
	case *capture.Trailer:
		b.WriteString("trailer")
		for _, f := range v.Fields {
			fmt.Fprintf(b, " %s=%s", f.Name, f.Value)
		}
		if v.Only {
			b.WriteString(" only")
		}
	case *capture.BodyEnd:
		fmt.Fprintf(b, ".%d", v.Size)
	case *capture.Breach:
		fmt.Fprintf(b, "! %s", v.Code)
		if v.Lost != 0 {
			fmt.Fprintf(b, " lost=%d", v.Lost)
		}
		if full {
			fmt.Fprintf(b, " %q", v.Text)
		}
	case *capture.End:
		fmt.Fprintf(b, "end %s", v.Kind)
		if v.Code != 0 {
			fmt.Fprintf(b, " code=%d", v.Code)
		}
		if full {
			fmt.Fprintf(b, " %q", v.Text)
		}
	case *capture.ConnInfo:
		fmt.Fprintf(b, "%s sent=%d,%d %s", v.Protocol, v.Sent[0], v.Sent[1], v.Text)
	}
}

// checkRules holds for every list of events of one connection that was closed.
func checkRules(t testing.TB, es []capture.Event) {
	t.Helper()
	type state struct {
		ended  bool
		frames [2]int
		done   [2]bool
	}
	seen := map[capture.ExchangeID]*state{}
	for i, e := range es {
		if e.Exchange == 0 {
			continue
		}
		s := seen[e.Exchange]
		if s == nil {
			if e.Link == nil {
				t.Fatalf("event %d: the first event of exchange %d has no link", i, e.Exchange)
			}
			if want := capture.NewExchangeID(1, len(seen)+1); e.Exchange != want {
				t.Fatalf("event %d: exchange %d, want %d: numbers must be in order", i, e.Exchange, want)
			}
			s = &state{}
			seen[e.Exchange] = s
		}
		if s.ended {
			t.Fatalf("event %d: %T after the end of exchange %d", i, e.Body, e.Exchange)
		}
		switch v := e.Body.(type) {
		case *capture.End:
			s.ended = true
		case *capture.Frame:
			if v.Seq != s.frames[e.From] {
				t.Fatalf("event %d: frame %d, want %d", i, v.Seq, s.frames[e.From])
			}
			s.frames[e.From]++
			if v.Size < int64(len(v.Data)) {
				t.Fatalf("event %d: size %d of %d bytes", i, v.Size, len(v.Data))
			}
			if s.done[e.From] {
				t.Fatalf("event %d: a frame after the end of the body", i)
			}
		case *capture.BodyEnd:
			if s.done[e.From] {
				t.Fatalf("event %d: a second end of the body", i)
			}
			s.done[e.From] = true
		}
	}
	for id, s := range seen {
		if !s.ended {
			t.Fatalf("exchange %d has no end", id)
		}
	}
}

// splitTest cuts every piece of the talk at every byte, and into single bytes.
func splitTest(t *testing.T, name string, tk talk) {
	t.Helper()
	want := dump(play(tk), true)
	check := func(cut talk, where string) {
		if got := dump(play(cut), true); got != want {
			t.Fatalf("%s cut %s:\n%s\nuncut:\n%s", name, where, diffHint(got, want), want)
		}
	}
	check(shred(tk, 1), "into single bytes")
	check(shred(tk, 7), "into sevens")
	for i := range tk {
		if tk[i].Kind != capture.Bytes {
			continue
		}
		step := 1 + len(tk[i].Data)/600 // long bodies: not every byte is a new case
		for at := 1; at < len(tk[i].Data); at += step {
			a, b := tk[i], tk[i]
			a.Data, b.Data = tk[i].Data[:at:at], tk[i].Data[at:]
			cut := append(append(append(talk{}, tk[:i]...), a, b), tk[i+1:]...)
			check(cut, fmt.Sprintf("in piece %d at byte %d", i, at))
		}
	}
}

func shred(tk talk, n int) talk {
	var out talk
	for _, ch := range tk {
		if ch.Kind != capture.Bytes {
			out = append(out, ch)
			continue
		}
		for d := ch.Data; len(d) > 0; {
			k := min(n, len(d))
			c := ch
			// Memory of its own: a parser that keeps a view too long is found out.
			c.Data = append([]byte(nil), d[:k]...)
			out = append(out, c)
			d = d[k:]
		}
	}
	return out
}

func diffHint(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return fmt.Sprintf("first difference in line %d: %s", i+1, g[i])
		}
	}
	return got
}

// aTalk is a row of a playbook.
type aTalk struct {
	name string
	talk talk
	want string
}

func runBook(t *testing.T, book []aTalk) {
	t.Helper()
	for _, r := range book {
		t.Run(strings.ReplaceAll(r.name, " ", "-"), func(t *testing.T) {
			es := play(r.talk)
			got := strings.TrimSpace(dump(es, false))
			var want []string
			for l := range strings.SplitSeq(strings.TrimSpace(r.want), "\n") {
				want = append(want, strings.TrimSpace(l))
			}
			if w := strings.Join(want, "\n"); got != w {
				t.Errorf("got:\n%s\nwant:\n%s", got, w)
			}
			if n := len(r.talk); n > 0 && r.talk[n-1].Kind == capture.Closed {
				checkRules(t, es)
			}
			splitTest(t, r.name, r.talk)
		})
	}
}
