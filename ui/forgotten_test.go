package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/internal/session"
	"a2ascope/ui/uitest"
)

// forget lets go of rows as a session does.
func forget(v *session.View, which func(i int) bool) *session.View {
	gone := &session.Row{Index: -1, Forgotten: true, Conn: &capture.ConnInfo{Protocol: "unknown", Text: "forgotten"}}
	n := *v
	rows := make([]*session.Row, v.Rows.Len())
	for i := range rows {
		if rows[i] = v.Rows.At(i); which(i) {
			rows[i] = gone
		}
	}
	n.Rows = session.RowsOf(rows)
	return &n
}

// TestForgottenRowsAreNotShown: rows that the session let go have places in
// the list of rows, and none on the screen.
func TestForgottenRowsAreNotShown(t *testing.T) {
	v := uitest.Talk()
	all := v.Rows.Len()
	d := uitest.Drive(&uitest.Store{V: forget(v, func(i int) bool { return i < 2 || i == all-1 })}, uitest.Options())
	d.Size(120, 40)
	for _, k := range []struct {
		keys []string
		row  int
	}{{[]string{"g"}, 2}, {[]string{"G"}, all - 2}, {[]string{"g", "j"}, 3}, {[]string{"g", "k"}, 2}} {
		d.Press(k.keys...)
		s := d.Plain()
		if strings.Contains(s, "forgotten") {
			t.Fatalf("after %v a forgotten row is shown:\n%s", k.keys, s)
		}
		if want := fmt.Sprintf("#%d ", v.Rows.At(k.row).Number); !strings.Contains(s, want) {
			t.Errorf("after %v row %d is not selected:\n%s", k.keys, k.row, s)
		}
	}
	e := uitest.Drive(&uitest.Store{V: forget(v, func(int) bool { return true })}, uitest.Options())
	e.Size(120, 40)
	e.Press("j", "k", "G", "enter", "2")
	if s := e.Plain(); strings.Contains(s, "forgotten") {
		t.Errorf("a forgotten row is shown:\n%s", s)
	}
}
