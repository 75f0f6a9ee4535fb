package proxy

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"a2ascope/capture"
)

// slowReader takes a batch only every few milliseconds: it cannot keep up with a download.
type slowReader struct{ recorder }

func (r *slowReader) Chunks(cs []capture.Chunk) error {
	time.Sleep(10 * time.Millisecond)
	for i := range cs {
		if d := cs[i].Data; len(d) > 0 && d[len(d)-1] == 0 {
			cs[i].Data = nil // the download, which is zeros, is not kept
		}
	}
	return r.recorder.Chunks(cs)
}

// TestADownloadDoesNotStarveAStream moves a large file beside events, with a
// reader that cannot keep up: the events pass in time and are recorded without
// a gap, since each connection has its own share. A2ASCOPE_LONG=1 moves 1 GiB.
func TestADownloadDoesNotStarveAStream(t *testing.T) {
	size := int64(64 << 20)
	if os.Getenv("A2ASCOPE_LONG") != "" {
		size = 1 << 30
	}
	downloaded := make(chan struct{})
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			w.Header().Set("Content-Length", fmt.Sprint(size))
			piece := make([]byte, 64<<10)
			for left := size; left > 0; left -= int64(len(piece)) {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for i := 0; ; i++ {
			last := false
			select {
			case <-downloaded:
				last = true
			case <-r.Context().Done():
				return
			case <-time.After(time.Millisecond):
			}
			fmt.Fprintf(w, "id: %d\ndata: %d\n\n", i, time.Now().UnixNano())
			w.(http.Flusher).Flush()
			if last {
				return
			}
		}
	})
	rec := &slowReader{}
	p, err := Listen(Options{Target: s.URL, Now: time.Now, Queue: capture.QueueOptions{Budget: 8 << 20, Share: 2 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	x := runWith(t, p, rec)

	stream, err := client(t).Get(x.url + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	delays := make(chan []time.Duration, 1)
	go func() {
		var ds []time.Duration
		for {
			var id, sent int64
			if _, err := fmt.Fscanf(stream.Body, "id: %d\ndata: %d\n\n", &id, &sent); err != nil {
				delays <- ds
				return
			}
			ds = append(ds, time.Since(time.Unix(0, sent)))
		}
	}()
	c := &http.Client{Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	begin := time.Now()
	resp, err := c.Get(x.url + "/file")
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if n != size || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	took := time.Since(begin)
	close(downloaded)
	ds := <-delays
	slices.Sort(ds)
	if len(ds) < 20 {
		t.Fatalf("%d events in %s", len(ds), took)
	}
	// On a busy machine everything is slow. A stream that starves would wait for the download.
	if p99 := ds[len(ds)*99/100]; p99 > max(took/2, 2*time.Second) {
		t.Errorf("an event took %s beside a download of %s", p99, took)
	}
	x.end()
	for _, e := range rec.exchanges() {
		if e.Request.Path() == "/file" {
			continue
		}
		if e.Lost() != 0 || !e.Complete() || len(e.Received) != len(ds) {
			t.Errorf("the stream: %d events recorded of %d, %d bytes lost, end %+v", len(e.Received), len(ds), e.Lost(), e.End)
		}
	}
	if q := p.State().Queue; q.LostBytes == 0 || p.Lost() != q.LostBytes {
		t.Errorf("a reader this slow must lose something: %+v", q)
	}
	t.Logf("%.0f MB/s, event delay p50 %s p99 %s, %d MiB not recorded", float64(size)/1e6/took.Seconds(), ds[len(ds)/2], ds[len(ds)*99/100], p.Lost()>>20)
}
