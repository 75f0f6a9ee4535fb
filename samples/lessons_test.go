package samples_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"a2ascope/capture"
	"a2ascope/capture/script"
	"a2ascope/decode/schema"
	"a2ascope/diagnose"
	"a2ascope/diagnose/ruletest"
	"a2ascope/internal/session"
	"a2ascope/rules"
)

var update = flag.Bool("update", false, "write the want.findings of the lessons anew")

// lesson is a sample file taken apart.
type lesson struct {
	name, path string
	number     int // the row of the failure table it is about; 0: the first look
	archive    *txtar.Archive
}

func (l *lesson) file(t *testing.T, name string) *txtar.File {
	t.Helper()
	for i := range l.archive.Files {
		if l.archive.Files[i].Name == name {
			return &l.archive.Files[i]
		}
	}
	t.Fatalf("%s has no file %s", l.path, name)
	return nil
}

func lessons(t *testing.T) []*lesson {
	t.Helper()
	paths, err := filepath.Glob("*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var all []*lesson
	for i, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		l := &lesson{name: strings.TrimSuffix(p, ".txtar"), path: p, number: atoi(p[:2]), archive: a}
		if l.number != i {
			t.Fatalf("%s: the lessons are numbered from 00 without a hole; here %02d belongs", p, i)
		}
		all = append(all, l)
	}
	if len(all) != 13 {
		t.Fatalf("%d lessons, want the first look and one for each of the twelve rows", len(all))
	}
	return all
}

// play parses the traffic; lines before it are kept as comments, so that an
// error names the line of the sample file.
func (l *lesson) play(t *testing.T) []byte {
	t.Helper()
	text := l.file(t, "traffic.play").Data
	whole, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(whole), "-- traffic.play --\n")
	return append([]byte(strings.Repeat("#\n", strings.Count(before, "\n")+1)), text...)
}

func ruleSet(t *testing.T) *diagnose.Set {
	t.Helper()
	set, errs := diagnose.Load(rules.FS, true)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return set
}

// severityOf is how a lesson's row shows itself: most explain a failure; a
// shared status is a correct refusal, and the first of two entries works.
func severityOf(row int) diagnose.Severity {
	switch row {
	case 7:
		return diagnose.Info
	case 11:
		return diagnose.Warning
	}
	return diagnose.Error
}

