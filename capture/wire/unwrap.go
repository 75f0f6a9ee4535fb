package wire

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// unwrapper removes one coding from a stream as it arrives. What it passes to
// sink belongs to sink. It may be fed any pieces, down to single bytes.
type unwrapper interface {
	push(p []byte, sink func([]byte) error) error
	// end says that no more comes, also after an error of push; it returns an
	// error when the stream is not whole.
	end(sink func([]byte) error) error
}

var (
	errFlush   = errors.New("take the output first")
	errBomb    = fmt.Errorf("it grows to more than %d times its size", maxRatio)
	errPartial = errors.New("it ends before it is whole")
	errCoding  = errors.New("unknown coding")
)

// codingsOf splits a list such as "gzip, br"; identity is dropped. The last was applied last.
func codingsOf(list string) []string {
	var cs []string
	for c := range strings.SplitSeq(list, ",") {
		if c = strings.ToLower(strings.TrimSpace(c)); c != "" && c != "identity" {
			cs = append(cs, c)
		}
	}
	return cs
}

// unwrap builds the chain that removes the codings, the last one first. whole
// says that what it will be given is everything, at once.
func (c *Conn) unwrap(codings []string, whole bool) (unwrapper, error) {
	step := 1
	if whole {
		step = math.MaxInt
	}
	// More than three codings is nobody's intent.
	if len(codings) > 3 {
		return nil, fmt.Errorf("%d codings on top of each other", len(codings))
	}
	var u unwrapper
	for i, name := range codings {
		var next unwrapper
		switch name {
		case "gzip", "x-gzip":
			next = &inflate{d: inflater{wrap: wrapGzip}, limit: c.lim.Inflate}
		case "deflate":
			next = &inflate{d: inflater{wrap: wrapDeflate}, limit: c.lim.Inflate}
		case "br":
			next = newUnbrotli(step, c.lim.Inflate)
		case "zstd":
			next = &unzstd{keep: store{c: c, max: c.lim.Zstd}, limit: c.lim.Inflate}
		default:
			return nil, fmt.Errorf("%w %q", errCoding, name)
		}
		if i == 0 {
			u = next
		} else {
			u = &chain{outer: next, inner: u}
		}
	}
	return u, nil
}

// chain removes two codings.
type chain struct{ outer, inner unwrapper }

func (c *chain) push(p []byte, sink func([]byte) error) error {
	return c.outer.push(p, func(q []byte) error { return c.inner.push(q, sink) })
}

func (c *chain) end(sink func([]byte) error) error {
	err := c.outer.end(func(q []byte) error { return c.inner.push(q, sink) })
	if e := c.inner.end(sink); err == nil { // in any case: it may hold bytes
		err = e
	}
	return err
}

// gauge notices a stream that grows beyond reason.
type gauge struct{ in, out int64 }

func (g *gauge) bomb(limit int64) bool { return g.out > limit && g.out/max(g.in, 1) > maxRatio }

// segment is how much is decoded between two looks at the limits.
const segment = 256 << 10

type inflate struct {
	d     inflater
	g     gauge
	limit int64
}

func (u *inflate) push(p []byte, sink func([]byte) error) error {
	u.d.in = p
	for {
		before := len(u.d.in)
		err := u.d.run(segment)
		u.g.in += int64(before - len(u.d.in))
		o := u.d.take()
		u.g.out += int64(len(o))
		if len(o) > 0 {
			if e := sink(o); e != nil {
				return e
			}
		}
		switch {
		case u.g.bomb(u.limit):
			return errBomb
		case err == errMoreInput || err == nil && u.d.state == atEnd:
			u.d.in = nil
			return nil
		case err != nil && err != errFlush:
			return err
		}
	}
}

func (u *inflate) end(func([]byte) error) error {
	if !u.d.whole() {
		return errPartial
	}
	return nil
}
