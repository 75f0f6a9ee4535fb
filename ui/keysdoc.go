package ui

import (
	"context"
	"strings"

	"a2ascope/internal/session"
)

// still is a store in which nothing happens.
type still struct{}

func (still) View() *session.View                        { return &session.View{} }
func (still) Next(context.Context, uint64) *session.View { return nil }
func (still) compile(string) (Filter, error)             { return nil, nil }

// KeysDoc is docs/KEYS.md: every key by pane, as the help shows them.
func KeysDoc() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nWritten by `go test ./ui -update` from what the panes say of themselves; `?` shows the same on the screen.\n")
	a := New(context.Background(), still{}, Options{Lang: "en", Lesson: "x", Program: "x", CompileFilter: still{}.compile})
	for _, s := range a.Keys() {
		b.WriteString("\n## " + s.Title + "\n\n| keys | what they do |\n|---|---|\n")
		for _, k := range s.Keys {
			keys := strings.Fields(k.Keys)
			for i, x := range keys {
				keys[i] = "`" + strings.ReplaceAll(x, "|", "\\|") + "`"
			}
			b.WriteString("| " + strings.Join(keys, " ") + " | " + k.Does + " |\n")
		}
	}
	return b.String()
}
