package pcap

import "a2ascope/capture"

// Lost and Room make the capture a capture.Lossy.
func (l *live) Lost() int64   { return l.queue.Stats().LostBytes }
func (l *live) Room() float64 { return l.queue.Room() }

// offers is the sink of the goroutine that reads packets: it must not wait for
// a reader, or the kernel drops packets of every connection.
type offers live

func (o *offers) Chunks(cs []capture.Chunk) error {
	for i := range cs {
		o.queue.Offer(cs[i])
	}
	return nil
}
func (o *offers) Events([]capture.Event) error { return nil }
func (o *offers) Progress(p capture.Progress)  { o.went.Store(&p) }

// handing passes on what the queue hands over, and how far the capture is.
type handing struct {
	capture.Sink
	l *live
}

func (h *handing) Chunks(cs []capture.Chunk) error {
	if err := h.Sink.Chunks(cs); err != nil {
		return err
	}
	h.l.handProgress(h.Sink)
	return nil
}

func (l *live) handProgress(to capture.Sink) {
	if p := l.went.Swap(nil); p != nil {
		to.Progress(*p)
	}
}
