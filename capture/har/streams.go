package har

import (
	"math"
	"time"

	"a2ascope/capture"
	"a2ascope/capture/wire"
)

// cut turns the body of a stream into its frames.
func (c *content) cut(side capture.Side, media string, fields capture.Fields, data []byte) {
	c.size = int64(len(data))
	head := capture.Head{Fields: capture.Fields{{Name: "content-type", Value: media}}}
	if enc, ok := fields.Lookup("grpc-encoding"); ok {
		head.Fields = append(head.Fields, capture.Field{Name: "grpc-encoding", Value: enc})
	}
	c.units = append(c.units, wire.Units(side, &head, data)...)
}

// timesFrom takes the times of the events from what Chrome keeps beside the
// body. Without it a HAR says only when the last event had come.
func (c *content) timesFrom(ms []message) {
	events := 0
	for _, u := range c.units {
		if f, ok := u.(*capture.Frame); ok && f.Form == capture.SSEEvent {
			events++
		}
	}
	if events == 0 || events != len(ms) {
		return
	}
	c.times = make([]time.Time, len(c.units))
	k := 0
	for i, u := range c.units {
		c.times[i] = ms[k].at()
		if f, ok := u.(*capture.Frame); ok && f.Form == capture.SSEEvent && k+1 < len(ms) {
			k++
		}
	}
}

// messages makes the frames from Chrome's list of events, where the body itself was not kept.
func (w *worker) messages(c *content) {
	for i, m := range w.entry.messages {
		f := &capture.Frame{Seq: i, Form: capture.SSEEvent, Data: w.plainText(m.data),
			Event: string(unescape(nil, m.event.raw)), ID: string(unescape(nil, m.id.raw))}
		if f.Event == "message" { // the name an event without one is given
			f.Event = ""
		}
		f.Size, f.WireSize = int64(len(f.Data)), int64(len(f.Data))
		c.size += f.Size
		c.units = append(c.units, f)
		c.times = append(c.times, m.at())
	}
}

func (m message) at() time.Time {
	if !(m.time > 0) || m.time > 1e11 {
		return time.Time{}
	}
	return time.UnixMicro(int64(math.Round(m.time * 1e6))).UTC()
}
