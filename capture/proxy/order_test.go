package proxy

import (
	"io"
	"net/http"
	"testing"

	"a2ascope/capture"
)

// A client may cut a stream as soon as its first event is there. The event is
// recorded before the cut: the other way round the client would seem to have
// given up before it was answered.
func TestWhatAClientReactsToIsRecordedBefore(t *testing.T) {
	s := serveH2C(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	x := start(t, Options{Target: s.URL})
	c := clientH2C(t)
	const streams = 400
	for range streams {
		resp, err := c.Get(x.url + "/")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 9)); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	c.CloseIdleConnections()
	eventually(t, "all is recorded", func() bool { return len(x.rec.exchanges()) == streams })
	x.end()
	for i, e := range x.rec.exchanges() {
		if e.Response == nil || len(e.Received) != 1 || e.End == nil || e.End.Kind != capture.EndReset {
			t.Fatalf("stream %d: answer %v, %d events, end %+v", i, e.Response != nil, len(e.Received), e.End)
		}
	}
}
