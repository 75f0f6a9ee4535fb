package schema

import (
	"sync"

	"a2ascope/decode/spec"
)

// Message is a handle of a message type in one of the schemas. The zero
// Message has no fields: every field is unknown to it.
type Message struct{ t *messageType }

// Name returns the message's name without package, "" for the zero Message.
func (m Message) Name() string {
	if m.t == nil {
		return ""
	}
	return m.t.name
}

// Version returns the schema the message belongs to; "" for google.* types.
func (m Message) Version() spec.Version {
	if m.t == nil {
		return spec.NoVersion
	}
	return m.t.version
}

// RequestOf returns the request message of an rpc method as named on the wire.
// v is V03 (or V02, which has the same numbers), V10Draft or V10.
func RequestOf(v spec.Version, method string) (Message, bool) {
	r, ok := spec.RPCByName(v, method)
	if !ok {
		return Message{}, false
	}
	return Named(v, r.Request)
}

// ResponseOf returns the response message of an rpc method; for streams that of one stream message.
func ResponseOf(v spec.Version, method string) (Message, bool) {
	r, ok := spec.RPCByName(v, method)
	if !ok {
		return Message{}, false
	}
	return Named(v, r.Response)
}

// Named returns a message type by its name: "Task", or "google.rpc.Status".
func Named(v spec.Version, name string) (Message, bool) {
	t := setOf(v).byName(name)
	return Message{t}, t != nil
}

// StatusMessage returns google.rpc.Status.
func StatusMessage() Message { return Message{common().byName("google.rpc.Status")} }

// Issue is something in the bytes that the schema does not explain.
type Issue struct {
	Pointer string // RFC 6901 pointer into Decoded.JSON; "" is the whole message
	Number  int    // field number, 0 when it is about a whole message
	Wire    string // "varint", "i64", "len", "group", "i32", or ""
	Size    int    // bytes of the value
	Text    string // what is wrong, a sentence without a full stop
}

// Decoded is what Decode read.
type Decoded struct {
	JSON    []byte  // members in the order of the wire
	Unknown []Issue // field numbers that the schema does not have
	Broken  []Issue // wrong wire type, no UTF-8, unknown enum number, cut or malformed message, two members of a oneof
	Dropped int     // issues beyond the bound that are not in the lists
	Score   int     // how well the bytes fit; compare only scores of the same bytes
}

// Decode reads wire bytes as m. It never fails.
func Decode(m Message, wire []byte) Decoded { return DecodeInto(m, wire, nil) }

// DecodeInto is Decode that writes the JSON into the memory of buf where it fits.
func DecodeInto(m Message, wire, buf []byte) Decoded {
	if want := len(wire) + len(wire)/2 + 64; cap(buf) < want {
		buf = make([]byte, 0, want)
	}
	path := paths.Get().(*[usualDepth]step)
	defer func() {
		clear(path[:]) // names in it are the message's
		paths.Put(path)
	}()
	w := walker{out: buf[:0], path: path[:0]}
	t := m.t
	if t == nil {
		t = noFields
	}
	w.root(t, wire)
	return Decoded{JSON: w.out, Unknown: w.unknown, Broken: w.broken, Dropped: w.dropped, Score: w.score}
}

// usualDepth is how deep a message is nested at most, usually; deeper ones take more memory.
const usualDepth = 16

// paths is memory to use again.
var paths = sync.Pool{New: func() any { return new([usualDepth]step) }}

// noFields is the type of the zero Message.
var noFields = &messageType{}
