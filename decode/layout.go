package decode

import (
	"a2ascope/capture"
	"a2ascope/decode/schema"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// maxLayouts bounds how many messages of a call are tried with the other
// schemas: what the first ones are, the rest is.
const maxLayouts = 4

// tryLayouts looks for the version whose schema explains a message that the
// schema of its path does not. The numbers of the fields moved between 0.3, the
// draft and 1.0 (send: message was 1, is 2), so a client or server with the path
// of one version and the messages of another writes bytes that nobody else reads.
func (r *Reader) tryLayouts(f *capture.Frame, side string, at Place) {
	c := r.c
	if c.GRPC.Fits != "" || r.layouts == maxLayouts || c.GRPC.SchemaGuessed || f.Lost != 0 || f.Cut || f.Size > int64(len(f.Data)) {
		return
	}
	r.layouts++
	best := 0
	for _, v := range [...]spec.Version{spec.V03, spec.V10Draft, spec.V10} {
		if v == r.grpcVersion {
			continue
		}
		of := schema.RequestOf
		if side == "response" {
			of = schema.ResponseOf
		}
		m, ok := of(v, rpcName(c.Operation, v))
		if !ok {
			continue
		}
		d := schema.Decode(m, f.Data)
		if len(d.Broken)+len(d.Unknown)+d.Dropped > 0 || d.Score <= best {
			continue
		}
		best = d.Score
		c.GRPC.Fits, c.GRPC.FitsAt = v, at
	}
}

// oddRequest reports a request that its schema explains, but as something no
// client writes: bytes or a resource name for a tenant, a send without a message.
func oddRequest(op spec.Operation, p jsontree.Node) bool {
	if t := p.Get("tenant"); t.IsString() {
		if _, _, name := resourceTask(t.Str()); name {
			return true
		}
		for _, b := range []byte(t.Str()) {
			if b < ' ' {
				return true
			}
		}
	}
	switch op {
	case spec.SendMessage, spec.SendStreamingMessage:
		return p.Len() > 0 && !p.Has("message")
	}
	return false
}
