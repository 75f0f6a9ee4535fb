package audit

import (
	"strings"

	"a2ascope/decode"
)

// Side of an exchange that a slip is on.
type Side string

// The sides.
const (
	Asked    Side = "asked"
	Answered Side = "answered"
)

// Kind of a slip.
type Kind string

// The kinds.
const (
	Missing    Kind = "missing"     // a required member is not there, or empty
	Snake      Kind = "snake"       // a known member in snake_case
	Other      Kind = "other"       // a member that another version has in this place
	Unknown    Kind = "unknown"     // a member that no version has
	WrongType  Kind = "type"        // another JSON type than the member has
	EnumOther  Kind = "enum-other"  // another version's spelling of a value
	EnumNumber Kind = "enum-number" // a number in place of a value's name
	EnumWrong  Kind = "enum-wrong"  // a value that no version has
	Constant   Kind = "constant"    // another value than the only one allowed (0.3: kind)
	OneOf      Kind = "oneof"       // none or several of members that exclude each other
	Undecoded  Kind = "undecoded"   // protobuf bytes that the schema does not explain
	Form       Kind = "form"        // a point in time that is not written in UTC (1.0 §5.6.1)
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{Missing, Snake, Other, Unknown, WrongType, EnumOther, EnumNumber, EnumWrong, Constant, OneOf, Undecoded, Form}
}

// Slip is one difference from the shape.
type Slip struct {
	Kind   Kind
	Shape  string // message type: Message, Part, Task, …
	Member string // as on the wire; of what is missing, as the table names it
	Value  string // the value that is wrong; "" where it is none of enum and constant
	Want   string // what the table has instead, "" when nothing comes near
	Place  decode.Place
	Count  int // how often in this body
}

// is reports whether a slip answers to the rest of a code after the side.
func (s *Slip) is(kind, member string) bool {
	if string(s.Kind) != kind {
		return false
	}
	if member == "" || s.Member == member {
		return true
	}
	shape, name, dotted := strings.Cut(member, ".")
	return dotted && s.Shape == shape && (s.Member == name || name == "*")
}

// Is reports whether a slip answers to a code without its side.
func (s *Slip) Is(code string) bool {
	kind, member, _ := strings.Cut(code, "/")
	return s.is(kind, member)
}

// Find returns the first slip that a code without its side names.
func Find(slips []Slip, code string) *Slip {
	if len(slips) == 0 {
		return nil
	}
	kind, member, _ := strings.Cut(code, "/")
	for i := range slips {
		if slips[i].is(kind, member) {
			return &slips[i]
		}
	}
	return nil
}
