package session

import (
	"context"
	"errors"
	"sync"

	"a2ascope/capture"
)

// batch is what a source handed over at once, split by worker.
type batch struct {
	parts    []part // one for each worker
	progress *capture.Progress
}

// part is one worker's share of a batch.
type part struct {
	chunks []capture.Chunk
	events []capture.Event
	out    chan []observation
}

// batchAhead bounds how far the source may run ahead of the session. Batches
// of a source are about a megabyte, so this is a few megabytes of chunks.
const batchAhead = 4

var errGone = errors.New("session ended")

// intake is the sink of one source: it numbers connections apart from those of
// other files, splits batches by connection and queues them.
type intake struct {
	ctx     context.Context
	base    capture.ConnID
	workers []chan part
	queue   chan batch
	highest capture.ConnID
}

func (in *intake) own(c *capture.ConnID) int {
	in.highest = max(in.highest, *c)
	*c += in.base
	return int(uint64(*c) % uint64(len(in.workers)))
}

func (in *intake) Chunks(cs []capture.Chunk) error {
	parts := make([]part, len(in.workers))
	if len(parts) == 1 {
		for i := range cs {
			in.own(&cs[i].Conn)
		}
		parts[0].chunks = cs
		return in.send(batch{parts: parts})
	}
	for i := range cs {
		w := in.own(&cs[i].Conn)
		if parts[w].chunks == nil {
			parts[w].chunks = make([]capture.Chunk, 0, len(cs)/len(parts)+16)
		}
		parts[w].chunks = append(parts[w].chunks, cs[i])
	}
	return in.send(batch{parts: parts})
}

func (in *intake) Events(es []capture.Event) error {
	parts := make([]part, len(in.workers))
	for i := range es {
		if es[i].Exchange != 0 {
			es[i].Exchange += capture.NewExchangeID(in.base, 0)
		}
		w := in.own(&es[i].Conn)
		parts[w].events = append(parts[w].events, es[i])
	}
	return in.send(batch{parts: parts})
}

func (in *intake) Progress(p capture.Progress) { _ = in.send(batch{progress: &p}) }

// send gives every worker its part and the session the places where the answers will come.
func (in *intake) send(b batch) error {
	for w := range b.parts {
		p := &b.parts[w]
		if p.chunks == nil && p.events == nil {
			continue
		}
		p.out = make(chan []observation, 1)
		select {
		case in.workers[w] <- *p:
		case <-in.ctx.Done():
			return errGone
		}
	}
	select {
	case in.queue <- b:
		return nil
	case <-in.ctx.Done():
		return errGone
	}
}

// readFile drives one input through the pipeline. It returns when its
// goroutines have ended.
func (s *Session) readFile(ctx context.Context, input *Input) {
	s.book.openFile(input.Name, s.opt.NewEngine())
	s.publish()
	src, err := input.Open()
	if err != nil {
		s.book.closeFile(capture.Summary{}, err)
		s.publish()
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	in := &intake{ctx: ctx, base: s.book.connBase, queue: make(chan batch, batchAhead)}
	var owned sync.WaitGroup
	for range s.opt.Workers {
		ch := make(chan part, batchAhead)
		in.workers = append(in.workers, ch)
		owned.Go(func() { newWorker().run(ch) })
	}
	var sum capture.Summary
	var srcErr error
	owned.Go(func() {
		sum, srcErr = src.Run(ctx, in)
		for _, ch := range in.workers {
			close(ch)
		}
		close(in.queue)
	})
	s.consume(ctx, in.queue)
	cancel()
	owned.Wait()
	if errors.Is(srcErr, errGone) || errors.Is(srcErr, context.Canceled) {
		srcErr = nil
	}
	s.book.connBase += in.highest
	s.book.closeFile(sum, srcErr)
	s.publish()
}

// consume takes batches in order until the source ended or ctx did.
func (s *Session) consume(ctx context.Context, queue <-chan batch) {
	for {
		var b batch
		var ok bool
		select {
		case b, ok = <-queue:
		case <-ctx.Done():
		}
		if !ok {
			return
		}
		if b.progress != nil {
			s.book.progress = *b.progress
		}
		lists := make([][]observation, 0, len(b.parts))
		for w := range b.parts {
			if b.parts[w].out == nil {
				continue
			}
			select {
			case os := <-b.parts[w].out:
				lists = append(lists, os)
			case <-ctx.Done():
				return
			}
		}
		for o := range merged(lists) {
			s.book.observe(o)
		}
		s.publish()
	}
}
