package samples_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/diagnose"
)

// lossy hands a source on with a stretch of its bytes missing, as a tap leaves
// them out that cannot keep up.
type lossy struct {
	capture.Source
	from, n int  // chunks with bytes, counted from 0
	known   bool // whether it is told how much is missing
	seen    int
}

func (l *lossy) Run(ctx context.Context, to capture.Sink) (capture.Summary, error) {
	return l.Source.Run(ctx, &lossySink{to, l})
}

type lossySink struct {
	capture.Sink
	l *lossy
}

func (s *lossySink) Chunks(cs []capture.Chunk) error {
	for i := range cs {
		c := &cs[i]
		if c.Kind != capture.Bytes {
			continue
		}
		if at := s.l.seen; at >= s.l.from && at < s.l.from+s.l.n {
			c.Kind, c.Lost, c.Data = capture.Gap, int64(len(c.Data)), nil
			if !s.l.known {
				c.Lost = -1
			}
		}
		s.l.seen++
	}
	return s.Sink.Chunks(cs)
}

// aboutLoss are rules that may speak where something is missing.
var aboutLoss = map[string]string{
	"capture/capture-incomplete":  "it says so",
	"call/subscribe-verb-refused": "it was; what the client did about it was lost",
	"push/push-unknown-task":      "it says that a configuration which is not in the capture may exist",
	"error/server-internal-error": "the answer is a gRPC INTERNAL; which call it refused was lost",
}

// TestLossAccusesNobody: what was not recorded is no fault of the peers, wherever
// in a capture it is missing: nothing is found that the whole capture does not show.
func TestLossAccusesNobody(t *testing.T) {
	judge := func(t *testing.T, file string, l *lossy) map[string]*diagnose.Finding {
		v := read(t, file, func() (capture.Source, error) {
			src, err := openCapture(filepath.Join("captures", file))()
			l.Source = src
			return l, err
		})
		found := map[string]*diagnose.Finding{}
		for i := range v.Rows.Len() {
			for _, f := range v.Rows.At(i).Findings {
				if old := found[f.Rule.ID]; old == nil || f.Severity.Rank() > old.Severity.Rank() {
					found[f.Rule.ID] = f
				}
			}
		}
		return found
	}
	const places = 16
	for _, l := range labels(t) {
		if !strings.Contains(l.File, ".pcap") || strings.HasPrefix(l.File, "tls") {
			continue
		}
		t.Run(l.File, func(t *testing.T) {
			whole := &lossy{}
			allowed := judge(t, l.File, whole)
			for i := range places {
				for _, n := range []int{1, 2, 5} {
					lost := &lossy{from: whole.seen * i / places, n: n, known: (i+n)%2 == 0}
					for id, f := range judge(t, l.File, lost) {
						if f.Severity != diagnose.Info && allowed[id] == nil && aboutLoss[id] == "" {
							allowed[id] = f
							t.Errorf("%s (%s) on exchange %v, with %d of %d chunks missing from %d on, length told: %v", id, f.Severity, f.Key.Exchange, n, whole.seen, lost.from, lost.known)
						}
					}
				}
			}
		})
	}
}
