package har

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
)

// entryOf is a small entry whose request path is /n.
func entryOf(n int) string {
	return fmt.Sprintf(`{"startedDateTime":"2026-11-29T12:00:0%dZ","time":1,"request":{"method":"POST","url":"http://h.test/%d","httpVersion":"HTTP/1.1","headers":[{"name":"a","value":"b"},{"name":"c","value":"d"}],"postData":{"text":"{\"n\":[{\"x\":1},{\"y\":2}]}"}},"response":{"status":200,"httpVersion":"HTTP/1.1","headers":[],"content":{"size":2,"text":"{}"}}}`, n%10, n)
}

// paths lists the connection and the target of every request.
func paths(es []capture.Event) string {
	var b strings.Builder
	for i := range es {
		if h, ok := es[i].Body.(*capture.Head); ok && h.IsRequest() {
			fmt.Fprintf(&b, "%d:%s ", es[i].Conn, h.Target)
		}
	}
	return strings.TrimSpace(b.String())
}

func TestDamage(t *testing.T) {
	one, two, three := entryOf(1), entryOf(2), entryOf(3)
	for _, c := range []struct{ name, text, paths, damage, err string }{
		{"nothing wrong", harOf(one, two), "1:/1 2:/2", "", ""},
		{"no entries", harOf(), "", "", ""},
		{"entries first, log not first, creator after, members unknown", `{"x":[{"entries":[1]}],"log":{"entries":[` + one + `],"pages":[{"id":"p"}],"version":"1.2","creator":{}},"y":null}`, "1:/1", "", ""},
		{"version 1.1", strings.Replace(harOf(one), `"1.2"`, `"1.1"`, 1), "1:/1", "", ""},
		{"version 2.0", strings.Replace(harOf(one), `"1.2"`, `"2.0"`, 1), "1:/1", "version: the file says HAR \"2.0\"; it was read as HAR 1.2\n", ""},
		{"an entry without request", harOf(one, `{"response":{}}`, three), "1:/1 3:/3", "bad-entry: entry 2: it has no request (byte AT2)\n", ""},
		{"an entry that is null, one without url", harOf("null", `{"request":{"method":"GET","headers":[]}}`, three), "3:/3",
			"bad-entry: entry 1: an object expected (byte AT1)\nbad-entry: entry 2: its request has no url (byte AT2)\n", ""},
		{"a missing comma inside an entry", harOf(one, strings.Replace(two, `"method":"POST",`, `"method":"POST"`, 1), three), "1:/1 3:/3",
			"bad-entry: entry 2: ',' or '}' expected (byte AT2+77)\n", ""},
		{"quotes not escaped in a body", harOf(one, strings.Replace(two, `{\"n\"`, `{"n"`, 1), three), "1:/1 3:/3",
			"bad-entry: entry 2: ',' or '}' expected (byte AT2+211)\n", ""},
		{"one quote not escaped: all that follows is inside out", harOf(one, strings.Replace(two, `{\"n\":[{\"x\":1},{\"y\":2}]}`, `a"b`, 1), three, entryOf(4)), "1:/1 3:/3 4:/4",
			"bad-entry: entry 2: its brackets or quotes do not match, reading goes on at byte AT3 (byte AT2)\n", ""},
		{"brackets that do not match", harOf(one, strings.Replace(two, `}],"postData"`, `}},"postData"`, 1), three), "1:/1 3:/3",
			"bad-entry: entry 2: its brackets or quotes do not match, reading goes on at byte AT3 (byte AT2)\n", ""},
		{"the last one is broken", harOf(one, strings.Replace(two, `}],"postData"`, `}},"postData"`, 1)), "1:/1",
			"bad-entry: entry 2: its brackets or quotes do not match, and no entry follows that could be read (byte AT2)\n", ""},
		{"a comma too many, one too few", `{"log":{"entries":[` + one + `,,` + two + three + `,]}}`, "1:/1 2:/2 3:/3", "", ""},
		{"cut inside an entry", harOf(one, two)[:len(harOf(one, two))-40], "1:/1", "truncated: entry 2: the file ends inside it, at byte END (byte AT2)\n", ""},
		{"cut between entries", harOf(one, two)[:len(harOf(one, two))-3], "1:/1 2:/2", "truncated: the file ends before its JSON does; every entry before the end is whole (byte END)\n", ""},
		{"cut before entries", `{"log":{"version":"1.2"`, "", "", "test.har: no HAR, or one that was cut: the text ends at byte 23 before member log.entries"},
		{"garbage after an entry", `{"log":{"entries":[` + one + `:` + two + `,` + three + `]}}`, "1:/1 3:/3",
			"bad-entry: entry 2: its brackets or quotes do not match, reading goes on at byte AT3 (byte AT2-1)\n", ""},
		{"no JSON after the entries", `{"log":{"entries":[` + one + `]} x`, "1:/1", "bad-json: this is no JSON; what follows was not read (byte END-1)\n", ""},
		{"another JSON", `{"name":"agent","version":"1"}`, "", "", "test.har: JSON, but no HAR: member log is missing"},
		{"log without entries", `{"log":{"version":"1.2"}}`, "", "", "test.har: JSON, but no HAR: member log.entries is missing"},
		{"entries of another kind", `{"log":{"entries":{"a":[]}}}`, "", "", "test.har: JSON, but no HAR: member log.entries is missing"},
		{"websockets, tunnels and data URLs", harOf(
			`{"_webSocketMessages":[],"request":{"method":"GET","url":"https://h/","headers":[]},"response":{"status":200}}`,
			`{"request":{"method":"GET","url":"wss://h/","headers":[]},"response":{"status":101}}`,
			`{"request":{"method":"CONNECT","url":"h:443","headers":[]},"response":{"status":200}}`,
			`{"request":{"method":"GET","url":"data:text/plain,x","headers":[]},"response":{"status":200}}`, one), "5:/1",
			"websocket: 2 WebSocket connections are not read (first: entry 1)\ntunnel: 1 CONNECT tunnel is not read (first: entry 3)\nnot-http: 1 entry that is no HTTP exchange is not read (first: entry 4)\n", ""},
		{"deeper than anyone nests", harOf(one, strings.Repeat("[", 600)+strings.Repeat("]", 600), three), "1:/1 3:/3",
			"bad-entry: entry 2: its brackets or quotes do not match, reading goes on at byte AT3 (byte AT2)\n", ""},
	} {
		var places []string
		for i, e := range []string{`2:00:01Z`, `2:00:02Z`, `2:00:03Z`} {
			if at := strings.Index(c.text, e); at >= 0 {
				places = append(places, fmt.Sprintf("AT%d", i+1), fmt.Sprint(at-len(`{"startedDateTime":"2026-11-29T1`)))
			}
		}
		want := strings.NewReplacer(places...).Replace(c.damage)
		check := func(how string, k *keeping, sum capture.Summary, err error) {
			t.Helper()
			if fmt.Sprint(err) != c.err && (err != nil || c.err != "") {
				t.Errorf("%s (%s): error %v, want %s", c.name, how, err, c.err)
			}
			if got := paths(k.events); got != c.paths {
				t.Errorf("%s (%s): %s, want %s", c.name, how, got, c.paths)
			}
			if got := dumpDamage(sum); !matches(got, want, c.text) {
				t.Errorf("%s (%s): damage\n%swant\n%s", c.name, how, got, want)
			}
		}
		k, sum, err := mapped([]byte(c.text))
		check("mapped", k, sum, err)
		for _, slow := range []bool{false, true} {
			k, sum, err := streamed(c.text, slow)
			check("stream", k, sum, err)
		}
	}
}

