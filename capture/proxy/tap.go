package proxy

import (
	"time"

	"a2ascope/capture"
)

// tap records one hop, as the agent sees it. A nil tap records nothing.
type tap struct {
	lane *capture.Lane
	now  func() time.Time

	limit int64    // bytes recorded of a direction; 0: all
	seen  [2]int64 // each used by the direction's goroutine alone
}

// blindLimit is what is kept of each direction of a tunnel that is not read: it
// shows what it was.
const blindLimit = 64 << 10

// opened begins a recording.
func (p *Proxy) opened(l capture.Link) *tap {
	l.Source = "proxy"
	id := capture.ConnID(p.conns.Add(1))
	t := &tap{lane: p.queue.Lane(id), now: p.opt.Now}
	t.lane.Offer(capture.Chunk{Kind: capture.Opened, At: t.now(), Link: &l})
	return t
}

func (t *tap) bytes(from capture.Side, b []byte) { t.bytesAt(from, t.now(), b) }

func (t *tap) bytesAt(from capture.Side, at time.Time, b []byte) {
	if t.limit > 0 {
		seen := t.seen[from]
		t.seen[from] += int64(len(b))
		if room := max(t.limit-seen, 0); int64(len(b)) > room {
			if room > 0 {
				t.lane.Bytes(from, at, b[:room])
			}
			t.gap(from, int64(len(b))-room)
			return
		}
	}
	if len(b) > 0 {
		t.lane.Bytes(from, at, b)
	}
}

// gap says that n bytes passed that were not recorded.
func (t *tap) gap(from capture.Side, n int64) {
	if n > 0 {
		t.lane.Offer(capture.Chunk{Kind: capture.Gap, At: t.now(), From: from, Lost: n})
	}
}

// note marks an exchange that the agent is about to finish.
func (t *tap) note(stream uint32, n *capture.Note) {
	t.lane.Offer(capture.Chunk{Kind: capture.Noted, At: t.now(), From: capture.Server, Note: n, Stream: stream})
}

func (t *tap) halfClosed(from capture.Side) {
	t.lane.Offer(capture.Chunk{Kind: capture.HalfClosed, At: t.now(), From: from})
}

func (t *tap) closed(by capture.Side, why string) {
	t.lane.Offer(capture.Chunk{Kind: capture.Closed, At: t.now(), From: by, Err: why})
}
