package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"a2ascope/internal/jsontree"
	"a2ascope/internal/redact"
	"a2ascope/ui/kit"
)

// all returns the lines of a block as text.
func all(b Block) []string {
	b.Grow(1 << 30)
	n, done := b.Len()
	if !done {
		panic("not all lines are known after growing to the end")
	}
	out := make([]string, n)
	for i := range n {
		out[i] = plain(b.Line(i))
	}
	return out
}

// What is drawn is what encoding/json's indenting gives.
func TestJSONIsIndentedAsUsual(t *testing.T) {
	for _, s := range []string{
		`{}`, `[]`, `{"a":1}`, `[1,2,[3,{}],{"b":[]}]`, `{"a":{"b":{"c":[true,false,null,-1.5e3]}},"d":"x\"y\\"}`,
		`"just a string"`, `12`, ` { "a" : [ ] , "b" : { } } `, `[[],[[]],{}]`, `{"k":"äöü上海"}`,
	} {
		var want bytes.Buffer
		if err := json.Indent(&want, []byte(s), "", "  "); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(all(NewJSON([]byte(s), redact.Off, "")), "\n")
		if w := strings.TrimSpace(want.String()); got != w {
			t.Errorf("%s\n got:\n%s\nwant:\n%s", s, got, w)
		}
	}
}

// The index does not depend on how it was asked for, and every byte that is no
// space is on some line, in order.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":null}]}`, `{"a":`, `}]{`, `{"a" "b":: ,, [ ] }`, "\"open\\", `nul[1]"x"{}`, "{}{}", `[1 2]`} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, step int) {
		a, b := NewJSON(text, redact.Off, ""), NewJSON(text, redact.Off, "")
		a.Grow(1 << 30)
		step = max(1, step&15)
		for n := step; ; n += step {
			b.Grow(n)
			if _, done := b.Len(); done {
				break
			}
		}
		if fmt.Sprint(a.lines) != fmt.Sprint(b.lines) {
			t.Fatalf("lines depend on the steps:\n%v\n%v", a.lines, b.lines)
		}
		var seen []byte
		for i := range a.lines {
			seen = append(seen, a.source(i)...)
			a.Line(i)
		}
		if x, y := squeeze(seen), squeeze(text); !bytes.Equal(x, y) {
			t.Fatalf("bytes are lost: %q, want %q", x, y)
		}
	})
}

func squeeze(b []byte) []byte {
	var out []byte
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			out = append(out, c)
		}
	}
	return out
}

func TestEvidenceIsMarked(t *testing.T) {
	doc := jsontree.Parse([]byte(`{"a":{"b":[1,2]},"c":"x"}`))
	j := NewJSON(doc.Text, redact.Off, "")
	j.Mark(doc.Root().Pointer("/a/b"))
	j.Mark(doc.Root().Pointer("/c"))
	if got := j.LineOf(doc.Root().Pointer("/a/b/1")); got != 4 {
		t.Errorf("/a/b/1 is on line %d, want 4", got)
	}
	var marked, lit []int
	for i := range len(all(j)) {
		l := j.Line(i)
		if l.Gutter {
			marked = append(marked, i)
		}
		for _, s := range l.Segs {
			if s.Role == kit.Evidence {
				lit = append(lit, i)
				break
			}
		}
	}
	if fmt.Sprint(marked) != "[2 3 4 5 7]" || fmt.Sprint(lit) != "[2 7]" {
		t.Errorf("gutter on %v, highlighted %v", marked, lit)
	}
}

func TestSecretsAreMaskedWhileDrawing(t *testing.T) {
	s := `{"token":"abc","headers":{"authorization":["Bearer x1234567890123456"]},"password":12345,"text":"Bearer 0123456789abcdef","id":"abc"}`
	got := strings.Join(all(NewJSON([]byte(s), redact.Words, "")), "\n")
	for _, secret := range []string{`"token": "abc"`, "x1234567890123456", "12345,", "0123456789abcdef"} {
		if strings.Contains(got, secret) {
			t.Errorf("%q is shown:\n%s", secret, got)
		}
	}
	if !strings.Contains(got, `"id": "abc"`) {
		t.Errorf("what is no secret is masked:\n%s", got)
	}
}

func TestRawKeepsLines(t *testing.T) {
	r := NewRaw([]byte("a\r\nb\n\nc\x1b"), kit.Plain, redact.Off)
	if got := fmt.Sprintf("%q", all(r)); got != `["a" "b" "" "c␛"]` {
		t.Error(got)
	}
	long := NewRaw(bytes.Repeat([]byte("x"), 3*maxRawLine+1), kit.Plain, redact.Off)
	if got := len(all(long)); got != 4 {
		t.Errorf("%d lines, want 4", got)
	}
}

