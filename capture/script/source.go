package script

import (
	"context"
	"errors"
	"time"

	"a2ascope/capture"
)

// Options say how a play is performed.
type Options struct {
	// Start is the time of the first line; the zero time means 1 January 2026.
	Start time.Time
	// Pace waits between the lines as long as the play says, with Sleep.
	Pace  bool
	Sleep func(ctx context.Context, d time.Duration) error
	// EncodeGRPC encodes the message of a gRPC call from its JSON form. It is
	// given from outside, since the schema belongs to A2A and not to the wire.
	EncodeGRPC func(path string, response bool, json []byte) ([]byte, error)
}

// Source returns a source that performs the play.
func (p *Play) Source(o Options) capture.Source {
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return &source{p, o}
}

type source struct {
	play *Play
	o    Options
}

// Run emits the play. See capture.Source.
func (s *source) Run(ctx context.Context, to capture.Sink) (capture.Summary, error) {
	sum := capture.Summary{Format: "play", Last: s.o.Start.Add(s.play.length)}
	if s.o.Pace && s.o.Sleep == nil {
		return sum, errors.New(s.play.name + ": a play cannot be paced without a clock")
	}
	e := &encoder{play: s.play, start: s.o.Start, grpc: s.o.EncodeGRPC, states: map[*conn]*state{}, bodies: map[*message]*body{}}
	if err := e.prepare(); err != nil {
		return sum, err
	}
	now := time.Duration(0)
	for i := range s.play.acts {
		a := &s.play.acts[i]
		if a.at > now {
			if err := s.pass(ctx, e, to, a.at-now); err != nil {
				return sum, err
			}
			now = a.at
		}
		e.act(a)
	}
	if s.play.length > now {
		if err := s.pass(ctx, e, to, s.play.length-now); err != nil {
			return sum, err
		}
	}
	for _, c := range s.play.conns {
		st := e.states[c]
		if st == nil {
			continue
		}
		sum.Connections++
		if c.over == 0 {
			e.chunk(&act{at: s.play.length, conn: c, from: capture.Client}, capture.Chunk{Kind: capture.Closed, Err: ended})
		}
	}
	return sum, s.flush(ctx, e, to)
}

// pass gives out what was said and lets time pass.
func (s *source) pass(ctx context.Context, e *encoder, to capture.Sink, d time.Duration) error {
	if err := s.flush(ctx, e, to); err != nil {
		return err
	}
	if s.o.Pace {
		return s.o.Sleep(ctx, d)
	}
	return nil
}

func (s *source) flush(ctx context.Context, e *encoder, to capture.Sink) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(e.out) == 0 {
		return nil
	}
	out := e.out
	e.out = nil
	return to.Chunks(out)
}
