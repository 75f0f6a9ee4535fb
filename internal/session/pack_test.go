package session

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
)

func newPacker() *packer { return &packer{words: newWords(), regions: &regions{}} }

// again packs a call and reads it again.
func again(t *testing.T, p *packer, c *decode.Call) *decode.Call {
	t.Helper()
	b, ok := p.pack(c, c.Exchange.Link)
	if !ok {
		t.Fatalf("cannot be packed: %+v", c)
	}
	got, err := unpack(bytes.Clone(b), c.Exchange.Link, p.words, p.regions)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// fill gives every field of a value something of its own, so that a field that
// nobody packs is missed.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(1700000000, int64(*n)*1001)))
		return
	case *decode.AgentCard, *capture.Link:
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("word ", *n%9)) // some come again
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n % 100))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n % 100))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range 3 {
			fill(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 3 {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(k, n)
			fill(e, n)
			v.SetMapIndex(k, e)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n)
			}
		}
	}
}

// TestEveryFieldIsPacked: also one that is added tomorrow.
func TestEveryFieldIsPacked(t *testing.T) {
	c := &decode.Call{}
	n := 0
	fill(reflect.ValueOf(c).Elem(), &n)
	c = c.Compact()
	if n < 300 {
		t.Fatalf("only %d values were filled", n)
	}
	p := newPacker()
	for range 3 { // words are known by then
		if got := again(t, p, c); !reflect.DeepEqual(got, c) {
			t.Fatalf("%+v\n%+v", got, c)
		}
	}
	b, _ := p.pack(c, nil)
	b = bytes.Clone(b)
	if s, _ := newPacker().pack(c, nil); len(s) < len(b)+50 {
		t.Errorf("words cost the same whether they are known or not: %d and %d bytes", len(s), len(b))
	}
	for i := range b {
		if got, err := unpack(b[:i], nil, p.words, p.regions); err == nil {
			t.Fatalf("%d of %d bytes are taken for a call: %+v", i, len(b), got)
		}
	}
}

func TestWhatIsPackedKeepsItsShape(t *testing.T) {
	file := bytes.Repeat([]byte("mapped "), 100)
	raw := []byte("id: 7\ndata: {\"a\":1}\n\n")
	head := func(s string, h capture.Head) *capture.Head {
		h.Raw = []byte(s)
		return &h
	}
	east := time.FixedZone("", 2*3600)
	at := time.Date(2026, 11, 30, 8, 0, 0, 123456789, time.UTC)
	c := &decode.Call{Compacted: true, Exchange: &capture.Exchange{
		ID: 1 << 24, Conn: 1, Link: &capture.Link{Source: "proxy"}, Started: at, Answered: at.Add(-time.Second).In(east), Ended: at.Local(),
		Request: head("POST /x?y HTTP/1.1\r\nHost:  a:1\r\nX-Empty:\r\nX-Twice: b\r\nX-Twice: b\r\n\r\n", capture.Head{
			Method: "POST", Target: "/x?y", Proto: "HTTP/1.1", Scheme: "http", Authority: "a:1",
			Fields: capture.Fields{{Name: "Host", Value: "a:1"}, {Name: "X-Empty"}, {Name: "X-Twice", Value: "b"}, {Name: "X-Twice", Value: "b"}}}),
		Response: head("HTTP/1.1 200 OK\r\nfolded: a\r\n b\r\n\r\n", capture.Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: capture.Fields{{Name: "folded", Value: "a b"}}}),
		Interim:  []*capture.Head{{Proto: "HTTP/2", Status: 103, Fields: capture.Fields{}, Stream: 5}},
		Sent:     []capture.Timed[*capture.Frame]{{At: at, V: &capture.Frame{Data: file[70:140], Size: 70}}},
		Received: []capture.Timed[*capture.Frame]{
			{V: &capture.Frame{Form: capture.SSEEvent, Raw: raw, Data: raw[12:19]}},
			{V: &capture.Frame{Raw: []byte("data: a\ndata: b\n\n"), Data: []byte("a\nb")}},
			{V: &capture.Frame{Data: []byte{}}}, {V: &capture.Frame{}},
		},
	}}
	p := newPacker()
	p.regions.add(file)
	got := again(t, p, c)
	if !reflect.DeepEqual(got, c) {
		t.Errorf("%+v\n%+v", got.Exchange, c.Exchange)
	}
	x := got.Exchange
	if &x.Sent[0].V.Data[0] != &file[70] {
		t.Error("bytes of a mapping were copied")
	}
	if f := x.Received[0].V; &f.Data[0] != &f.Raw[12] || cap(f.Data) != 7 {
		t.Error("the data of an event is no part of its lines")
	}
	if x.Link != c.Exchange.Link || x.Received[2].V.Data == nil || x.Received[3].V.Data != nil {
		t.Error("the link is another one, or nil and empty are one")
	}
	if b, _ := p.pack(c, c.Exchange.Link); bytes.Contains(b, []byte("mapped")) || bytes.Count(b, []byte("X-Twice")) != 2 {
		t.Errorf("%q", b)
	}
}

func TestDocumentsAreNotPacked(t *testing.T) {
	c := &decode.Call{Exchange: &capture.Exchange{}}
	if _, ok := newPacker().pack(c, nil); ok {
		t.Error("a call that is not compact was packed")
	}
	c.Compacted = true
	if _, ok := newPacker().pack(c, &capture.Link{}); ok {
		t.Error("an exchange of another link was packed")
	}
	c.Events = []decode.StreamEvent{{}}
	c.Exchange.Interim = []*capture.Head{nil}
	if _, ok := newPacker().pack(c, nil); ok {
		t.Error("a hole was packed")
	}
}
