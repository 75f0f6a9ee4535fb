package session

import (
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"sync"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
)

// A packed call is one run of bytes without a pointer in it:
//
//	call ─ exchange ─┬ head ── raw bytes, where in them each name and value stands
//	                 ├ frame ─ bytes, or where in a mapping they are
//	                 └ times as distances, words as numbers
//
// It says everything that the compact call says and nothing else, so what was
// packed and read again is equal to what it was before. What is packed is
// found by reflection (packplan.go): a field that somebody adds is packed too.

// packer writes calls; it belongs to the session's goroutine.
type packer struct {
	buf     []byte
	words   *words
	regions *regions
	last    time.Time // written before: times lie close together
	cannot  bool      // a value has no packed form
}

// maxPacked bounds what is packed; a larger exchange stays as it is.
const maxPacked = 1 << 30

// pack returns the call in packed form, valid until the next one is packed. It
// reports false where the call has something that cannot be packed.
func (p *packer) pack(c *decode.Call, link *capture.Link) ([]byte, bool) {
	x := c.Exchange
	if !c.Compacted || x.Link != link {
		return nil, false
	}
	if cap(p.buf) > 2*largeBlock { // the one before was a long stream
		p.buf = nil
	}
	p.buf, p.last, p.cannot = p.buf[:0], time.Time{}, false
	p.flag(c.AgentCard != nil)
	callPlan().put(p, reflect.ValueOf(c).Elem())
	return p.buf, !p.cannot && len(p.buf) <= maxPacked
}

var errPacked = errors.New("what was kept of the exchange is damaged")

// unpack reads a packed call. The call's bytes lie in b.
func unpack(b []byte, link *capture.Link, w *words, r *regions) (*decode.Call, error) {
	u := &unpacker{rest: b, words: w, regions: r, link: link}
	c := &decode.Call{}
	card := u.flag()
	callPlan().get(u, reflect.ValueOf(c).Elem())
	if u.bad || len(u.rest) > 0 || c.Exchange == nil {
		return nil, errPacked
	}
	if card {
		c.ReadCard()
	}
	return c, nil
}

// callPlan is how a call is packed. A card is a tree with pointers: it is read
// again from the body.
var callPlan = sync.OnceValue(func() *plan {
	var link *capture.Link
	ps := plans{
		reflect.TypeFor[time.Time](): {(*packer).timeValue, (*unpacker).timeValue},
		reflect.TypeOf(link): {func(*packer, reflect.Value) {}, func(u *unpacker, v reflect.Value) {
			v.Set(reflect.ValueOf(u.link)) // of the row
		}},
	}
	head := reflect.TypeFor[capture.Head]()
	ps[head] = ps.ofStruct(head, "Proto", "Method", "Target", "Reason", "Fields", "Raw").and(
		func(p *packer, v reflect.Value) { p.head(v.Addr().Interface().(*capture.Head)) },
		func(u *unpacker, v reflect.Value) { u.head(v.Addr().Interface().(*capture.Head)) })
	frame := reflect.TypeFor[capture.Frame]()
	ps[frame] = ps.ofStruct(frame, "Data", "Raw").and(
		func(p *packer, v reflect.Value) { p.frame(v.Addr().Interface().(*capture.Frame)) },
		func(u *unpacker, v reflect.Value) { u.frame(v.Addr().Interface().(*capture.Frame)) })
	return ps.ofStruct(reflect.TypeFor[decode.Call](), "AgentCard")
})

// frame writes the bytes of a frame. Of an SSE event the data is mostly a part of the lines.
func (p *packer) frame(f *capture.Frame) {
	p.bytes(f.Raw)
	at := offset(f.Data, f.Raw)
	if p.int(int64(at)); at >= 0 {
		p.int(int64(len(f.Data)))
		return
	}
	p.bytes(f.Data)
}

func (u *unpacker) frame(f *capture.Frame) {
	f.Raw = u.bytes()
	at := u.int()
	if at < 0 {
		f.Data = u.bytes()
		return
	}
	n := u.int()
	if at > int64(len(f.Raw)) || n < 0 || n > int64(len(f.Raw))-at {
		u.bad = true
		return
	}
	f.Data = f.Raw[at : at+n : at+n]
}

// head writes the words of a head: where they stand in the exact bytes, where
// there are any and they do.
func (p *packer) head(h *capture.Head) {
	p.bytes(h.Raw)
	t := text{raw: h.Raw}
	for _, s := range startLine(h) {
		p.part(&t, *s)
	}
	p.flag(h.Fields != nil)
	unknown := slices.ContainsFunc(h.Fields, func(f capture.Field) bool { return f.Unknown })
	p.flag(unknown)
	p.uint(uint64(len(h.Fields)))
	for i := range h.Fields {
		f := &h.Fields[i]
		p.part(&t, f.Name)
		p.part(&t, f.Value)
		if unknown {
			p.flag(f.Unknown)
		}
	}
}

func (u *unpacker) head(h *capture.Head) {
	h.Raw = u.bytes()
	t := text{raw: h.Raw, whole: string(h.Raw)} // all words share one copy, as when it was parsed
	for _, s := range startLine(h) {
		*s = u.part(&t)
	}
	some, unknown := u.flag(), u.flag()
	if n := u.count(); some {
		h.Fields = make(capture.Fields, n)
	}
	for i := range h.Fields {
		f := &h.Fields[i]
		f.Name, f.Value = u.part(&t), u.part(&t)
		f.Unknown = unknown && u.flag()
	}
}

