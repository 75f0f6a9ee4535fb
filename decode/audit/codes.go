package audit

import (
	"slices"
	"strings"
	"sync"

	"a2ascope/decode/spec"
)

// UnknownCode reports the word of a code that no slip can have: its side, its
// kind, or the member. near are the words that could stand there.
func UnknownCode(code string) (word string, near []string) {
	side, rest, _ := strings.Cut(code, "/")
	if sides := []string{string(Asked), string(Answered)}; !slices.Contains(sides, side) {
		return side, sides
	}
	kind, member, named := strings.Cut(rest, "/")
	if !slices.Contains(Kinds(), Kind(kind)) {
		for _, k := range Kinds() {
			near = append(near, string(k))
		}
		return kind, near
	}
	known := possible()[Side(side)]
	if !named || known.fits(Kind(kind), member) {
		return "", nil
	}
	for _, m := range known.members[Kind(kind)] {
		_, name, _ := strings.Cut(m, ".")
		near = append(near, m, name)
	}
	return member, near
}

// possibleSlips are the slips that the bodies of one side can have.
type possibleSlips struct {
	shapes  map[string]bool   // by name, those that the side can hold
	members map[Kind][]string // "Shape.member", of the kinds whose members are in the tables
}

// fits reports whether a slip of that kind can answer to a member.
func (p *possibleSlips) fits(k Kind, member string) bool {
	shape, name, dotted := strings.Cut(member, ".")
	switch k {
	case Unknown, Undecoded: // any name
		return !dotted || p.shapes[shape]
	case OneOf: // its member is a list of names
		return dotted && name == "*" && slices.ContainsFunc(p.members[k], func(m string) bool { return strings.HasPrefix(m, shape+".") })
	}
	return slices.ContainsFunc(p.members[k], func(m string) bool {
		s, n, _ := strings.Cut(m, ".")
		return dotted && s == shape && (n == name || name == "*") || !dotted && n == member
	})
}

// possible lists what Request, Answer and Event can find, over all dialects.
var possible = sync.OnceValue(func() map[Side]*possibleSlips {
	out := map[Side]*possibleSlips{}
	for _, side := range []Side{Asked, Answered} {
		p := &possibleSlips{map[string]bool{}, map[Kind][]string{}}
		for d := old; d < dialects; d++ {
			seen := map[*shape]bool{}
			for _, name := range roundTrip(d, side) {
				p.reach(d, tables()[d][name], seen)
			}
		}
		for k := range p.members {
			slices.Sort(p.members[k])
			p.members[k] = slices.Compact(p.members[k])
		}
		out[side] = p
	}
	return out
})

// roundTrip names the outermost shapes of a side.
func roundTrip(d dialect, side Side) (names []string) {
	if side == Answered {
		names = []string{"Task", "Message", "TaskStatusUpdateEvent", "TaskArtifactUpdateEvent", "TaskPushNotificationConfig"}
	}
	for _, op := range spec.Operations() {
		if side == Asked {
			names = append(names, requestShape(d, op))
		} else if r, ok := rpcOf(d, op); ok && d != old && op != spec.GetExtendedAgentCard {
			names = append(names, r.Response)
		}
	}
	return names
}

// reach takes in a shape and what is below it.
func (p *possibleSlips) reach(d dialect, s *shape, seen map[*shape]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	p.shapes[s.name] = true
	for _, name := range unionOf(d, s.name) {
		p.reach(d, tables()[d][name], seen)
	}
	add := func(k Kind, member string) { p.members[k] = append(p.members[k], s.name+"."+member) }
	add(WrongType, s.name)
	for i := range s.fields {
		f := &s.fields[i]
		add(WrongType, f.json)
		if snake := underscored(f.json); snake != f.json {
			add(Snake, snake)
		}
		if f.required {
			add(Missing, f.json)
		}
		if f.constant != "" {
			add(Constant, f.json)
		}
		switch f.form {
		case role, state:
			add(EnumOther, f.json)
			add(EnumNumber, f.json)
			add(EnumWrong, f.json)
		case stamp:
			add(Form, f.json)
		case object:
			p.reach(d, f.shape, seen)
		}
	}
	for g := uint8(1); g <= s.groups; g++ {
		add(OneOf, s.oneof(g))
	}
	for o := old; o < dialects; o++ {
		if o == d {
			continue
		}
		for _, as := range namesakes(s.name) {
			if t := tables()[o][as]; t != nil {
				for i := range t.fields {
					for _, name := range [...]string{t.fields[i].json, t.fields[i].alias} {
						if _, own := s.field([]byte(name)); own == nil && name != "" {
							add(Other, name)
						}
					}
				}
			}
		}
	}
}

// unionOf names the objects that union may pick for a shape.
func unionOf(d dialect, name string) []string {
	switch {
	case d != old:
	case name == "Part":
		return []string{"TextPart", "FilePart", "DataPart"}
	case name == "File":
		return []string{"FileWithUri", "FileWithBytes"}
	}
	return nil
}

// underscored turns lowerCamelCase into snake_case.
func underscored(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
