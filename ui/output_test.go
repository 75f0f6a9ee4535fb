package ui_test

import (
	"context"
	"strings"
	"testing"

	"a2ascope/ui"
	"a2ascope/ui/uitest"
)

// said is a program that has said something, and ended.
type said struct{ text ui.ProgramText }

func (s said) Next(context.Context, uint64) ui.ProgramText { return s.text }

// The output of a program is a key away, in every size; its end is said elsewhere.
func TestProgramOutput(t *testing.T) {
	o := uitest.Options()
	o.Program, o.ProgramOutput = "npm", said{ui.ProgramText{Lines: []string{"it \x1b[2Jfailed"}, Rev: 1, Ended: true, Code: 3}}
	d := uitest.Drive(&uitest.Store{V: uitest.Talk()}, o)
	d.Size(100, 30)
	if got := d.Plain(); !strings.Contains(got, "npm ended with code 3: O shows its output") {
		t.Errorf("its end is not said\n%s", got)
	}
	d.Press("?")
	if got := d.Plain(); !strings.Contains(got, "output of the program") {
		t.Errorf("the help does not name the key\n%s", got)
	}
	d.Press("esc", "O")
	if got := d.Plain(); !strings.Contains(got, "it failed") || !strings.Contains(got, "ended with code 3") {
		t.Errorf("O shows\n%s", got)
	}
	for _, s := range [][2]int{{1, 1}, {20, 4}, {80, 24}, {200, 60}} {
		d.Size(s[0], s[1])
		uitest.CheckFrame(t, d, "output")
	}
	d.Press("esc")
	if got := d.Plain(); !strings.Contains(got, "operation") {
		t.Errorf("esc does not lead back\n%s", got)
	}
}
