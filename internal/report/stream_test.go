package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/diagnose"
	"a2ascope/internal/session"
)

// TestStreamTellsEverythingOnce follows a stream and the exchange before it:
// each line comes when there is something to say, and never again.
func TestStreamTellsEverythingOnce(t *testing.T) {
	call := func(id uint64, phase decode.Phase) *decode.Call {
		x := &capture.Exchange{ID: capture.ExchangeID(id), Started: time.Unix(1, 0), Request: &capture.Head{}}
		return &decode.Call{Exchange: x, Phase: phase}
	}
	finding := func(id uint64, rule string, root bool) *diagnose.Finding {
		return &diagnose.Finding{Key: diagnose.Key{Rule: rule, Exchange: capture.ExchangeID(id), Frame: -1}, Rule: &diagnose.Rule{ID: rule},
			Severity: diagnose.Error, Root: root}
	}
	row := func(n int, phase decode.Phase, fs ...*diagnose.Finding) *session.Row {
		return session.Row{Index: n - 1, Number: n, Findings: fs}.With(call(uint64(n), phase))
	}
	a, b, late := finding(1, "f/a", true), finding(2, "f/b", true), finding(1, "f/late", true)
	done := row(1, decode.Ended, a)
	ended := row(2, decode.Ended, b)
	var out bytes.Buffer
	stream := NewStream(&out, Options{Lang: "en"})
	for step, test := range []struct {
		rows []*session.Row
		want string
	}{
		{[]*session.Row{row(1, decode.Asking)}, ""},
		{[]*session.Row{row(1, decode.Answered, a)}, ""}, // its standing is settled when it ends
		{[]*session.Row{done, row(2, decode.Streaming)}, "exchange 1, finding 1 f/a"},
		{[]*session.Row{done, row(2, decode.Streaming, b)}, "finding 2 f/b"},
		{[]*session.Row{done, row(2, decode.Streaming, b)}, ""},
		{[]*session.Row{done, ended}, "exchange 2"},
		{[]*session.Row{row(1, decode.Ended, a, late), ended}, "finding 1 f/late"},
		{[]*session.Row{row(1, decode.Ended, finding(1, "f/a", false), late), ended}, ""},
	} {
		out.Reset()
		if err := stream.Update(&session.View{Rows: session.RowsOf(test.rows), Files: []session.File{{Name: "live"}}}); err != nil {
			t.Fatal(err)
		}
		if got := told(t, out.String()); got != test.want {
			t.Errorf("step %d: %q, want %q", step, got, test.want)
		}
	}
}

// told names the lines of a report.
func told(t *testing.T, text string) string {
	t.Helper()
	var all []string
	for line := range strings.Lines(text) {
		var l struct {
			Type, Rule string
			Exchange   int
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.TrimSpace(fmt.Sprint(l.Type, " ", l.Exchange, " ", l.Rule)))
	}
	return strings.Join(all, ", ")
}
