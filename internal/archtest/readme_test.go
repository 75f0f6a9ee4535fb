package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReadmesSayTheSame: what a README shows to be typed, its headings and its
// tables are the same in both languages, and its links lead somewhere.
func TestReadmesSayTheSame(t *testing.T) {
	root := "../.."
	en, zh := readme(t, root, "README.md"), readme(t, root, "README.zh.md")
	if len(en.commands) < 10 {
		t.Fatalf("only %d commands were found", len(en.commands))
	}
	if !slices.Equal(en.commands, zh.commands) {
		t.Errorf("the commands differ:\n%s\n\n%s", strings.Join(en.commands, "\n"), strings.Join(zh.commands, "\n"))
	}
	if en.headings != zh.headings || en.rows != zh.rows {
		t.Errorf("README.md has %d headings and %d rows, README.zh.md %d and %d", en.headings, en.rows, zh.headings, zh.rows)
	}
	for _, to := range append(en.links, zh.links...) {
		if _, err := os.Stat(filepath.Join(root, to)); err != nil {
			t.Errorf("a link leads nowhere: %s", to)
		}
	}
}

type readmeText struct {
	commands, links []string
	headings, rows  int
}

func readme(t *testing.T, root, name string) (r readmeText) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\]\(([^):]+)\)`).FindAllStringSubmatch(string(text), -1) {
		r.links = append(r.links, m[1])
	}
	shell := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			shell = line == "```sh"
		case shell && line != "":
			command, _, _ := strings.Cut(line, "  #")
			r.commands = append(r.commands, strings.TrimSpace(command))
		case strings.HasPrefix(line, "#"):
			r.headings++
		case strings.HasPrefix(line, "|"):
			r.rows++
		}
	}
	return r
}