// TestLessonsAreDiagnosed compares every finding on every lesson; -update
// writes them. Whatever is written, the row of a lesson must be named, not
// recovered, at its own severity, and no other cause may be an error. (Row 7 is
// about reading: its finding leads to the cause that the reason names, and
// follows from it where a rule speaks for that cause.)
func TestLessonsAreDiagnosed(t *testing.T) {
	set := ruleSet(t)
	for _, l := range lessons(t) {
		t.Run(l.name, func(t *testing.T) {
			got, err := ruletest.Play(set, l.path, l.play(t), diagnose.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := got.Check(); err != nil {
				t.Error(err)
			}
			for rule := range got.Stats.Broken {
				t.Errorf("the condition of %s could not be evaluated", rule)
			}
			l.judge(t, got.Findings)
			want := l.file(t, "want.findings")
			switch {
			case string(want.Data) == got.Want():
			case *update:
				want.Data = []byte(got.Want())
				if err := os.WriteFile(l.path, txtar.Format(l.archive), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("the findings are not those of want.findings (-update writes them)\nwant:\n%s\ngot:\n%s", want.Data, got.Want())
			}
		})
	}
}

func (l *lesson) judge(t *testing.T, fs []*diagnose.Finding) {
	t.Helper()
	if l.number == 0 {
		for _, row := range []int{4, 5, 11} {
			if !slices.ContainsFunc(fs, func(f *diagnose.Finding) bool { return slices.Contains(f.Table, row) }) {
				t.Errorf("row %d is not named in the first look", row)
			}
		}
		return
	}
	named := false
	leads := map[diagnose.Key]bool{}
	for _, f := range fs {
		if l.number == 7 && slices.Contains(f.Table, l.number) && f.FollowsFrom != nil {
			leads[*f.FollowsFrom] = true
		}
	}
	for _, f := range fs {
		own := slices.Contains(f.Table, l.number)
		counts := f.Counts() && f.RecoveredBy == nil
		named = named || own && counts && f.Severity == severityOf(l.number) && (f.Root || f.Severity == diagnose.Warning)
		if !own && !leads[f.Key] && counts && f.Severity == diagnose.Error {
			t.Errorf("%s is an error that is not of row %d", f.Rule.ID, l.number)
		}
	}
	if !named {
		t.Errorf("row %d is not named as %s: %s", l.number, severityOf(l.number), names(fs))
	}
}

var item = regexp.MustCompile(`(?m)^(\d+)\. `)

// TestLessonsSpeakBothLanguages: a heading, a text of its own in each language,
// and both lists go through the exchanges by their numbers.
func TestLessonsSpeakBothLanguages(t *testing.T) {
	set := ruleSet(t)
	headings := map[string]string{}
	for _, l := range lessons(t) {
		t.Run(l.name, func(t *testing.T) {
			got, err := ruletest.Play(set, l.path, l.play(t), diagnose.Options{})
			if err != nil {
				t.Fatal(err)
			}
			texts := map[string]string{}
			for _, lang := range []string{"en", "zh"} {
				text := string(l.file(t, "lesson."+lang+".md").Data)
				texts[lang] = text
				heading, rest, _ := strings.Cut(text, "\n")
				if !strings.HasPrefix(heading, "# ") || strings.TrimSpace(rest) == "" {
					t.Errorf("%s: a lesson begins with '# heading' and goes on with text", lang)
				}
				if other := headings[heading]; other != "" {
					t.Errorf("%s: the heading is that of %s", lang, other)
				}
				headings[heading] = l.name
				if n := strings.Count(text, "\n"); n < 12 || n > 25 {
					t.Errorf("%s: %d lines; a lesson is read beside its traffic", lang, n)
				}
				for i, m := range item.FindAllStringSubmatch(text, -1) {
					if atoi(m[1]) != i+1 {
						t.Errorf("%s: item %s stands at place %d: the numbers are those of the exchanges", lang, m[1], i+1)
					}
				}
				if n := len(item.FindAllString(text, -1)); n != len(got.Number) {
					t.Errorf("%s: the list has %d items, the traffic %d exchanges", lang, n, len(got.Number))
				}
			}
			if texts["en"] == texts["zh"] {
				t.Error("both languages have the same text")
			}
			if han := regexp.MustCompile(`\p{Han}`); han.MatchString(texts["en"]) || len(han.FindAllString(texts["zh"], -1)) < 150 {
				t.Error("the English text has Chinese in it, or the Chinese one is not Chinese")
			}
		})
	}
}

// TestDemosAreShort plays every lesson at its own pace, on a clock that only counts.
func TestDemosAreShort(t *testing.T) {
	for _, l := range lessons(t) {
		t.Run(l.name, func(t *testing.T) {
			p, err := script.Parse(l.path, l.play(t))
			if err != nil {
				t.Fatal(err)
			}
			var slept time.Duration
			o := script.Options{Pace: true, EncodeGRPC: schema.EncodeGRPC, Sleep: func(_ context.Context, d time.Duration) error {
				slept += d
				return nil
			}}
			if _, err := p.Source(o).Run(t.Context(), nowhere{}); err != nil {
				t.Fatal(err)
			}
			limit := 10 * time.Second
			if l.number == 0 {
				limit = 15 * time.Second
			}
			if slept < 2*time.Second || slept > limit {
				t.Errorf("it plays for %v; it should be watchable (2s) and short (%v)", slept, limit)
			}
		})
	}
}

// nowhere is a sink that forgets.
type nowhere struct{}

func (nowhere) Chunks([]capture.Chunk) error { return nil }
func (nowhere) Events([]capture.Event) error { return nil }
func (nowhere) Progress(capture.Progress)    {}

var (
	link     = regexp.MustCompile(`\]\(([^)#]+)\)`)
	indexRow = regexp.MustCompile(`(?m)^\| (\d+) \| \[[^\]]+\]\((captures/[^)]+)\) \| .a2ascope open (\S+?). \| (.+) \|$`)
	number   = regexp.MustCompile(`#(\d+)`)
)

// TestIndexIsTrue: every file that README.md names exists, every lesson is
// named, and the capture of each row is diagnosed with that row.
func TestIndexIsTrue(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, m := range link.FindAllStringSubmatch(string(text), -1) {
		linked[m[1]] = true
		if _, err := os.Stat(filepath.FromSlash(m[1])); err != nil {
			t.Errorf("README.md names a file that is not there: %v", err)
		}
	}
	for _, l := range lessons(t) {
		if !linked[l.path] {
			t.Errorf("README.md does not name %s", l.path)
		}
	}
	rows := indexRow.FindAllStringSubmatch(string(text), -1)
	if len(rows) != 12 {
		t.Fatalf("%d captures are in the index, want one for each of the twelve rows", len(rows))
	}
	forms := map[string]bool{}
	for i, m := range rows {
		row, file, command, look := atoi(m[1]), m[2], m[3], m[4]
		forms[filepath.Ext(file)] = true
		if row != i+1 {
			t.Errorf("row %d stands at place %d of the index", row, i+1)
		}
		if command != "samples/"+file {
			t.Errorf("row %d: the command opens %s, the link %s", row, command, file)
		}
		exchanges := rowsByNumber(read(t, file, openCapture(filepath.FromSlash(file))))
		named := slices.ContainsFunc(exchanges[1:], func(r *session.Row) bool {
			return slices.ContainsFunc(r.Findings, func(f *diagnose.Finding) bool {
				return f.Counts() && slices.Contains(f.Table, row)
			})
		})
		if !named {
			t.Errorf("row %d: no finding on %s names it", row, file)
		}
		for _, n := range number.FindAllStringSubmatch(look, -1) {
			if atoi(n[1]) >= len(exchanges) {
				t.Errorf("row %d: the index points at exchange %s, %s has %d", row, n[0], file, len(exchanges)-1)
			}
		}
	}
	if !forms[".har"] || !forms[".pcap"] {
		t.Error("the index shows .har and .pcap files")
	}
}
