package jsontree

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestStrBytesAgreesWithStr(t *testing.T) {
	for _, text := range []string{`""`, `"plain"`, `"\u4f60好"`, `"你好"`, `"a\"b"`, "\"\xff\"", `"\ud800"`, `7`, `{}`} {
		n := Parse([]byte(text)).Root()
		if got := string(n.StrBytes()); got != n.Str() {
			t.Errorf("%s: %q, want %q", text, got, n.Str())
		}
	}
}

func TestReadsWhatIsThere(t *testing.T) {
	d := Parse([]byte(`{"a":[1,{"b/c":"x\u00e9\ud83d\ude00\n"},-0.5e3],"a2":null,"t":true,"dup":1,"dup":2}`))
	if d.Err != nil {
		t.Fatal(d.Err)
	}
	n := d.Root().Pointer("/a/1/b~1c")
	if got := n.Str(); got != "xé😀\n" {
		t.Errorf("string = %q", got)
	}
	if got := n.PointerTo(); got != "/a/1/b~1c" {
		t.Errorf("pointer = %q", got)
	}
	if v, ok := d.Root().Get("dup").Int(); !ok || v != 2 {
		t.Errorf("duplicate member = %d, want the last one", v)
	}
	if v, _ := d.Root().Pointer("/a/2").Int(); v != -500 {
		t.Errorf("number = %d", v)
	}
	if !d.Root().Has("a2") || d.Root().Get("a2").Kind() != Null || !d.Root().Get("t").Bool() {
		t.Error("null or true not read")
	}
	if d.Root().Path("a", "b").Exists() || d.Root().Pointer("/a/9").Exists() || (Node{}).Get("x").Str() != "" {
		t.Error("an absent value exists")
	}
	if d.Root().Len() != 5 || d.Root().Get("a").Len() != 3 {
		t.Error("lengths")
	}
}

func TestCutTextKeepsWhatWasRead(t *testing.T) {
	d := Parse([]byte(`{"jsonrpc":"2.0","result":{"id":"t1","status":{"sta`))
	if d.Err == nil || !d.Err.EOF {
		t.Fatalf("err = %v, want one that says the text ended", d.Err)
	}
	if got := d.Root().Path("result", "id").Str(); got != "t1" {
		t.Errorf("id = %q", got)
	}
	if d.Root().Path("result", "status").Kind() != Object {
		t.Error("open object lost")
	}
}

func TestRefusesWhatIsNotJSON(t *testing.T) {
	for _, s := range []string{"", " ", "{", "[1,]", "{\"a\":1,}", "01", "1 2", "tru", "nul1", "\"a\nb\"", "{'a':1}", "-", "1.", "NaN", "<html>"} {
		if d := Parse([]byte(s)); d.Err == nil {
			t.Errorf("%q: no error", s)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":"\u00e9"}]}`, `[[[[`, `"\ud800"`, `1e9`, `{"":{"":0}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d := Parse(b)
		if valid := json.Valid(b); valid != (d.Err == nil) && !deep(b) {
			t.Fatalf("valid=%v, err=%v for %q", valid, d.Err, b)
		}
		walk(t, d.Root())
	})
}

func deep(b []byte) bool {
	n := 0
	for _, c := range b {
		if c == '[' || c == '{' {
			n++
		}
	}
	return n >= MaxDepth
}

func walk(t *testing.T, n Node) {
	n.Str()
	seen := 0
	for c := range n.Children() {
		seen++
		walk(t, c)
	}
	if seen != n.Len() {
		t.Fatalf("%d children, Len %d", seen, n.Len())
	}
}

func BenchmarkParse(b *testing.B) {
	text := []byte(`{"jsonrpc":"2.0","id":"1","result":{"task":{"id":"0192","contextId":"c","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-29T22:10:01.123Z"},"artifacts":[{"artifactId":"a","parts":[{"text":"The quick brown fox jumps over the lazy dog. The quick brown fox jumps over the lazy dog. The quick brown fox."}]}]}}}`)
	b.Run("jsontree", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			Parse(text)
		}
	})
	b.Run("floor-json.Valid", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			json.Valid(text)
		}
	})
}

// TestAppendEscaped: what is written reads as what it was, and stays one line.
func TestAppendEscaped(t *testing.T) {
	all := make([]byte, 0x80)
	for i := range all {
		all[i] = byte(i)
	}
	for _, s := range []string{"", "plain", `a "b" \c`, string(all), "日本 \u2028", "no UTF-8 \xff\xfe"} {
		text := append(AppendEscaped([]byte{'"'}, s), '"')
		d := Parse(text)
		if d.Err != nil {
			t.Fatalf("%q: %v", text, d.Err)
		}
		if bytes.ContainsAny(text, "\n\r\t") {
			t.Errorf("%q has a control character", text)
		}
		if got := d.Root().Str(); utf8.ValidString(s) && got != s {
			t.Errorf("%q, want %q", got, s)
		}
	}
}
