package schema

import (
	"encoding/json"
	"reflect"

	"a2ascope/decode/spec"
)

// DecodeGRPC is the inverse of EncodeGRPC: the JSON of a message, where
// EncodeGRPC makes a message of it that says the same. ok is false for bytes
// that the schema does not explain completely.
func DecodeGRPC(path string, response bool, wire []byte) (text []byte, ok bool) {
	pkg, service, method, ok := spec.SplitRPCPath(path)
	if !ok {
		return nil, false
	}
	rpc, ok := spec.RPCByPath(pkg, service, method)
	if !ok {
		return nil, false
	}
	name := rpc.Request
	if response {
		name = rpc.Response
	}
	m, ok := Named(rpc.Version, name)
	if !ok {
		return nil, false
	}
	d := Decode(m, wire)
	if rpc.Shared {
		if draft, ok := Named(spec.V10Draft, name); ok {
			if other := Decode(draft, wire); other.Score > d.Score {
				m, d = draft, other
			}
		}
	}
	if len(d.Unknown)+len(d.Broken)+d.Dropped > 0 {
		return nil, false
	}
	again, err := EncodeGRPC(path, response, d.JSON)
	if err != nil || !sameJSON(d.JSON, Decode(m, again).JSON) {
		return nil, false
	}
	return d.JSON, true
}

// sameJSON compares without regard to the order of members: a peer may write
// fields in another order than ours.
func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
