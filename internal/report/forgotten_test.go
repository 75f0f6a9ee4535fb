package report

import (
	"bytes"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/diagnose"
	"a2ascope/internal/session"
)

// TestForgottenRows are in no count, and what they had found still decides the exit code.
func TestForgottenRows(t *testing.T) {
	gone := &session.Row{Index: -1, Forgotten: true, File: 9, Conn: &capture.ConnInfo{Protocol: "unknown"}}
	left := session.Row{Index: 1, Number: 2, ConnNo: 1}.With(&decode.Call{Phase: decode.Ended, Exchange: &capture.Exchange{ID: 7}})
	v := &session.View{Rows: session.RowsOf([]*session.Row{gone, left, gone}), Files: []session.File{{Name: "tap"}}, Done: true}
	r := New(v, Options{})
	if r.Summary.Exchanges != 1 || len(r.Files[0].Other) != 0 || r.Summary.Reaches(diagnose.Info) {
		t.Errorf("%+v", r.Summary)
	}
	var b bytes.Buffer
	if err := NewStream(&b, Options{}).End(v); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), `"type":"exchange"`); n != 1 {
		t.Errorf("%d exchanges in the stream:\n%s", n, b.String())
	}
	v.WorstForgotten = diagnose.Warning
	for at, want := range map[diagnose.Severity]bool{diagnose.Error: false, diagnose.Warning: true, diagnose.Info: true, "": false} {
		if got := New(v, Options{}).Summary.Reaches(at); got != want {
			t.Errorf("fail on %q: %v", at, got)
		}
	}
}
