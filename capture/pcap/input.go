package pcap

import (
	"io"
	"math"
)

// input hands out the bytes of a capture in order. What take returns stays
// valid and unchanged for good: chunks point into it.
type input struct {
	slab []byte    // the mapped file, or the slab being filled
	r, w int       // slab[r:w] is read and not yet taken
	base int64     // offset of slab[0] in the capture
	src  io.Reader // nil when the slab holds all there is
	err  error     // why src gives no more; io.EOF at its end

	// wait is called before src is read, since that may take long: what was
	// found so far should be on its way.
	wait func() error

	mapped   bool // slab is a mapping
	released int  // slab[:released] was given back to the system

	size int64        // of the file on disk, 0 when unknown
	read func() int64 // bytes of the file on disk read so far, when that is not pos
}

// What was read is given back in steps once it lies this far behind: by then
// the parsers are done with it, and only who looks at an old body needs it.
const (
	keepBehind  = 16 << 20
	releaseStep = 4 << 20 // a multiple of every page size
)

// giveBack keeps a mapped file from filling the memory of the process.
func (in *input) giveBack() {
	for in.mapped && in.r-in.released > keepBehind+releaseStep {
		release(in.slab[in.released : in.released+releaseStep])
		in.released += releaseStep
	}
}

// pos is the offset of the next byte take returns.
func (in *input) pos() int64 { return in.base + int64(in.r) }

// progress says how much of the file on disk was read.
func (in *input) progress() int64 {
	if in.read != nil {
		return in.read()
	}
	return in.pos()
}

// have makes n bytes available, reading as needed, and says how many there
// are: fewer than n only when the input ends.
func (in *input) have(n int) int {
	if in.w-in.r < n && in.src != nil {
		in.fill(n)
	}
	return in.w - in.r
}

// take returns the next n bytes, or nil when the input has fewer.
func (in *input) take(n int) []byte {
	if in.w-in.r < n && in.have(n) < n {
		return nil
	}
	b := in.slab[in.r : in.r+n : in.r+n]
	in.r += n
	return b
}

// peek is take without moving on.
func (in *input) peek(n int) []byte {
	if in.have(n) < n {
		return nil
	}
	return in.slab[in.r : in.r+n : in.r+n]
}

// skip passes over up to n bytes and says how many there were.
func (in *input) skip(n int64) int64 {
	var done int64
	for done < n {
		step := int64(min(n-done, slabSize/4))
		if in.src == nil {
			step = n - done
		}
		k := min(int64(in.have(int(min(step, int64(math.MaxInt))))), step)
		if k <= 0 {
			break
		}
		in.r += int(k)
		done += k
	}
	return done
}

// fill reads until n bytes are available. A slab that is full is left to those
// who point into it; the bytes not yet taken move to a new one, which grows
// only as bytes really arrive, whatever n a damaged file asks for.
func (in *input) fill(n int) {
	for empty := 0; in.w-in.r < n && in.err == nil; {
		if in.w == len(in.slab) {
			rest := in.slab[in.r:in.w]
			next := make([]byte, max(slabSize, 2*len(rest)))
			in.w = copy(next, rest)
			in.base += int64(in.r)
			in.slab, in.r = next, 0
		}
		if in.wait != nil {
			if in.err = in.wait(); in.err != nil {
				return
			}
		}
		k, err := in.src.Read(in.slab[in.w:])
		in.w += k
		in.err = err
		if k == 0 && err == nil {
			if empty++; empty == 100 {
				in.err = io.ErrNoProgress
			}
		}
	}
}

// counter counts what passes through a reader.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}
