package translate

import (
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// Message is a message as another version writes it.
type Message struct {
	From, To spec.Version
	Binding  spec.Binding
	Body     []byte // JSON text, nil where there is none
	Changes  []Change
}

// Lossless reports whether the translation says all that was said, and lacks nothing.
func (m *Message) Lossless() bool { return lossless(m.Changes) }

// Request is a request as another version writes it.
type Request struct {
	Message
	Method string // what the operation is called there
	Verb   string
	Target string         // path and query
	Fields capture.Fields // headers and metadata, of the request
}

// Reason says why there is no translation.
type Reason string

// The reasons; "" when there is one.
const (
	NoReason    Reason = ""
	NotACall    Reason = "not-a-call"    // no call of A2A whose operation is known
	NoVersion   Reason = "version"       // it is not known which version it is, or one that is not translated
	NoOperation Reason = "no-operation"  // the other version does not have the operation
	Unreadable  Reason = "unreadable"    // not there, cut off or no JSON
	NoSuccess   Reason = "no-success"    // an error was answered, in a form that 0.3 does not lay down
	OtherObject Reason = "other-object"  // an agent card, or an object that the operation does not answer with
	OtherForm   Reason = "other-dialect" // 0.3 in the form of another binding
	NoTask      Reason = "no-task"       // a push delivery of 1.0 without the task that 0.3 posts
)

// Reasons lists all reasons.
func Reasons() []Reason {
	return []Reason{NotACall, NoVersion, NoOperation, Unreadable, NoSuccess, OtherObject, OtherForm, NoTask}
}

// Others lists the versions that a call can be shown in: the one that it is
// not, or both where its name and its body contradict each other.
func Others(c *decode.Call) []spec.Version {
	switch c.Request.Value {
	case spec.V02, spec.V03:
		return []spec.Version{spec.V10}
	case spec.V10:
		return []spec.Version{spec.V03}
	case spec.Mixed:
		return []spec.Version{spec.V10, spec.V03}
	}
	return nil
}

// spoken is the version that a body is written in; "" for those that are not translated.
func spoken(f *decode.VersionFact) spec.Version {
	v := f.Value
	if v == spec.Mixed {
		v = f.Body
	}
	switch v {
	case spec.V02, spec.V03: // 0.2 has the shapes of 0.3
		return spec.V03
	case spec.V10:
		return spec.V10
	}
	return spec.NoVersion
}

// dialectIn is how a version writes JSON in a binding.
func dialectIn(v spec.Version, b spec.Binding) spec.Dialect {
	switch {
	case v == spec.V10:
		return spec.Dialect10
	case b == spec.JSONRPC:
		return spec.DialectJ
	}
	return spec.DialectP
}

// dialectOf is how a message really is written: some peers of 0.3 write one
// binding as another.
func dialectOf(v spec.Version, b spec.Binding, n jsontree.Node) spec.Dialect {
	d := dialectIn(v, b)
	if d == spec.Dialect10 || b == spec.GRPC {
		return d
	}
	for _, o := range []jsontree.Node{n, n.Get("message"), n.Get("task"), n.Path("message", "parts").Index(0)} {
		switch {
		case o.Has("kind"), o.Has("push_notification_config") && o.Has("task_id"):
			return spec.DialectJ
		case o.Has("content"):
			return spec.DialectP
		}
	}
	return d
}

// rpcOf finds the messages that an operation takes and gives in 1.0.
func rpcOf(op spec.Operation) (spec.RPC, bool) {
	_, _, method, ok := spec.SplitRPCPath(spec.NameIn(op, spec.V10, spec.GRPC))
	if !ok {
		return spec.RPC{}, false
	}
	return spec.RPCByName(spec.V10, method)
}

// walkerFor starts a walk; the place is that of the message.
func walkerFor(from, to spec.Dialect, at decode.Place) *walker {
	doc, _, _ := strings.Cut(string(at), "#")
	return &walker{from: from, to: to, base: decode.Place(doc + "#")}
}

// walkerOf is walkerFor a message n of a call; it refuses to go between the two
// forms of 0.3.
func walkerOf(c *decode.Call, from, to spec.Version, n jsontree.Node, at decode.Place) (*walker, Reason) {
	src, dst := dialectOf(from, c.Binding, n), dialectIn(to, c.Binding)
	if src != dst && src != spec.Dialect10 && dst != spec.Dialect10 {
		return nil, OtherForm
	}
	return walkerFor(src, dst, at), NoReason
}

// can says whether a message of one version can be shown in another.
func can(c *decode.Call, from, to spec.Version) Reason {
	switch {
	case c.Kind != spec.KindCall || c.Protocol != spec.A2A || c.Operation == "" || c.Exchange.Request == nil:
		return NotACall
	case from == spec.NoVersion || to != spec.V03 && to != spec.V10:
		return NoVersion
	case spec.NameIn(c.Operation, to, c.Binding) == "":
		return NoOperation
	}
	return NoReason
}

func broken(d *jsontree.Doc) bool { return d == nil || d.Err != nil }

// pointerIn is the pointer of a place into a frame.
func pointerIn(at decode.Place) string {
	_, p, _ := strings.Cut(string(at), "#")
	return p
}

// inEnvelope puts a translated value into a copy of the JSON-RPC object around
// it; name is the member that holds it.
func (w *walker) inEnvelope(env jsontree.Node, name, method string, v tree) tree {
	out := object()
	for c := range env.Children() {
		switch key := c.Key(); {
		case key == name:
			out.put(key, v)
		case key == "method" && method != "":
			out.put(key, text(method))
			if c.Str() != method {
				w.note(Changed, Method, key, w.at(c), "/method")
			}
		default:
			out.put(key, asIs(c))
		}
	}
	return out
}
