package capture

import (
	"context"
	"time"
)

// Sink takes what a source emits. Calls come from one goroutine. An error
// means that the receiver is gone and the source should return it.
type Sink interface {
	// Chunks takes chunks in order. The slice is the callee's after the call.
	Chunks([]Chunk) error
	// Events takes events of a source that has messages and no bytes.
	Events([]Event) error
	// Progress says how far a file is read.
	Progress(Progress)
}

// Progress of a file being read.
type Progress struct {
	Read, Total int64 // bytes; Total 0 when unknown
	Packets     int64
}

// Source emits what was sent. Run returns when the source is exhausted or ctx
// ends; it has one goroutine, the caller's.
type Source interface {
	Run(ctx context.Context, to Sink) (Summary, error)
}

// Lossy is a source of live traffic, which lets bytes go rather than slow the
// traffic down. Its methods may be called at any time.
type Lossy interface {
	Source
	// Lost is how many bytes the reader was too slow for; they appear as gaps.
	Lost() int64
	// Room is how much of the room for what waits to be read is free, 1 when nothing waits.
	Room() float64
}

// Summary is what a source says of itself at its end.
type Summary struct {
	Format      string // "pcap", "pcapng", "har", "play"
	Packets     int64
	Connections int64
	Last        time.Time // of the last thing the input holds, A2A or not; zero when unknown
	Damage      []Damage
}

// Damage is something of the input that could not be read.
type Damage struct {
	What   string // stable code: "truncated", "bad-entry", "no-tcp", "fragments", "link-type", "snaplen", …
	Detail string // a sentence that names the place
}
