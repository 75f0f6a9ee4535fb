package ui_test

import (
	"strings"
	"testing"

	"a2ascope/internal/session"
	"a2ascope/ui/uitest"
)

// The session keeps calls without what can be read again; the screen shows
// them whole, the large ones as soon as they are read.
func TestCompactedCallsAreShownWhole(t *testing.T) {
	v := uitest.Talk()
	rows := make([]*session.Row, v.Rows.Len())
	for i := range rows {
		rows[i] = v.Rows.At(i)
		if c := rows[i].Call(); c != nil {
			rows[i] = rows[i].With(c.Compact())
		}
	}
	v.Rows = session.RowsOf(rows)
	d := uitest.Drive(&uitest.Store{V: v}, uitest.Options())
	d.Size(120, 40)
	d.Press("j", "j", "3")
	for _, want := range []string{"statusUpdate", "working", "正在查询", "artifactUpdate"} {
		if !strings.Contains(d.Plain(), want) {
			t.Errorf("the events do not show %q:\n%s", want, d.Plain())
		}
	}
	d.Press("1")
	if !strings.Contains(d.Plain(), "/method") {
		t.Errorf("the evidence of the version is not shown:\n%s", d.Plain())
	}
}

func TestLongStreamsAreReadInTheBackground(t *testing.T) {
	d := uitest.Drive(&uitest.Store{V: uitest.Long(3000)}, uitest.Options())
	d.Size(120, 30)
	d.Press("enter", "3", "G")
	for _, want := range []string{"3000/3000", "step 2999", "statusUpdate"} {
		if !strings.Contains(d.Plain(), want) {
			t.Errorf("the last event does not show %q:\n%s", want, d.Plain())
		}
	}
	d.Press("/")
	d.Type("STEP 17")
	d.Press("enter")
	if !strings.Contains(d.Plain(), "18/3000") {
		t.Errorf("the search does not go to event 18:\n%s", d.Plain())
	}
}