func TestHex(t *testing.T) {
	got := all(NewHex([]byte("0123456789abcdef\x00\xff")))
	want := []string{
		"000000 30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66 0123456789abcdef",
		"000010 00 ff                                            ..",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMarkup(t *testing.T) {
	var lines []string
	roles := map[kit.Role]bool{}
	for _, b := range NewMarkup([]byte("<html>\r\n<!-- c -->\n<a href=\"x\">&amp; text</a>\n"), redact.Off) {
		lines = append(lines, all(b)...)
		n, _ := b.Len()
		for i := range n {
			for _, s := range b.Line(i).Segs {
				roles[s.Role] = true
			}
		}
	}
	if got := strings.Join(lines, "|"); got != `<html>|<!-- c -->|<a href="x">&amp; text</a>` {
		t.Error(got)
	}
	for _, r := range []kit.Role{kit.SynTag, kit.SynAttr, kit.SynString, kit.SynComment} {
		if !roles[r] {
			t.Errorf("role %d is not used", r)
		}
	}
}

// Rows hold the whole line, none is wider than it may be.
func TestBreaks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{"a", "route", "上海", "，", " ", " ", "(", "Köln", "-32601", "https://x.example/y?z=1&q"}
	for range 2000 {
		var b strings.Builder
		for range rng.IntN(40) {
			b.WriteString(words[rng.IntN(len(words))])
		}
		s, w, hang := b.String(), 4+rng.IntN(40), rng.IntN(6)
		at := breaks(nil, s, w, hang)
		for i, from := range at {
			to, room := len(s), w
			if i+1 < len(at) {
				to = at[i+1]
			}
			if i > 0 {
				room -= min(hang, w/2)
			}
			if to <= from && len(s) > 0 {
				t.Fatalf("%q at %d: an empty row: %v", s, w, at)
			}
			if kit.Width(strings.TrimRight(s[from:to], " ")) > room {
				t.Fatalf("%q at %d (hang %d): row %q is too wide", s, w, hang, s[from:to])
			}
		}
	}
}

// Scrolling to the end and back comes home, whatever the width, and the last
// row is reachable.
func TestScrolling(t *testing.T) {
	s := &Static{}
	for i := range 50 {
		s.Text(kit.Plain, 0, strings.Repeat("word ", i))
	}
	for _, w := range []int{8, 20, 79, 300} {
		p := Pager{}.Resize(kit.Size{W: w, H: 10}).Show(NewDoc(s, NewHex(make([]byte, 100))))
		first := p.View(kit.NewStyles(kit.Mono), false)
		for range 3000 {
			p, _, _ = p.Key(kit.Key{Name: "j"})
		}
		end := p.View(kit.NewStyles(kit.Mono), false)
		if !strings.Contains(end, "....") {
			t.Fatalf("width %d: the end is not reached:\n%s", w, end)
		}
		p2, _, _ := p.Key(kit.Key{Name: "G"})
		if p2.View(kit.NewStyles(kit.Mono), false) != end {
			t.Errorf("width %d: G does not lead to where scrolling ends", w)
		}
		for range 3000 {
			p, _, _ = p.Key(kit.Key{Name: "k"})
		}
		if p.View(kit.NewStyles(kit.Mono), false) != first || !p.AtTop() {
			t.Errorf("width %d: scrolling back does not come home", w)
		}
	}
}

func TestSearch(t *testing.T) {
	p := Pager{}.Resize(kit.Size{W: 40, H: 5}).Show(NewDoc(NewJSON([]byte(`{"a":"Needle","b":[1,2,3,4,5,6,7,8,9],"c":"needle"}`), redact.Off, "")))
	p, ok := p.Search("NEEDLE", 0)
	if !ok || p.here.Line != 1 {
		t.Fatalf("first match on line %d", p.here.Line)
	}
	p, ok = p.Search("needle", +1)
	if !ok || p.here.Line != 13 || !p.visible(p.here) {
		t.Fatalf("second match on line %d", p.here.Line)
	}
	p, _ = p.Search("needle", +1)
	if p.here.Line != 1 {
		t.Errorf("the search does not go around: line %d", p.here.Line)
	}
	p, _ = p.Search("needle", -1)
	if p.here.Line != 13 {
		t.Errorf("backwards: line %d", p.here.Line)
	}
	if _, ok = p.Search("absent", 0); ok {
		t.Error("found what is not there")
	}
}

// big is a body of some size with all that JSON has.
func big(size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"items":[`)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"item-%d","value":%d.5,"ok":true,"text":"a text of usual length, number %d","tags":["a","b",null]}`, i, i, i)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// BenchmarkFirstScreen shows a body of 10 MB for the first time; index reads
// it to its end, as G does. floor is one look at every byte.
func BenchmarkFirstScreen(b *testing.B) {
	body := big(10 << 20)
	st := kit.NewStyles(kit.Dark)
	b.Run("floor", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		n := 0
		for b.Loop() {
			for _, c := range body {
				if c == '"' {
					n++
				}
			}
		}
		_ = n
	})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			p := Pager{}.Resize(kit.Size{W: 120, H: 60}).Show(NewDoc(NewJSON(body, redact.Words, "")))
			p.View(st, true)
		}
	})
	b.Run("index", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			NewJSON(body, redact.Words, "").Grow(1 << 30)
		}
	})
}
