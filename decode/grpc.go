package decode

import (
	"strings"

	"a2ascope/capture"
	"a2ascope/decode/schema"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// carriesGRPC reports whether the exchange is gRPC: by the media type of either
// side, or by its frames where the capture lost the heads.
func carriesGRPC(x *capture.Exchange) bool {
	if grpcMedia(x.Request.MediaType()) {
		return true
	}
	if len(x.Sent) > 0 && x.Sent[0].V.Form == capture.GRPCMessage {
		return true
	}
	if x.Trailer != nil {
		if _, ok := x.Trailer.Fields.Lookup("grpc-status"); ok {
			return true
		}
	}
	return x.Request == nil && (grpcMedia(x.Response.MediaType()) ||
		len(x.Received) > 0 && x.Received[0].V.Form == capture.GRPCMessage)
}

func grpcMedia(m string) bool { return strings.HasPrefix(m, "application/grpc") }

// grpcRequest reads a gRPC call by its path, and its message by the schema of the path's package.
func (r *Reader) grpcRequest(x *capture.Exchange, m *marks) {
	c := r.c
	h := x.Request
	c.GRPC.Web = strings.HasPrefix(h.MediaType(), "application/grpc-web")
	path := h.Path()
	pkg, service, method, ok := spec.SplitRPCPath(path)
	if !ok {
		c.Method = path
		r.grpcLostPath(x, m)
		return
	}
	c.GRPC.Package, c.GRPC.Service, c.GRPC.Method = pkg, service, method
	c.Method = path
	if strings.HasPrefix(path, "/grpc.health.") || strings.HasPrefix(path, "/grpc.reflection.") {
		c.Kind, c.Protocol = spec.KindInfra, spec.GRPCOther
		c.Tentative, c.Fallback = true, spec.GRPCOther
		c.identify("request/line", path, spec.GRPCOther, Decisive, "grpc-service")
		return
	}
	if !strings.HasSuffix(service, "A2AService") {
		c.Protocol = spec.GRPCOther
		c.identify("request/line", path, spec.GRPCOther, Decisive, "grpc-service")
		return
	}
	c.Kind, c.Protocol, c.Binding = spec.KindCall, spec.A2A, spec.GRPC
	version, known := spec.A2AService(pkg, service)
	if !known {
		// A regenerated or renamed package: the operation is told by the method's name.
		c.identify("request/line", path, spec.A2A, Medium, "grpc-service-name")
		c.Tentative, c.Fallback = true, spec.GRPCOther
		if rpc, ok := spec.NearRPC(method); ok {
			c.Operation = rpc.Op
		}
		c.Streaming = spec.Streams(c.Operation)
		if m.a2a() != "" {
			r.confirm(m.a2a(), "a2a-header")
		}
		return
	}
	c.identify("request/line", path, spec.A2A, Decisive, "grpc-service")
	rpc, ok := spec.RPCByPath(pkg, service, method)
	if !ok {
		if near, ok := spec.NearRPC(method); ok {
			c.Operation, c.Misnamed = near.Op, true
			c.Streaming = spec.Streams(near.Op)
		}
		r.callSignal("request/line", path, version, pickWeight(version == spec.V10, Decisive, Strong), "grpc-package")
		return
	}
	c.Operation = rpc.Op
	c.Streaming = spec.Streams(rpc.Op)
	version = rpc.Version
	f, i := bodyFrame(x.Sent, capture.GRPCMessage)
	r.requestFrame = i
	if c.GRPC.Shared = rpc.Shared; rpc.Shared {
		version = r.sharedRPC(f, i, rpc.Op)
	} else {
		r.callSignal("request/line", path, version, Decisive, "grpc-package")
	}
	r.grpcMessage(f, i, version)
}

// grpcMessage reads the request message with a version's schema.
func (r *Reader) grpcMessage(f *capture.Frame, i int, version spec.Version) {
	c := r.c
	r.grpcVersion = schemaOf(version)
	c.GRPC.Schema = string(r.grpcVersion)
	if f == nil || f.Form != capture.GRPCMessage {
		return
	}
	msg, ok := schema.RequestOf(r.grpcVersion, c.GRPC.Method)
	if !ok {
		return
	}
	c.RequestDoc = r.decodeGRPC(msg, f, "request", i, false)
	c.Params, c.ParamsAt = c.RequestDoc.Root(), FramePlace("request", i, "")
	r.takeAsked(readParams(nil, c.Operation, c.Params, c.ParamsAt), c.ParamsAt)
	if oddRequest(c.Operation, c.Params) {
		r.tryLayouts(f, "request", c.ParamsAt)
	}
}

// schemaOf returns the version whose field table reads messages of v: 0.2 has the numbers of 0.3.
func schemaOf(v spec.Version) spec.Version {
	switch v {
	case spec.V10, spec.V10Draft:
		return v
	}
	return spec.V03
}

// decodeGRPC turns a message into JSON. What the schema does not explain becomes problems.
func (r *Reader) decodeGRPC(m schema.Message, f *capture.Frame, side string, i int, event bool) *jsontree.Doc {
	at := FramePlace(side, i, "")
	if f.Lost != 0 || f.Cut || f.Size > int64(len(f.Data)) {
		r.problem("body-cut", "the capture misses bytes of this gRPC message", at)
	}
	var spare []byte
	if event {
		spare, r.spareJSON = r.spareJSON, nil
	}
	d := schema.DecodeInto(m, f.Data, spare)
	for k := range d.Unknown {
		u := &d.Unknown[k]
		r.problem("grpc-field-unknown", "field "+itoa(u.Number)+" ("+u.Wire+", "+itoa(u.Size)+" bytes) is not in the "+
			r.c.GRPC.Schema+" message "+m.Name(), at.Below(u.Pointer))
	}
	for k := range d.Broken {
		r.problem("grpc-wrong-schema", "the "+r.c.GRPC.Schema+" message "+m.Name()+" does not fit: "+d.Broken[k].Text, at.Below(d.Broken[k].Pointer))
	}
	if len(d.Broken) > 0 {
		r.tryLayouts(f, side, at)
	}
	if event {
		return r.eventDoc(d.JSON)
	}
	return jsontree.Parse(d.JSON)
}

// sharedRPC decides between 0.3 and the 1.0 draft, which share the package
// a2a.v1 and most method names: field 1 is a resource name "tasks/…" in 0.3
// and a bare id in the draft; a part's fields 2 and 3 are messages in 0.3 and
// a string or bytes in the draft.
func (r *Reader) sharedRPC(f *capture.Frame, i int, op spec.Operation) spec.Version {
	path := r.c.Method
	assume := func() spec.Version {
		r.callSignal("request/line", path, spec.V03, Medium, "grpc-package")
		return spec.V03
	}
	if f == nil || f.Form != capture.GRPCMessage {
		return assume()
	}
	old, ok03 := schema.RequestOf(spec.V03, r.c.GRPC.Method)
	draft, okDraft := schema.RequestOf(spec.V10Draft, r.c.GRPC.Method)
	if !ok03 || !okDraft {
		return assume()
	}
	at := FramePlace("request", i, "")
	d03 := schema.Decode(old, f.Data)
	root := jsontree.Parse(d03.JSON).Root()
	for _, member := range [...]string{"name", "parent"} {
		n := root.Get(member)
		if !n.IsString() || n.Str() == "" {
			continue
		}
		v := spec.V10Draft
		if strings.HasPrefix(n.Str(), "tasks/") {
			v = spec.V03
		}
		r.callSignal(at.Below("/"+member), short(n), v, Strong, "grpc-field-1")
		return v
	}
	dDraft := schema.Decode(draft, f.Data)
	bad03, badDraft := len(d03.Broken)+len(d03.Unknown), len(dDraft.Broken)+len(dDraft.Unknown)
	switch {
	case bad03 < badDraft || bad03 == badDraft && d03.Score > dDraft.Score:
		r.callSignal(at, "", spec.V03, Strong, "grpc-fields")
		return spec.V03
	case badDraft < bad03 || dDraft.Score > d03.Score:
		r.callSignal(at, "", spec.V10Draft, Strong, "grpc-fields")
		return spec.V10Draft
	}
	return assume()
}

// grpcLostPath reads a call whose path was in an HPACK entry that the capture
// does not hold: every request message of every version is tried.
func (r *Reader) grpcLostPath(x *capture.Exchange, m *marks) {
	c := r.c
	c.Protocol = spec.GRPCOther
	f, i := bodyFrame(x.Sent, capture.GRPCMessage)
	if f == nil || f.Form != capture.GRPCMessage || len(f.Data) == 0 {
		r.problem("grpc-path-unknown", "the capture began after the header table that holds this call's path was built", "request/line")
		if at := m.a2a(); at != "" {
			c.Kind, c.Protocol, c.Binding = spec.KindCall, spec.A2A, spec.GRPC
			c.identify(at, "", spec.A2A, Strong, "a2a-header")
		}
		return
	}
	g := guessRequest(f.Data)
	r.problem("grpc-path-unknown", "the capture began after the header table that holds this call's path was built: the message was matched against every schema", "request/line")
	if g.method == "" {
		return
	}
	r.requestFrame = i
	c.Kind, c.Protocol, c.Binding = spec.KindCall, spec.A2A, spec.GRPC
	c.GRPC.SchemaGuessed = true
	c.GRPC.Method = g.method
	if g.sure {
		c.Operation = g.op
		c.Streaming = false // the answer tells
	}
	if at := m.a2a(); at != "" {
		c.identify(at, "", spec.A2A, Strong, "a2a-header")
	} else {
		c.Tentative, c.Fallback = true, spec.GRPCOther
	}
	c.identify(FramePlace("request", i, ""), g.method, spec.A2A, Medium, "grpc-message-fits")
	r.callSignal(FramePlace("request", i, ""), g.method, g.version, Medium, "grpc-message-fits")
	r.grpcMessage(f, i, g.version)
}

// guess is the request message that fits bytes best.
type guess struct {
	version spec.Version
	method  string
	op      spec.Operation
	sure    bool // no other operation fits as well
	score   int
}

func guessRequest(wire []byte) guess {
	var best guess
	for _, v := range [...]spec.Version{spec.V10, spec.V03, spec.V10Draft} {
		for _, op := range guessable {
			name := rpcName(op, v)
			m, ok := schema.RequestOf(v, name)
			if !ok {
				continue
			}
			d := schema.Decode(m, wire)
			if len(d.Broken) > 0 || len(d.Unknown) > 0 || d.Score <= 0 {
				continue
			}
			switch {
			case d.Score > best.score:
				best = guess{v, name, op, true, d.Score}
			case d.Score == best.score && op != best.op:
				best.sure = false
			}
		}
	}
	return best
}

// guessable are the operations whose requests differ; streaming ones share theirs.
var guessable = [...]spec.Operation{spec.SendMessage, spec.GetTask, spec.ListTasks, spec.CancelTask, spec.CreatePushConfig,
	spec.GetPushConfig, spec.ListPushConfigs}

func rpcName(op spec.Operation, v spec.Version) string {
	name := spec.NameIn(op, v, spec.GRPC)
	return name[strings.LastIndexByte(name, '/')+1:]
}

// grpcWithoutRequest begins a call of which only the answer is there.
func (r *Reader) grpcWithoutRequest(x *capture.Exchange) {
	r.c.Protocol = spec.GRPCOther
	r.problem("grpc-path-unknown", "the request of this gRPC call is not in the capture", "request")
}

// grpcAnswer reads the end of a unary call, or of any call that failed.
func (r *Reader) grpcAnswer(x *capture.Exchange) {
	c := r.c
	if !c.Streaming && c.Result.Doc() == nil {
		if f, i := bodyFrame(x.Received, capture.GRPCMessage); f != nil && f.Form == capture.GRPCMessage {
			r.grpcResult(f, i)
		}
	}
	r.grpcStatus(x)
}

// grpcResult reads a unary answer.
func (r *Reader) grpcResult(f *capture.Frame, i int) {
	c := r.c
	if r.grpcVersion == "" {
		return
	}
	m, ok := schema.ResponseOf(r.grpcVersion, c.GRPC.Method)
	if !ok {
		return
	}
	c.ResponseDoc = r.decodeGRPC(m, f, "response", i, false)
	c.Result, c.ResultAt = c.ResponseDoc.Root(), FramePlace("response", i, "")
	r.packageSignal()
	var fd found
	o := recognise(c.Result)
	scanObject(nil, &o, c.ResultAt, false, &fd)
	r.takeFound(&o, &fd)
	if c.Operation == spec.GetExtendedAgentCard {
		r.readCard(c.Result, c.ResultAt, true)
	}
}

// packageSignal: an answer under a package is of the package's version.
func (r *Reader) packageSignal() {
	if len(r.resp.signals) == 0 {
		w := Decisive
		if r.c.GRPC.SchemaGuessed {
			w = Medium
		}
		r.resp.push(VersionSignal("request/line", r.c.Method, r.grpcVersion, w, "grpc-package"))
	}
}
