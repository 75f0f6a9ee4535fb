package ruletest

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/capture/script"
	"a2ascope/decode"
	"a2ascope/decode/schema"
	"a2ascope/diagnose"
	"a2ascope/rules"
)

// ordered returns the calls in the order of their exchanges.
func (o *Outcome) ordered() []*decode.Call {
	var cs []*decode.Call
	for _, c := range o.Calls {
		cs = append(cs, c)
	}
	slices.SortFunc(cs, func(a, b *decode.Call) int { return cmp.Compare(o.Number[a.Exchange.ID], o.Number[b.Exchange.ID]) })
	return cs
}

func (o *Outcome) dump() string {
	var b strings.Builder
	for _, c := range o.ordered() {
		b.WriteString(decode.Dump(c))
		b.WriteByte('\n')
	}
	return b.String()
}

// A play that was written of what a play gave says the same.
func TestPlaysAreWrittenBack(t *testing.T) {
	set, errs := diagnose.Load(rules.FS, true)
	for _, err := range errs {
		t.Fatal(err)
	}
	n := 0
	for _, root := range []string{"../../rules", "../../samples"} {
		err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(name) != ".txtar" {
				return err
			}
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				return err
			}
			for _, f := range parseArchive(text).files {
				if !strings.HasSuffix(f.name, ".play") {
					continue
				}
				n++
				if why := writtenBack(t, set, name+" "+f.name, f.text); why != "" && cannotBeSaid[name+" "+f.name] == "" {
					t.Errorf("%s %s: %s", name, f.name, why)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 200 {
		t.Errorf("only %d plays were found", n)
	}
}

// cannotBeSaid are the plays that hold more than their exchanges, with the reason.
var cannotBeSaid = map[string]string{
	"push/push-never-delivered.txtar hit/task-completed.play":          "the silence after the last exchange is no part of it",
	"stream/stream-continues-after-terminal.txtar hit/stays-open.play": "the silence after the last exchange is no part of it",
	"reach/tls-mismatch.txtar hit/tls-to-plain.play":                   "nothing that was asked was HTTP: no exchange holds its bytes",
	"push/push-never-delivered.txtar hit/webhook-host-is-seen.play":    "the silence after the last exchange is no part of it",
}

func writtenBack(t *testing.T, set *diagnose.Set, name string, text []byte) string {
	t.Helper()
	first, err := Play(set, name, text, diagnose.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var xs []*capture.Exchange
	for _, c := range first.ordered() {
		xs = append(xs, c.Exchange)
	}
	again := script.Write(xs, script.WriteOptions{DecodeGRPC: schema.DecodeGRPC})
	second, err := Play(set, "again.play", again, diagnose.Options{})
	if err != nil {
		return "what was written is no play: " + err.Error() + "\n" + string(again)
	}
	if a, b := first.dump(), second.dump(); a != b {
		return "the calls differ\n" + diff(a, b)
	}
	if a, b := first.Want(), second.Want(); a != b {
		return "the findings differ\n" + diff(a, b)
	}
	return ""
}