// matches compares damage with what is expected, where "byte 12+3" is reckoned
// out, AT<n> stands for anything when the entry has no time, and END is the
// length of the text.
func matches(got, want, text string) bool {
	want = strings.ReplaceAll(want, "END-1", fmt.Sprint(len(text)-1))
	want = strings.ReplaceAll(want, "END", fmt.Sprint(len(text)))
	gs, ws := strings.Fields(got), strings.Fields(want)
	if len(gs) != len(ws) {
		return false
	}
	for i := range gs {
		g, w := strings.Trim(gs[i], "()"), strings.Trim(ws[i], "()")
		var a, b int
		switch n, _ := fmt.Sscanf(w, "%d%d", &a, &b); {
		case strings.HasPrefix(w, "AT"):
			if _, err := fmt.Sscan(g, &a); err != nil {
				return false
			}
		case n == 2 && strings.ContainsAny(w, "+-") && !strings.Contains(w, "'"):
			if g != fmt.Sprint(a+b) {
				return false
			}
		case g != w:
			return false
		}
	}
	return true
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "the file is empty",
		"  \n":                     "the file holds only white space",
		"\xff\xfe{\x00":            "the text is UTF-16, JSON is UTF-8 (RFC 8259 section 8.1); save it as UTF-8",
		"[1]":                      "no HAR: '[' at byte 0, where '{' should be",
		"\xef\xbb\xbf  <html>":     "no HAR: '<' at byte 5, where '{' should be",
		"\x1f\x8bxx":               "gzip: unexpected EOF",
		`{"log" 1}`:                "no HAR: this is no JSON at byte 7",
		`{`:                        "no HAR: the text ends at byte 1",
		`{"log":{"entries":[`:      "<nil>",
		`{"log":{"entries":[]}}  `: "<nil>",
	} {
		_, _, err := streamed(text, false)
		if want != "<nil>" {
			want = "test.har: " + want
		}
		if fmt.Sprint(err) != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.har")); err == nil {
		t.Error("a file that is not there was opened")
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder was opened")
	}
	for text, want := range map[string]bool{"{": true, "\xef\xbb\xbf\r\n\t {": true, "": false, "[": false, "\x0a\x0d\x0d\x0a": false} {
		if Sniff([]byte(text)) != want {
			t.Errorf("Sniff(%q) = %v", text, !want)
		}
	}
}

