package schema

import (
	"fmt"
	"strings"

	"a2ascope/internal/jsontree"
)

// Status is a decoded google.rpc.Status, the rich error of gRPC (1.0 §10.6).
type Status struct {
	Code    int
	Message string
	Details []Detail
	JSON    []byte  // the whole status as ProtoJSON
	Unknown []Issue // pointers into JSON
	Broken  []Issue
}

// Detail is one entry of Status.Details.
type Detail struct {
	Type       string     // type URL, "type.googleapis.com/google.rpc.ErrorInfo"
	ErrorInfo  *ErrorInfo // when Type is google.rpc.ErrorInfo
	BadRequest []FieldViolation
	JSON       []byte // the detail as ProtoJSON, with "@type"
}

// ErrorInfo is google.rpc.ErrorInfo. A2A's own errors are in spec.ErrorInfo.
type ErrorInfo struct {
	Reason, Domain string
	Metadata       map[string]string
}

// FieldViolation is an entry of google.rpc.BadRequest.
type FieldViolation struct{ Field, Description string }

// DecodeStatusDetails reads the value of grpc-status-details-bin: base64 of a
// Status, padded or not, in either alphabet. The error says that it is no base64.
func DecodeStatusDetails(value string) (Status, error) {
	value, _, _ = strings.Cut(strings.TrimSpace(value), ",") // repeated metadata is joined with commas
	wire, err := fromBase64(value)
	if err != nil {
		return Status{}, fmt.Errorf("grpc-status-details-bin is not base64: %w", err)
	}
	d := Decode(StatusMessage(), wire)
	root := jsontree.Parse(d.JSON).Root()
	code, _ := root.Get("code").Int()
	s := Status{Code: int(code), Message: root.Get("message").Str(), JSON: d.JSON, Unknown: d.Unknown, Broken: d.Broken}
	for n := range root.Get("details").Children() {
		s.Details = append(s.Details, detailOf(n))
	}
	return s, nil
}

func detailOf(n jsontree.Node) Detail {
	d := Detail{Type: n.Get("@type").Str(), JSON: n.Raw()}
	switch d.Type[strings.LastIndexByte(d.Type, '/')+1:] {
	case "google.rpc.ErrorInfo":
		d.ErrorInfo = &ErrorInfo{Reason: n.Get("reason").Str(), Domain: n.Get("domain").Str()}
		for c := range n.Get("metadata").Children() {
			if d.ErrorInfo.Metadata == nil {
				d.ErrorInfo.Metadata = map[string]string{}
			}
			d.ErrorInfo.Metadata[c.Key()] = c.Str()
		}
	case "google.rpc.BadRequest":
		for c := range n.Get("fieldViolations").Children() {
			d.BadRequest = append(d.BadRequest, FieldViolation{Field: c.Get("field").Str(), Description: c.Get("description").Str()})
		}
	}
	return d
}

// EncodeStatus encodes {"code", "message", "details": [{"@type": …}]} as a google.rpc.Status.
func EncodeStatus(json []byte) ([]byte, error) { return Encode(StatusMessage(), json) }
