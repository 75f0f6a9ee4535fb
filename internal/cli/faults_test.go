package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/capture/proxy"
	"a2ascope/decode"
	"a2ascope/diagnose"
	"a2ascope/internal/session"
)

// sick is an engine that hangs or falls over whenever it is asked.
type sick struct{ hang chan struct{} }

func (e sick) Observe(*decode.Call, decode.Checkpoint) diagnose.Verdict {
	if e.hang == nil {
		panic("boom")
	}
	<-e.hang
	return diagnose.Verdict{}
}
func (sick) Missed(time.Time)                     {}
func (sick) Silent(time.Time) []*diagnose.Finding { panic("boom") }
func (sick) Finish(time.Time) []*diagnose.Finding { panic("boom") }
func (sick) Agents() []*diagnose.AgentInfo        { return nil }
func (sick) Review() *diagnose.Review             { return nil }

// TestTrafficOutranksTheTool runs the whole chain with a part of it broken: the
// peers see nothing of it, and what was broken is said afterwards.
func TestTrafficOutranksTheTool(t *testing.T) {
	const body = 256 << 10
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s", r.URL.Path, strings.Repeat("x", body))
	}))
	defer agent.Close()
	for name, e := range map[string]sick{"hangs": {make(chan struct{})}, "panics": {}} {
		t.Run(name, func(t *testing.T) {
			p, err := proxy.Listen(proxy.Options{Target: agent.URL, Now: time.Now, Queue: capture.QueueOptions{Budget: 4 << 20, Share: 1 << 20}})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			s := session.New(session.Options{Workers: 1, MaxMemory: 16 << 20, NewEngine: func() session.Engine { return e }})
			ended := make(chan error, 1)
			go func() {
				ended <- s.Run(ctx, []session.Input{{Name: "tap", Live: true, Endless: true,
					Open: func() (capture.Source, error) { return p, nil }}})
			}()
			c := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
			const n = 100
			for i := range n {
				resp, err := c.Get(fmt.Sprintf("http://%s/%d", p.Addr(), i))
				if err != nil {
					t.Fatal(err)
				}
				b, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || len(b) < body || !strings.HasPrefix(string(b), fmt.Sprintf("/%d ", i)) {
					t.Fatalf("call %d: %d bytes, %v", i, len(b), err)
				}
			}
			c.CloseIdleConnections()
			if e.hang != nil {
				if p.Lost() == 0 {
					t.Error("nothing was let go although nobody reads")
				}
				close(e.hang)
			}
			cancel()
			select {
			case <-ended:
			case <-time.After(20 * time.Second):
				t.Fatal("the session does not end")
			}
			v := s.View()
			if v.Lost != p.Lost() || v.Rows.Len() == 0 {
				t.Errorf("%d bytes lost, the view says %d; %d rows", p.Lost(), v.Lost, v.Rows.Len())
			}
			if e.hang != nil {
				if d := fmt.Sprint(v.Files[0].Damage); !strings.Contains(d, "lost") {
					t.Errorf("nobody is told of the loss: %s", d)
				}
				return
			}
			for i := range v.Rows.Len() {
				if r := v.Rows.At(i); r.HasCall() && len(r.Call().Problems) == 0 {
					t.Errorf("row %d does not say that it was not judged", i)
				}
			}
		})
	}
}
