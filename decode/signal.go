package decode

import "a2ascope/decode/spec"

// Weight of a signal: decisive, strong, medium, weak.
type Weight int

// The weights. Decisive alone decides unless another decisive signal contradicts.
const (
	Decisive Weight = 100
	Strong   Weight = 40
	Medium   Weight = 15
	Weak     Weight = 5
)

// Signal is one piece of evidence.
type Signal struct {
	Where  Place
	Value  string // what stands there, short
	Says   string // a version, a protocol or a kind
	Weight Weight
	Why    string // stable code, e.g. "method-name", "part-kind", "role-enum"
}

// VersionSignal builds a signal for a version.
func VersionSignal(at Place, value string, v spec.Version, w Weight, why string) Signal {
	return Signal{Where: at, Value: value, Says: string(v), Weight: w, Why: why}
}
