package har

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// endOfString is the plain way to find the end of a string.
func endOfString(s []byte) (end int, escaped bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return i + 1, escaped
		case '\\':
			escaped = true
			i++
		}
	}
	return -1, escaped
}

func TestStringEnd(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		s := make([]byte, rnd.IntN(40))
		for i := range s {
			s[i] = `\\\\"ab#\`[rnd.IntN(8)]
		}
		end, esc := stringEnd(s, 0)
		wantEnd, wantEsc := endOfString(s)
		// After the end, a backslash in the same eight bytes may be seen too:
		// then nothing is unescaped in vain but correctly.
		if end != wantEnd || wantEsc && !esc {
			t.Fatalf("%q: %d %v, want %d %v", s, end, esc, wantEnd, wantEsc)
		}
	}
}

func TestUnescape(t *testing.T) {
	pieces := []string{`\"`, `\\`, `\/`, `\n`, `\t`, `\u00e4`, `\u4f60`, `\ud83d\ude00`, "plain", "ü", "你好", " ", `\ud83d`, "0123456789abcdef"}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 50_000 {
		var b strings.Builder
		for range rnd.IntN(8) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		var want string
		if err := json.Unmarshal([]byte(`"`+b.String()+`"`), &want); err != nil {
			t.Fatal(err)
		}
		got := unescape(make([]byte, 0, len(b.String())), []byte(b.String()))
		if string(got) != want {
			t.Fatalf("%s: %q, want %q", b.String(), got, want)
		}
		if again := unescape(nil, []byte(b.String())); !bytes.Equal(again, got) {
			t.Fatalf("%s: the room changes the result: %q, %q", b.String(), again, got)
		}
	}
	for raw, want := range map[string]string{
		`a\udcffb`: "a\xffb",    // surrogateescape: a byte
		`\ud800x`:  "\ufffdx",   // half a pair
		`\u12`:     `\u12`,      // cut
		`\q`:       `\q`,        // unknown
		`\ud83dx\`: "\ufffdx\\", // ends with a backslash
	} {
		if got := string(unescape(nil, []byte(raw))); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

func FuzzUnescape(f *testing.F) {
	f.Add([]byte(`a\"b\\\u00e4\ud83d\ude00`))
	f.Fuzz(func(t *testing.T, s []byte) {
		got := unescape(make([]byte, 0, len(s)), s)
		if len(got) > len(s) {
			t.Fatalf("%q grew to %q", s, got)
		}
		var want string
		quoted := append(append([]byte{'"'}, s...), '"')
		if !utf8.Valid(s) || bytes.Contains(bytes.ToLower(s), []byte(`\ud`)) || json.Unmarshal(quoted, &want) != nil {
			return
		}
		if string(got) != want {
			t.Fatalf("%q: %q, want %q", s, got, want)
		}
	})
}

func TestSkipValue(t *testing.T) {
	for text, want := range map[string]struct {
		end int
		v   verdict
	}{
		`{"a":[1,{"b":"]}"}]},`:             {20, whole},
		"[\n        1,\n\t 2 ]x":            {18, whole},
		`"a\"b",`:                           {6, whole},
		`12.5e3}`:                           {6, whole},
		`12.5e3`:                            {6, cutOff},
		`{"a":1]`:                           {6, broken},
		`{"a":"x`:                           {7, cutOff},
		`nul:`:                              {3, broken},
		strings.Repeat("[", 600):            {512, broken},
		strings.Repeat("9", 100) + ",":      {65, broken},
		strings.Repeat("[", 512) + "1":      {513, cutOff},
		`{"a":{"b":[{"c":"\\"}]}}` + `  ,x`: {24, whole},
	} {
		if end, v := skipValue([]byte(text), 0); end != want.end || v != want.v {
			t.Errorf("%.40s: %d %d, want %d %d", text, end, v, want.end, want.v)
		}
	}
}

func TestParseTime(t *testing.T) {
	want := noon.Format("2006-01-02T15:04:05.000000Z07:00")
	for _, s := range []string{
		"2026-11-29T12:00:00Z", "2026-11-29T12:00:00.000Z", "2026-11-29T13:00:00.0000000+01:00", "2026-11-29T12:00:00.000000+00:00",
		"2026-11-29T06:30:00.0-0530", "2026-11-29 12:00:00", "2026-11-29T12:00:00", "2026-11-29t14:00:00,0+02",
	} {
		got, ok := parseTime([]byte(s))
		if g := got.Format("2006-01-02T15:04:05.000000Z07:00"); !ok || g != want {
			t.Errorf("%s: %s %v", s, g, ok)
		}
	}
	if got, _ := parseTime([]byte("2026-11-29T12:00:00.1234567Z")); got.Nanosecond() != 123456700 {
		t.Errorf("decimals: %v", got)
	}
	for _, s := range []string{"", "yesterday", "2026-11-29", "2026-13-29T12:00:00Z", "2026-11-29T12:00:00+", "2026-11-29T12:00:00+99:99", "2026-11-2xT12:00:00Z"} {
		if got, ok := parseTime([]byte(s)); ok {
			t.Errorf("%q: taken as %v", s, got)
		}
	}
}