// An entry without a time takes that of the entry before.
func TestUndated(t *testing.T) {
	k, sum, err := mapped([]byte(harOf(entryOf(1), strings.Replace(entryOf(2), "2026", "then", 1), entryOf(3))))
	for i := range k.events {
		if k.events[i].At.After(sum.Last) {
			t.Errorf("event %d comes after the last moment, %v", i, sum.Last)
		}
	}
	if !slices.ContainsFunc(k.events, func(e capture.Event) bool { return e.At.Equal(sum.Last) }) {
		t.Errorf("nothing happens at the last moment, %v", sum.Last)
	}
	if err != nil {
		t.Fatal(err)
	}
	last, seq := time.Time{}, uint64(0)
	for _, e := range k.events {
		if e.At.Before(last) || e.At.Before(noon) || e.Seq != seq+1 {
			t.Fatalf("%v (seq %d) after %v (seq %d)", e.At, e.Seq, last, seq)
		}
		last, seq = e.At, e.Seq
	}
}

// The times do not depend on how the text came: mapped, many entries are settled
// at once, and from a slow stream each by itself.
func TestUndatedEitherWay(t *testing.T) {
	without := func(entry string) string { return strings.Replace(entry, "2026", "then", 1) }
	events := `{"startedDateTime":"","time":9000,"_resourceType":"eventsource","_eventSourceMessages":[` +
		`{"time":1795953601.25,"data":"a"},{"time":1795953602.5,"data":"b"}],` +
		`"request":{"method":"GET","url":"http://h.test/x"},"response":{"status":200,"content":{"mimeType":"text/event-stream"}}}`
	for name, entries := range map[string][]string{
		"events with times, first":    {events, without(entryOf(2)), without(entryOf(3))},
		"events with times, between":  {entryOf(1), without(entryOf(2)), events, without(entryOf(3)), entryOf(4)},
		"a year before all recorders": {strings.Replace(entryOf(1), "2026", "1500", 1), without(entryOf(2)), entryOf(3)},
	} {
		text := harOf(entries...)
		a, _, err := mapped([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := streamed(text, true)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := dump(a.events, noon), dump(b.events, noon); a != b {
			t.Errorf("%s: mapped\n%sstream\n%s", name, a, b)
		}
	}
	k, _, _ := mapped([]byte(harOf(entryOf(1), events)))
	ended := k.events[len(k.events)-1].At
	if begun := k.events[slices.IndexFunc(k.events, func(e capture.Event) bool { return e.Conn == 2 })].At; ended.Sub(begun) != 9*time.Second {
		t.Errorf("9 s after its beginning the stream has lasted %v", ended.Sub(begun))
	}
}

// The same exchanges come out whether the file is mapped, read or compressed.
func TestOpen(t *testing.T) {
	text, entries := bigHAR(mapFrom + 1)
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var z bytes.Buffer
	zw := gzip.NewWriter(&z)
	if _, err := zw.Write(text); err != nil {
		t.Fatal(err)
	}
	zw.Close()
	var oracle struct {
		Log struct {
			Entries []struct {
				Response struct {
					Content struct {
						Text, MimeType string
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &oracle); err != nil {
		t.Fatal(err)
	}
	small := harOf(entryOf(1))
	first := ""
	for _, path := range []string{write("big.har", text), write("big.har.gz", z.Bytes())} {
		src, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		k := &keeping{}
		sum, err := src.Run(context.Background(), k)
		if err != nil || len(sum.Damage) > 0 || sum.Connections != int64(entries) || sum.Format != "har" {
			t.Fatal(path, err, sum)
		}
		info, _ := os.Stat(path)
		if k.last.Read != k.last.Total && path != write("big.har", text) || k.last.Total != info.Size() || k.last.Read > k.last.Total {
			t.Errorf("%s: progress %+v", path, k.last)
		}
		n := 0
		for _, e := range k.events {
			f, ok := e.Body.(*capture.Frame)
			if !ok || e.From != capture.Server || f.Form != capture.WholeBody {
				continue
			}
			n++
			if want := oracle.Log.Entries[e.Conn-1].Response.Content.Text; string(f.Data) != want {
				t.Fatalf("%s: entry %d: %.80q, want %.80q", path, e.Conn, f.Data, want)
			}
		}
		if n == 0 {
			t.Fatal("no bodies")
		}
		d := dump(k.events, noon)
		if first != "" && d != first {
			t.Errorf("%s gives other events", path)
		}
		first = d
	}
	src, err := Open(write("small.har", []byte(small)))
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := src.Run(context.Background(), &keeping{}); err != nil || sum.Connections != 1 {
		t.Error(sum, err)
	}
	cut := z.Bytes()[:z.Len()/2]
	src, err = Open(write("cut.har.gz", cut))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := src.Run(context.Background(), &keeping{})
	if err != nil || sum.Connections == 0 || len(sum.Damage) != 1 || sum.Damage[0].What != "truncated" {
		t.Error(sum, err)
	}
}

// Run returns when the receiver is gone or the context ends, and waits for its goroutines.
func TestStops(t *testing.T) {
	text, _ := bigHAR(4 << 20)
	run := func(ctx context.Context, k *keeping) error {
		r := run{name: "x", split: &splitter{buf: text}, to: k}
		_, err := r.run(ctx)
		return err
	}
	if err := run(context.Background(), &keeping{stop: 3}); err == nil || !strings.Contains(err.Error(), errGone.Error()) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := run(ctx, &keeping{}); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Error(err)
	}
}

// The corpus: every request of every file, as encoding/json sees it.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("../../samples/captures/har*.har")
	if err != nil || len(files) == 0 {
		t.Skip("no corpus here")
	}
	for _, path := range files {
		src, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		k := &keeping{}
		sum, err := src.Run(context.Background(), k)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var oracle struct {
			Log struct {
				Entries []struct {
					Request  struct{ Method, URL string }
					Response struct{ Status int }
				}
			}
		}
		if err := json.Unmarshal(text, &oracle); err != nil {
			if len(sum.Damage) != 1 || sum.Damage[0].What != "truncated" {
				t.Errorf("%s: %v, but damage is %v", path, err, sum.Damage)
			}
			if got := strings.Count(string(text), `"startedDateTime"`); sum.Connections != int64(got)-1 {
				t.Errorf("%s: %d entries, want %d", path, sum.Connections, got-1)
			}
			continue
		}
		if len(sum.Damage) > 0 || sum.Connections != int64(len(oracle.Log.Entries)) {
			t.Errorf("%s: %d entries, want %d, damage %v", path, sum.Connections, len(oracle.Log.Entries), sum.Damage)
		}
		for _, e := range k.events {
			h, ok := e.Body.(*capture.Head)
			if !ok {
				continue
			}
			want := oracle.Log.Entries[e.Conn-1]
			if h.IsRequest() && (h.Method != want.Request.Method || !strings.HasSuffix(want.Request.URL, h.Target)) || !h.IsRequest() && h.Status != want.Response.Status {
				t.Errorf("%s: entry %d: %+v, want %+v", path, e.Conn, h, want)
			}
		}
	}
}
