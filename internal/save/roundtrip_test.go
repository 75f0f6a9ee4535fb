package save

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"a2ascope/capture"
	"a2ascope/capture/har"
	"a2ascope/capture/pcap"
	"a2ascope/capture/script"
	"a2ascope/decode/schema"
	"a2ascope/diagnose"
	"a2ascope/internal/report"
	"a2ascope/internal/session"
	"a2ascope/rules"
)

var ruleSet = sync.OnceValue(func() *diagnose.Set {
	set, errs := diagnose.Load(rules.FS, true)
	if len(errs) > 0 {
		panic(errs[0])
	}
	return set
})

// opener opens a capture file, or the play of a lesson.
func opener(name string) func() (capture.Source, error) {
	return func() (capture.Source, error) {
		switch {
		case strings.HasSuffix(name, ".har"):
			return har.Open(name)
		case strings.HasSuffix(name, ".txtar"):
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			for _, f := range txtar.Parse(text).Files {
				if strings.HasSuffix(f.Name, ".play") {
					p, err := script.Parse(name, f.Data)
					if err != nil {
						return nil, err
					}
					return p.Source(script.Options{EncodeGRPC: schema.EncodeGRPC}), nil
				}
			}
			return nil, fmt.Errorf("%s has no play", name)
		}
		return pcap.Open(name)
	}
}

// view reads a file, through wrap when it is given.
func view(t testing.TB, open func() (capture.Source, error)) *session.View {
	t.Helper()
	s := session.New(session.Options{NewEngine: func() session.Engine { return diagnose.NewEngine(ruleSet(), diagnose.Options{}) }})
	if err := s.Run(context.Background(), []session.Input{{Name: "in", Open: open}}); err != nil {
		t.Fatal(err)
	}
	v := s.View()
	if err := v.Files[0].Err; err != nil {
		t.Fatal(err)
	}
	return v
}

// told is what the report says of every call and finding. What a file may
// change is left out: the numbers of connections, evidence that may be masked.
func told(t testing.TB, v *session.View, masked bool) []string {
	t.Helper()
	var out bytes.Buffer
	f, err := report.FindFormat("jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(&out, report.New(v, report.Options{})); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(out.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if m["type"] == "file" || m["type"] == "summary" {
			continue
		}
		drop := []string{"file", "connection", "time", "duration_ms", "client"}
		if masked {
			drop = append(drop, "evidence", "path", "symptom", "cause", "fix")
		}
		for _, k := range drop {
			delete(m, k)
		}
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(b))
	}
	return lines
}

func difference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		a, b := "(nothing)", "(nothing)"
		if i < len(got) {
			a = got[i]
		}
		if i < len(want) {
			b = want[i]
		}
		if a != b {
			n := 0
			for n < len(a) && n < len(b) && a[n] == b[n] {
				n++
			}
			n = max(n-60, 0)
			return fmt.Sprintf("line %d of %d and %d\n got …%.400s\nwant …%.400s", i+1, len(got), len(want), a[min(n, len(a)):], b[min(n, len(b)):])
		}
	}
	return ""
}

func inputs(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.txtar", "captures/*"} {
		names, err := filepath.Glob("../../samples/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, names...)
	}
	return slices.DeleteFunc(all, func(n string) bool {
		return !slices.Contains([]string{".txtar", ".har", ".pcap", ".pcapng"}, filepath.Ext(n)) || strings.Contains(n, "l01_file5mb") && testing.Short()
	})
}

// exceptions are the captures of which a part cannot stay the same, and why.
var exceptions = map[string]string{
	"d11_snap120_row1.pcap":       "when a loss inside a head is noticed depends on what follows: times move",
	"har03_mitm_row4_rest404.har": "the producer left out a body whose length the head names: in packets that is a loss",
	"mx01_grpc_multiplex.pcap":    "streams that ended at the same time: which of them was first only the packets knew",
}

// same compares what the report says; of an exception only the calls count.
func same(t testing.TB, name, what string, got, want []string) {
	t.Helper()
	if exceptions[filepath.Base(name)] != "" {
		calls := func(l []string) (n int) {
			for _, s := range l {
				if strings.Contains(s, `"type":"exchange"`) {
					n++
				}
			}
			return n
		}
		if calls(got) != calls(want) {
			t.Errorf("%s: %d calls instead of %d", what, calls(got), calls(want))
		}
		return
	}
	if d := difference(got, want); d != "" {
		t.Errorf("%s: %s", what, d)
	}
}

// TestRoundTrip: a session that is saved and read again has the same calls and
// findings, and saved once more it is the same file.
func TestRoundTrip(t *testing.T) {
	for _, name := range inputs(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			v := view(t, opener(name))
			for _, ext := range []string{".har", ".pcapng"} {
				for _, plain := range []bool{true, false} {
					o := Options{Version: "test", Plain: plain}
					first := filepath.Join(t.TempDir(), "first"+ext)
					n, err := Write(context.Background(), first, v, o)
					if err != nil {
						t.Fatal(err)
					}
					if n == (Count{}) {
						continue
					}
					again := view(t, opener(first))
					same(t, name, fmt.Sprintf("%s, plain %v", ext, plain), told(t, again, !plain), told(t, v, !plain))
					if exceptions[filepath.Base(name)] != "" {
						continue
					}
					second := filepath.Join(t.TempDir(), "second"+ext)
					if _, err := Write(context.Background(), second, again, o); err != nil {
						t.Fatal(err)
					}
					if d := sameFile(t, first, second); d != "" {
						t.Errorf("%s, plain %v: written again it differs: %s", ext, plain, d)
					}
				}
			}
		})
	}
}

func sameFile(t testing.TB, first, second string) string {
	t.Helper()
	a, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(a, b) {
		return ""
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	from := max(n-80, 0)
	return fmt.Sprintf("at byte %d\nfirst  %.300q\nsecond %.300q", n, a[min(from, len(a)):], b[min(from, len(b)):])
}

// TestRecord: what is recorded while it is read gives the same calls and
// findings, and recorded once more as it is, the same file.
func TestRecord(t *testing.T) {
	for i, name := range inputs(t) {
		if strings.HasSuffix(name, ".har") { // messages and no bytes
			continue
		}
		if !strings.HasSuffix(name, ".txtar") && i%3 != 0 { // they are the same bytes as in TestRoundTrip
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			v := view(t, opener(name))
			for _, plain := range []bool{true, false} {
				first := record(t, opener(name), plain)
				if len(told(t, v, false)) == 0 && !plain {
					continue
				}
				again := view(t, opener(first))
				same(t, name, fmt.Sprintf("plain %v", plain), told(t, again, !plain), told(t, v, !plain))
				if !plain || exceptions[filepath.Base(name)] != "" {
					continue
				}
				if d := sameFile(t, first, record(t, opener(first), plain)); d != "" {
					t.Errorf("recorded again it differs: %s", d)
				}
			}
		})
	}
}

func record(t testing.TB, open func() (capture.Source, error), plain bool) string {
	t.Helper()
	return recordWith(t, open, plain, nil)
}

func recordWith(t testing.TB, open func() (capture.Source, error), plain bool, notes map[int]Note) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "recorded.pcapng")
	r, err := Record(name, Options{Plain: plain})
	if err != nil {
		t.Fatal(err)
	}
	v := view(t, func() (capture.Source, error) {
		src, err := open()
		if err != nil {
			return nil, err
		}
		return r.Source(src), nil
	})
	if _, err := r.Close(v, notes); err != nil {
		t.Fatal(err)
	}
	return name
}
