package har

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"a2ascope/capture"
)

const (
	// ahead is how many batches may be decoded and not yet taken.
	ahead = 8
	// maxDamage bounds the list of what could not be read.
	maxDamage = 200
)

// run is one reading of a HAR. The splitter and the workers have goroutines,
// which run waits for; the caller's goroutine gives the batches to the sink,
// in order.
type run struct {
	name  string
	total int64
	split *splitter
	to    capture.Sink

	sum     capture.Summary
	seq     uint64
	last    time.Time // of the newest event
	damage  []damage
	dropped int
	skips   map[string][]int // kind: first entry, how many
}

func (r *run) run(ctx context.Context) (capture.Summary, error) {
	r.sum.Format = "har"
	r.skips = map[string][]int{}
	jobs, order := make(chan *batch, ahead), make(chan *batch, ahead)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range min(max(runtime.GOMAXPROCS(0), 1), 4) {
		w := &worker{pool: r.split.pool}
		wg.Go(func() { w.run(jobs) })
	}
	r.split.emit = func(b *batch) error {
		for _, c := range []chan<- *batch{order, jobs} {
			select {
			case c <- b:
			case <-stop:
				return errStopped
			}
		}
		return nil
	}
	var splitErr error
	wg.Go(func() {
		splitErr = r.split.run()
		close(jobs)
		close(order)
	})
	err := r.take(ctx, order)
	close(stop)
	wg.Wait()
	if err == nil {
		err = r.ended(splitErr)
	}
	r.finish()
	if err != nil {
		err = fmt.Errorf("%s: %w", r.name, err)
	}
	return r.sum, err
}

// firstYear is before all recordings, and after all that is counted from the year 1.
const firstYear = 1900

var errStopped = errors.New("the receiver is gone")

// take gives the batches to the sink.
func (r *run) take(ctx context.Context, order <-chan *batch) error {
	for {
		var b *batch
		var ok bool
		select {
		case <-ctx.Done():
			return ctx.Err()
		case b, ok = <-order:
		}
		if !ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-b.ready:
		}
		r.settle(&b.out)
		if len(b.out.events) > 0 {
			if err := r.to.Events(b.out.events); err != nil {
				return err
			}
		}
		r.to.Progress(capture.Progress{Read: b.read, Total: r.total})
	}
}

// settle numbers the events. An entry without a time begins when the one before
// ended; its events have the time since its beginning, but for those that a
// producer gave a time of their own.
func (r *run) settle(d *decoded) {
	undated := d.undated
	var began time.Time // of the entry without a time at hand
	for i := range d.events {
		e := &d.events[i]
		r.seq++
		e.Seq = r.seq
		if e.Link != nil && len(undated) > 0 && undated[0] < e.Conn {
			undated = undated[1:]
		}
		if len(undated) > 0 && undated[0] == e.Conn {
			if e.Link != nil {
				began = r.last
			}
			if e.At.Year() < firstYear {
				e.At = began.Add(e.At.Sub(time.Time{}))
				if e.At.Before(r.last) { // behind one with a time of its own
					e.At = r.last
				}
			}
		}
		if r.last = e.At; e.At.After(r.sum.Last) {
			r.sum.Last = e.At
		}
	}
	r.sum.Connections += d.entries
	for _, x := range d.damage {
		r.hurt(x)
	}
	for _, s := range d.skipped {
		k := r.skips[s.kind]
		if k == nil {
			k = []int{s.n, 0}
			r.skips[s.kind] = k
		}
		k[1]++
	}
}

func (r *run) hurt(d damage) {
	if len(r.damage) == maxDamage {
		r.dropped++
		return
	}
	r.damage = append(r.damage, d)
}

// ended judges how the splitter ended.
func (r *run) ended(err error) error {
	s := r.split
	at := s.base + int64(s.i)
	end := s.base + int64(len(s.buf))
	switch {
	case err == nil && !s.log:
		return errors.New("JSON, but no HAR: member log is missing")
	case err == nil && !s.entries:
		return errors.New("JSON, but no HAR: member log.entries is missing")
	case err == nil || err == errReported:
		return nil
	case err == errEnds && s.n > 0:
		r.hurt(damage{0, "truncated", "the file ends before its JSON does; every entry before the end is whole", end})
		return nil
	case err == errEnds && s.entries:
		r.hurt(damage{0, "truncated", "the file ends before the first entry", end})
		return nil
	case err == errEnds && s.root:
		return fmt.Errorf("no HAR, or one that was cut: the text ends at byte %d before member log.entries", end)
	case err == errEnds:
		return fmt.Errorf("no HAR: the text ends at byte %d", end)
	case err == errSyntax && s.n > 0:
		r.hurt(damage{0, "bad-json", "this is no JSON; what follows was not read", at})
		return nil
	case err == errSyntax:
		return fmt.Errorf("no HAR: this is no JSON at byte %d", at)
	case s.n > 0: // a reader's error, such as a gzip stream that was cut
		r.hurt(damage{0, "truncated", "reading stopped: " + err.Error(), end})
		return nil
	}
	return err
}

// finish writes the damage into the summary, in the order of the file.
func (r *run) finish() {
	for _, d := range r.split.damage {
		r.hurt(d)
	}
	slices.SortStableFunc(r.damage, func(a, b damage) int { return int(min(max(a.at-b.at, -1), 1)) })
	for _, d := range r.damage {
		r.sum.Damage = append(r.sum.Damage, capture.Damage{What: d.what, Detail: d.detail()})
	}
	if r.dropped > 0 {
		r.sum.Damage = append(r.sum.Damage, capture.Damage{What: "bad-entry", Detail: fmt.Sprintf("and %d more", r.dropped)})
	}
	for _, k := range []struct{ kind, one, many string }{
		{"websocket", "WebSocket connection is", "WebSocket connections are"},
		{"tunnel", "CONNECT tunnel is", "CONNECT tunnels are"},
		{"not-http", "entry that is no HTTP exchange is", "entries that are no HTTP exchanges are"},
	} {
		if n := r.skips[k.kind]; n != nil {
			what := k.many
			if n[1] == 1 {
				what = k.one
			}
			r.sum.Damage = append(r.sum.Damage, capture.Damage{What: k.kind,
				Detail: fmt.Sprintf("%d %s not read (first: entry %d)", n[1], what, n[0])})
		}
	}
	if v := r.split.version; v != "" && v != "1.2" && v != "1.1" && v != "1.3" {
		r.sum.Damage = append(r.sum.Damage, capture.Damage{What: "version",
			Detail: fmt.Sprintf("the file says HAR %.20q; it was read as HAR 1.2", v)})
	}
}
