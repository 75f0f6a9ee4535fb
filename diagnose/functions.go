package diagnose

import (
	"strconv"
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// Tree gives rules the raw JSON and heads of an exchange, for what no fact
// says yet.
type Tree struct{ call *decode.Call }

// function is one that conditions can call besides those of CEL. Its Go type
// says what it takes: a first argument that is a fact, a Tree, or the value it
// is called on.
type function struct {
	name string
	doc  string
	impl any
}

// functions are documented in rules/README.md, in this order.
func functions() []function {
	return []function{
		{"at", `tree.at("request#/params/id"): the text at a place, "" when nothing is there`, func(t Tree, place string) string {
			v, _ := t.value(place)
			return v
		}},
		{"has", `tree.has("response#/result/kind"): whether something is there (JSON null is)`, func(t Tree, place string) bool {
			_, ok := t.value(place)
			return ok
		}},
		{"kind", `tree.kind("request#/params"): object, array, string, number, bool, null, absent`, func(t Tree, place string) string {
			return t.kind(place)
		}},
		{"slipped", `shape.slipped("asked/missing"): the body differs so from the table of its version (codes: decode/audit)`, Shape.slipped},
		{"place", `shape.place(code): where; "" when it does not`, Shape.place},
		{"member", `shape.member(code): the member, "Part.kind"`, Shape.member},
		{"value", `shape.value(code): the value that is wrong`, Shape.value},
		{"want", `shape.want(code): what the table has instead, "" when nothing comes near`, Shape.want},
		{"listed", `shape.listed(code): every such slip, as a member or a member with its wrong value`, Shape.listed},
		{"serves", `agent.serves(binding, version): the card declares it or answers showed it`, func(a *AgentFacts, binding, version string) bool {
			return a.Serves(binding, version)
		}},
		{"versions", `agent.versions(binding): the versions declared or shown`, func(a *AgentFacts, binding string) []string {
			return a.Versions(binding)
		}},
		{"nameIn", `nameIn(operation, version, binding): how it is called there, "" when it does not exist`, func(op, version, binding string) string {
			return spec.NameIn(spec.Operation(op), spec.Version(version), spec.Binding(binding))
		}},
		{"lower", `text.lower()`, strings.ToLower},
		{"join", `list.join(", ")`, func(list []string, sep string) string { return strings.Join(list, sep) }},
		{"or", `text.or("unknown"): the other text where this one is empty`, func(s, other string) string {
			if s == "" {
				return other
			}
			return s
		}},
	}
}

// value finds a place. "request#…" and "response#…" are short for the JSON of
// the one body of that side.
func (t Tree) value(place string) (string, bool) {
	if t.call == nil {
		return "", false
	}
	return decode.Value(t.call, longPlace(place))
}

func (t Tree) kind(place string) string {
	side, pointer, ok := strings.Cut(place, "#")
	if t.call == nil || !ok {
		return "absent"
	}
	switch side {
	case "request":
		return t.call.RequestDoc.Root().Pointer(pointer).Kind().String()
	case "response":
		return t.call.ResponseDoc.Root().Pointer(pointer).Kind().String()
	}
	return "absent"
}

func longPlace(place string) decode.Place {
	side, pointer, ok := strings.Cut(place, "#")
	if ok && (side == "request" || side == "response") {
		return decode.FramePlace(side, 0, pointer)
	}
	return decode.Place(place)
}

// itoa is CEL's string(int).
func itoa(n int64) string { return strconv.FormatInt(n, 10) }
