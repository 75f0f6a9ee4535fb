package script

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The details of a gRPC status are google.rpc.Status.details, a list of
// google.protobuf.Any. Two messages are known, those that A2A uses:
//
//	{"reason": "TASK_NOT_FOUND", "domain": "a2a-protocol.org", "metadata": {"taskId": "t1"}}   google.rpc.ErrorInfo
//	{"fieldViolations": [{"field": "message", "description": "missing"}]}                      google.rpc.BadRequest
//
// A list gives several. "@type" may be written, as in the JSON form of Any.

type detail struct {
	Type            string            `json:"@type"`
	Reason          *string           `json:"reason"`
	Domain          string            `json:"domain"`
	Metadata        map[string]string `json:"metadata"`
	FieldViolations []struct {
		Field       string `json:"field"`
		Description string `json:"description"`
	} `json:"fieldViolations"`
}

// encodeDetails returns the details as the bytes of field 3 of google.rpc.Status.
func encodeDetails(text []byte) ([]byte, error) {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		list = []json.RawMessage{text}
	}
	var out []byte
	for _, raw := range list {
		var d detail
		if err := json.Unmarshal(raw, &d); err != nil {
			return nil, fmt.Errorf("details that cannot be encoded: %w", err)
		}
		name := d.Type[strings.LastIndexByte(d.Type, '/')+1:]
		switch {
		case name == "" && d.Reason != nil:
			name = "google.rpc.ErrorInfo"
		case name == "" && d.FieldViolations != nil:
			name = "google.rpc.BadRequest"
		}
		var value []byte
		switch name {
		case "google.rpc.ErrorInfo":
			if d.Reason != nil {
				value = bytesField(value, 1, *d.Reason)
			}
			value = bytesField(value, 2, d.Domain)
			for _, k := range slices.Sorted(maps.Keys(d.Metadata)) {
				value = submessage(value, 3, bytesField(bytesField(nil, 1, k), 2, d.Metadata[k]))
			}
		case "google.rpc.BadRequest":
			for _, v := range d.FieldViolations {
				value = submessage(value, 1, bytesField(bytesField(nil, 1, v.Field), 2, v.Description))
			}
		default:
			return nil, fmt.Errorf("details are an ErrorInfo {\"reason\", \"domain\", \"metadata\"} or a BadRequest {\"fieldViolations\"}; write others as '<t grpc-status-details-bin: BASE64'")
		}
		out = submessage(out, 3, append(bytesField(nil, 1, "type.googleapis.com/"+name), submessage(nil, 2, value)...))
	}
	return out, nil
}

// statusMessage encodes google.rpc.Status: code, message, details.
func statusMessage(v *verdict) []byte {
	var b []byte
	if v.code != 0 {
		b = append(b, 1<<3)
		b = varint(b, uint64(v.code))
	}
	b = bytesField(b, 2, v.text)
	return append(b, v.details...)
}

// bytesField appends a length-delimited protobuf field; an empty one is left out.
func bytesField(b []byte, number int, s string) []byte {
	if s == "" {
		return b
	}
	return submessage(b, number, []byte(s))
}

func submessage(b []byte, number int, m []byte) []byte {
	b = append(b, byte(number<<3|2))
	b = varint(b, uint64(len(m)))
	return append(b, m...)
}

func varint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}
