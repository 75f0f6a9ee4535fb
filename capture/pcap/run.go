package pcap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"a2ascope/capture"
)

// Source is a capture file being read. Open and NewReader make one.
type Source struct {
	name    string
	format  string
	in      *input
	records records
	closer  io.Closer
	ran     bool
}

// Secrets returns the decryption secrets found in the file so far: while Run
// calls the sink those that precede the chunks, after Run all of them. A block
// of secrets stands before the packets it is needed for.
func (s *Source) Secrets() []Secret {
	if b, ok := s.records.(*blocks); ok {
		return b.secrets
	}
	return nil
}

// Mapped returns the mapping of the file that chunks point into; nil when the
// capture is read as a stream.
func (s *Source) Mapped() []byte {
	if !s.in.mapped {
		return nil
	}
	return s.in.slab
}

// Run reads the capture to its end, once. Damage of the file is in the
// summary; an error means that the sink is gone, ctx ended, the medium failed,
// or nothing in the file can be read.
func (s *Source) Run(ctx context.Context, to capture.Sink) (capture.Summary, error) {
	sum := capture.Summary{Format: s.format}
	if s.ran {
		return sum, fmt.Errorf("%s was read already", s.name)
	}
	s.ran = true
	if s.closer != nil {
		defer s.closer.Close()
	}
	out := &batch{ctx: ctx, to: to, in: s.in}
	s.in.wait = func() error { return out.flush() }
	dec := newDecoder()
	asm := newAssembler(out)
	err := s.walk(out, dec, asm)

	var stop *broken
	if errors.As(err, &stop) {
		err = nil
		sum.Damage = append(sum.Damage, stop.Damage)
	}
	sum.Packets, sum.Last = out.packets, out.last
	if out.err == nil {
		asm.end()
		if flushed := out.flush(); err == nil {
			err = flushed
		}
		out.report()
	}
	sum.Connections = int64(asm.conns)
	if b, ok := s.records.(*blocks); ok {
		b.endSection()
		if b.dropped > 0 {
			sum.Damage = append(sum.Damage, capture.Damage{What: "dropped",
				Detail: fmt.Sprintf("the capture program dropped %s: capture with a larger buffer (tcpdump -B) or a narrower filter", count(int64(b.dropped), "packet"))})
		}
	}
	sum.Damage = append(sum.Damage, dec.damage(out.packets)...)
	sum.Damage = append(sum.Damage, asm.damage()...)
	if err == nil {
		err = dec.useless(s.name)
	}
	return sum, err
}

// walk takes packets from the file until it ends.
func (s *Source) walk(out *batch, dec *decoder, asm *assembler) error {
	var p packet
	var seg segment
	for {
		if err := s.records.next(&p); err != nil {
			if err == io.EOF {
				return nil
			}
			if out.err == nil && !errors.As(err, new(*broken)) {
				err = fmt.Errorf("read %s: %w", s.name, err)
			}
			return err
		}
		out.packets++
		if p.at.After(out.last) {
			out.last = p.at
		}
		if dec.decode(&p, &seg) {
			asm.add(&seg)
		}
		if out.packets%tickPackets == 0 {
			asm.tick(p.at)
		}
		if out.full() {
			if err := out.flush(); err != nil {
				return err
			}
		} else if out.due() {
			out.report()
			if err := ctxErr(out); err != nil {
				return err
			}
		}
	}
}

func ctxErr(out *batch) error {
	if out.err == nil {
		out.err = out.ctx.Err()
	}
	return out.err
}

// batch gathers chunks for the sink.
type batch struct {
	ctx     context.Context
	to      capture.Sink
	in      *input
	chunks  []capture.Chunk
	bytes   int
	seq     uint64
	packets int64
	last    time.Time // of the newest packet
	room    int       // for the next slice: streams fill small ones, files large ones
	told    int64     // how far the file was read at the last report
	err     error     // sticky
}

func (b *batch) add(c capture.Chunk) {
	if b.chunks == nil {
		b.chunks = make([]capture.Chunk, 0, min(max(b.room, 16), batchChunks+8))
	}
	b.seq++
	c.Seq = b.seq
	b.chunks = append(b.chunks, c)
	b.bytes += len(c.Data)
}

func (b *batch) full() bool { return len(b.chunks) >= batchChunks || b.bytes >= batchBytes }

func (b *batch) due() bool { return b.in.pos()-b.told >= progressBytes }

// flush hands over what was gathered. The slice is the sink's from then on.
func (b *batch) flush() error {
	if ctxErr(b) != nil || len(b.chunks) == 0 {
		return b.err
	}
	chunks := b.chunks
	b.room = 2 * len(chunks)
	b.chunks, b.bytes = nil, 0
	b.err = b.to.Chunks(chunks)
	b.in.giveBack()
	if b.err == nil && b.due() {
		b.report()
	}
	return b.err
}

func (b *batch) report() {
	b.told = b.in.pos()
	b.to.Progress(capture.Progress{Read: b.in.progress(), Total: b.in.size, Packets: b.packets})
}

// count writes a number with its noun.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
