package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"a2ascope/capture"
)

// batch is what a source handed over at once. Every worker gets the whole of
// it and reads the connections that are its own.
type batch struct {
	outs     []chan []observation // where each worker answers; nil: only progress
	progress *capture.Progress
}

// part is a batch on its way to a worker.
type part struct {
	chunks []capture.Chunk
	events []capture.Event
	out    chan []observation
}

// How many batches the source may run ahead of the session. They are about a
// megabyte each, and ten times as much when they are decoded: beside live traffic,
// which waits in a queue anyway, there is one.
const (
	batchAhead     = 4
	liveBatchAhead = 1
)

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

func (in *intake) own(c *capture.ConnID) {
	in.highest = max(in.highest, *c)
	*c += in.base
}

func (in *intake) Chunks(cs []capture.Chunk) error {
	for i := range cs {
		in.own(&cs[i].Conn)
	}
	return in.send(part{chunks: cs})
}

func (in *intake) Events(es []capture.Event) error {
	for i := range es {
		if es[i].Exchange != 0 {
			es[i].Exchange += capture.NewExchangeID(in.base, 0)
		}
		in.own(&es[i].Conn)
	}
	return in.send(part{events: es})
}

func (in *intake) Progress(p capture.Progress) { _ = in.queued(batch{progress: &p}) }

// send gives every worker the batch, and the session the places where the answers will come.
func (in *intake) send(p part) error {
	b := batch{outs: make([]chan []observation, len(in.workers))}
	for w, ch := range in.workers {
		p.out = make(chan []observation, 1)
		b.outs[w] = p.out
		select {
		case ch <- p:
		case <-in.ctx.Done():
			return errGone
		}
	}
	return in.queued(b)
}

func (in *intake) queued(b batch) error {
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
	s.opt.settle()
	s.book.openFile(input.Name, s.opt.NewEngine())
	s.book.endless = input.Endless
	s.publish()
	src, err := input.Open()
	if err != nil {
		s.book.closeFile(capture.Summary{}, err)
		s.publish()
		return
	}
	sourceCtx := ctx
	if input.Live {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !input.Live {
		sourceCtx = ctx
	}

	var mapping []byte
	if m, ok := src.(mapped); ok {
		mapping = m.Mapped()
		s.book.keep.regions.add(mapping)
	}
	s.book.lossy, _ = src.(capture.Lossy)
	s.book.told = 0
	ahead := batchAhead
	if s.book.lossy != nil {
		ahead = liveBatchAhead
	}
	in := &intake{ctx: ctx, base: s.book.connBase, queue: make(chan batch, ahead)}
	var owned sync.WaitGroup
	for i := range s.opt.Workers {
		ch := make(chan part, ahead)
		in.workers = append(in.workers, ch)
		w := newWorker(i, s.opt.Workers)
		w.keep, w.mapping = s.book.keep, mapping
		owned.Go(func() {
			s.opt.settle()
			w.run(ch)
		})
	}
	var sum capture.Summary
	var srcErr error
	owned.Go(func() {
		sum, srcErr = src.Run(sourceCtx, in)
		for _, ch := range in.workers {
			close(ch)
		}
		close(in.queue)
	})
	s.consume(ctx, in.queue, input.Live, s.rests(sourceCtx.Done()))
	cancel()
	owned.Wait()
	if errors.Is(srcErr, errGone) || errors.Is(srcErr, context.Canceled) {
		srcErr = nil
	}
	s.book.connBase += in.highest
	s.book.missed(s.opt.Now)
	s.book.closeFile(sum, srcErr)
	s.publish()
}

// silence is how often a live session looks for what did not come. The rules
// wait for seconds, and a person does not see less.
const silence = 500 * time.Millisecond

// consume takes batches in order until the source ended or ctx did.
func (s *Session) consume(ctx context.Context, queue <-chan batch, live bool, r *rests) {
	var quiet <-chan time.Time
	if live && s.opt.Now != nil {
		t := time.NewTicker(silence)
		defer t.Stop()
		quiet = t.C
	}
	for {
		var b batch
		var ok bool
		select {
		case b, ok = <-queue:
		case <-quiet:
			// What waits may be what did not seem to come.
			if len(queue) > 0 {
				continue
			}
			s.book.missed(s.opt.Now)
			if s.book.silent(s.opt.Now()) {
				s.publish()
			}
			continue
		case <-ctx.Done():
		}
		if !ok {
			return
		}
		if b.progress != nil {
			s.book.progress = *b.progress
		}
		lists := make([][]observation, 0, len(b.outs))
		for _, out := range b.outs {
			select {
			case os := <-out:
				lists = append(lists, os)
			case <-ctx.Done():
				return
			}
		}
		r.begin()
		s.book.missed(s.opt.Now)
		for o := range merged(lists) {
			s.book.observe(o)
		}
		s.book.trim()
		s.publish()
		r.take(s.book.last)
	}
}
