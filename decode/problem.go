package decode

// Problem is traffic that could not be read. It is not a judgement.
type Problem struct {
	Code string // "not-json", "json-cut", "grpc-field-unknown", "grpc-wrong-schema", "body-cut", "coding-broken", …
	Text string
	At   Place
}
