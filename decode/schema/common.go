package schema

import "a2ascope/decode/spec"

// commonShapes are the types that A2A borrows: well-known types of protobuf
// (struct.proto, timestamp.proto, any.proto, empty.proto) and of gRPC's rich
// errors (google/rpc/status.proto, error_details.proto).
var commonShapes = []spec.Shape{
	{Name: "google.protobuf.Struct", Spec: "struct.proto", Fields: []spec.Field{
		{Number: 1, Name: "fields", JSON: "fields", Type: "google.protobuf.Value", Map: true},
	}},
	{Name: "google.protobuf.Value", Spec: "struct.proto", Fields: []spec.Field{
		{Number: 1, Name: "null_value", JSON: "nullValue", Type: "google.protobuf.NullValue", Oneof: "kind"},
		{Number: 2, Name: "number_value", JSON: "numberValue", Type: "double", Oneof: "kind"},
		{Number: 3, Name: "string_value", JSON: "stringValue", Type: "string", Oneof: "kind"},
		{Number: 4, Name: "bool_value", JSON: "boolValue", Type: "bool", Oneof: "kind"},
		{Number: 5, Name: "struct_value", JSON: "structValue", Type: "google.protobuf.Struct", Oneof: "kind"},
		{Number: 6, Name: "list_value", JSON: "listValue", Type: "google.protobuf.ListValue", Oneof: "kind"},
	}},
	{Name: "google.protobuf.ListValue", Spec: "struct.proto", Fields: []spec.Field{
		{Number: 1, Name: "values", JSON: "values", Type: "google.protobuf.Value", Repeated: true},
	}},
	{Name: "google.protobuf.Timestamp", Spec: "timestamp.proto", Fields: []spec.Field{
		{Number: 1, Name: "seconds", JSON: "seconds", Type: "int64"},
		{Number: 2, Name: "nanos", JSON: "nanos", Type: "int32"},
	}},
	{Name: "google.protobuf.Any", Spec: "any.proto", Fields: []spec.Field{
		{Number: 1, Name: "type_url", JSON: "typeUrl", Type: "string"},
		{Number: 2, Name: "value", JSON: "value", Type: "bytes"},
	}},
	{Name: "google.protobuf.Empty", Spec: "empty.proto"},
	{Name: "google.rpc.Status", Spec: "status.proto, 1.0 §10.6", Fields: []spec.Field{
		{Number: 1, Name: "code", JSON: "code", Type: "int32"},
		{Number: 2, Name: "message", JSON: "message", Type: "string"},
		{Number: 3, Name: "details", JSON: "details", Type: "google.protobuf.Any", Repeated: true},
	}},
	{Name: "google.rpc.ErrorInfo", Spec: "error_details.proto, 1.0 §10.6", Fields: []spec.Field{
		{Number: 1, Name: "reason", JSON: "reason", Type: "string"},
		{Number: 2, Name: "domain", JSON: "domain", Type: "string"},
		{Number: 3, Name: "metadata", JSON: "metadata", Type: "string", Map: true},
	}},
	{Name: "google.rpc.BadRequest", Spec: "error_details.proto", Fields: []spec.Field{
		{Number: 1, Name: "field_violations", JSON: "fieldViolations", Type: "google.rpc.BadRequest.FieldViolation", Repeated: true},
	}},
	{Name: "google.rpc.BadRequest.FieldViolation", Spec: "error_details.proto", Fields: []spec.Field{
		{Number: 1, Name: "field", JSON: "field", Type: "string"},
		{Number: 2, Name: "description", JSON: "description", Type: "string"},
		{Number: 3, Name: "reason", JSON: "reason", Type: "string"},
	}},
	{Name: "google.rpc.DebugInfo", Spec: "error_details.proto", Fields: []spec.Field{
		{Number: 1, Name: "stack_entries", JSON: "stackEntries", Type: "string", Repeated: true},
		{Number: 2, Name: "detail", JSON: "detail", Type: "string"},
	}},
	{Name: "google.rpc.LocalizedMessage", Spec: "error_details.proto", Fields: []spec.Field{
		{Number: 1, Name: "locale", JSON: "locale", Type: "string"},
		{Number: 2, Name: "message", JSON: "message", Type: "string"},
	}},
}

// specialOf returns the JSON form of a type that has one of its own.
func specialOf(name string) special {
	switch name {
	case "google.protobuf.Struct":
		return specialStruct
	case "google.protobuf.Value":
		return specialValue
	case "google.protobuf.ListValue":
		return specialList
	case "google.protobuf.Timestamp":
		return specialTimestamp
	case "google.protobuf.Any":
		return specialAny
	}
	return plain
}