// startLine lists the words of the first line in their order.
func startLine(h *capture.Head) [4]*string {
	if h.IsRequest() {
		return [4]*string{&h.Method, &h.Target, &h.Proto, &h.Reason}
	}
	return [4]*string{&h.Proto, &h.Reason, &h.Method, &h.Target}
}

// text is a head on the way through its bytes.
type text struct {
	raw   []byte
	whole string // raw, for the reader
	at    int
}

// between is how far the next word of a head may be: ": ", CR LF, " 200 ".
const between = 8

// part writes a word: how far it is from the one before, or itself.
func (p *packer) part(t *text, s string) {
	if s != "" {
		for gap := 0; gap <= between && t.at+gap+len(s) <= len(t.raw); gap++ {
			if at := t.at + gap; string(t.raw[at:at+len(s)]) == s {
				p.uint(uint64(gap) + 1)
				p.uint(uint64(len(s)))
				t.at = at + len(s)
				return
			}
		}
	}
	p.uint(0)
	p.string(s)
}

func (u *unpacker) part(t *text) string {
	gap := u.uint()
	if gap == 0 {
		return u.string()
	}
	n := u.uint()
	at := uint64(t.at) + gap - 1
	if gap > between+1 || n > uint64(len(t.whole)) || at+n > uint64(len(t.whole)) {
		u.bad = true
		return ""
	}
	t.at = int(at + n)
	return t.whole[at : at+n]
}

// The kinds of zones a time may be in.
const (
	zoneLocal = iota
	zoneUTC
	zoneFixed
)

// timeValue writes a time as its distance from the one before. Durations keep
// what the clock of the machine measured, though the wall clock may have been set.
func (p *packer) timeValue(v reflect.Value) {
	t := v.Addr().Interface().(*time.Time)
	if p.last.IsZero() {
		p.int(t.Unix())
		p.int(int64(t.Nanosecond()))
	} else {
		p.int(int64(t.Sub(p.last)))
	}
	p.last = *t
	switch loc := t.Location(); loc {
	case time.Local:
		p.uint(zoneLocal)
	case time.UTC:
		p.uint(zoneUTC)
	default:
		name, east := t.Zone()
		p.uint(zoneFixed)
		p.string(name)
		p.int(int64(east))
	}
}

func (u *unpacker) timeValue(v reflect.Value) {
	var t time.Time
	if u.last.IsZero() {
		t = time.Unix(u.int(), u.int())
	} else {
		t = u.last.Add(time.Duration(u.int()))
	}
	switch u.uint() {
	case zoneLocal:
		t = t.Local()
	case zoneUTC:
		t = t.UTC()
	case zoneFixed:
		name := u.string()
		t = t.In(time.FixedZone(name, int(u.int())))
	default:
		u.bad = true
	}
	u.last = t
	*v.Addr().Interface().(*time.Time) = t
}

// The letters of the form: numbers, flags, words, bytes.

func (p *packer) uint(n uint64) { p.buf = binary.AppendUvarint(p.buf, n) }
func (p *packer) int(n int64)   { p.buf = binary.AppendVarint(p.buf, n) }

func (p *packer) flag(b bool) {
	if b {
		p.buf = append(p.buf, 1)
	} else {
		p.buf = append(p.buf, 0)
	}
}

// string writes the number of a word that comes often, or the word.
func (p *packer) string(s string) {
	if n, ok := p.words.number(s); ok {
		p.uint(uint64(n)<<1 | 1)
		return
	}
	p.uint(uint64(len(s)) << 1)
	p.buf = append(p.buf, s...)
}

// bytes writes bytes, or where they are when that place stays as it is. nil is
// not the same as empty.
func (p *packer) bytes(b []byte) {
	if at, ok := p.regions.find(b); ok {
		p.uint(uint64(at.region)<<1 | 1)
		p.uint(uint64(at.offset))
		p.uint(uint64(len(b)))
		return
	}
	if b == nil {
		p.uint(0)
		return
	}
	p.uint(uint64(len(b)+1) << 1)
	p.buf = append(p.buf, b...)
}

// unpacker reads what a packer wrote. Once it is bad it reads zeros.
type unpacker struct {
	rest    []byte
	words   *words
	regions *regions
	link    *capture.Link
	last    time.Time
	bad     bool
}

func (u *unpacker) uint() uint64 {
	n, k := binary.Uvarint(u.rest)
	if k <= 0 {
		u.bad, u.rest = true, nil
		return 0
	}
	u.rest = u.rest[k:]
	return n
}

func (u *unpacker) int() int64 {
	n, k := binary.Varint(u.rest)
	if k <= 0 {
		u.bad, u.rest = true, nil
		return 0
	}
	u.rest = u.rest[k:]
	return n
}

func (u *unpacker) flag() bool { return u.uint() != 0 }

// count reads how many values follow: each takes a byte at least.
func (u *unpacker) count() int { return len(u.take(u.uint(), false)) }

// take returns the next n bytes, and moves past them if it is asked to.
func (u *unpacker) take(n uint64, past bool) []byte {
	if n > uint64(len(u.rest)) {
		u.bad = true
		return nil
	}
	b := u.rest[:n:n]
	if past {
		u.rest = u.rest[n:]
	}
	return b
}

func (u *unpacker) string() string {
	n := u.uint()
	if n&1 == 0 {
		return string(u.take(n>>1, true))
	}
	s, ok := u.words.at(n >> 1)
	u.bad = u.bad || !ok
	return s
}

func (u *unpacker) bytes() []byte {
	n := u.uint()
	switch {
	case n == 0:
		return nil
	case n&1 == 0:
		return u.take(n>>1-1, true)
	}
	b, ok := u.regions.at(n>>1, u.uint(), u.uint())
	u.bad = u.bad || !ok
	return b
}
