package session

import (
	"context"
	"testing"

	"a2ascope/capture"
	"a2ascope/capture/script"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/diagnose"
)

// TestFailedConnection: a connection that failed is judged; the row gets the
// call once there is a finding, and is no exchange for all that.
func TestFailedConnection(t *testing.T) {
	play, err := script.Parse("x.play", []byte("= a\n> GET /\n>\n\n< 204\n<\n\n+ 1s\n= b\n! refused\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, speaks := range []bool{true, false} {
		e := &lastWord{rule: &diagnose.Rule{ID: "reach/x"}}
		s := New(Options{NewEngine: func() Engine {
			if speaks {
				return e
			}
			return silentEngine{e}
		}})
		in := Input{Name: "x", Open: func() (capture.Source, error) { return play.Source(script.Options{}), nil }}
		if err := s.Run(context.Background(), []Input{in}); err != nil {
			t.Fatal(err)
		}
		v := s.View()
		if v.Rows.Len() != 2 || v.Files[0].Exchanges != 1 {
			t.Fatalf("%d rows, %d exchanges", v.Rows.Len(), v.Files[0].Exchanges)
		}
		row := v.Rows.At(1)
		if row.Conn == nil || row.Number != 0 || (row.Call() != nil) != speaks || len(row.Findings) > 0 != speaks {
			t.Errorf("speaks %v: %+v", speaks, row)
		}
		if speaks && (row.Call().Kind != spec.KindConnection || v.Errors != 1 || v.Infos != 1) { // Finish lowers the first
			t.Errorf("%+v, %d errors", row.Call(), v.Errors)
		}
	}
}

// silentEngine never finds anything.
type silentEngine struct{ *lastWord }

func (silentEngine) Observe(c *decode.Call, _ decode.Checkpoint) diagnose.Verdict {
	return diagnose.Verdict{}
}
