package translate

import (
	"strconv"

	"a2ascope/internal/jsontree"
)

// tree is a JSON value that is being built: text that is taken as it stands,
// or members and elements.
type tree struct {
	kind  jsontree.Kind // Object and Array: built; else raw
	raw   []byte
	names []string
	kids  []tree
	seen  map[string]bool // the names, where they are many
}

func object() tree              { return tree{kind: jsontree.Object} }
func asIs(n jsontree.Node) tree { return tree{raw: n.Raw()} }
func text(s string) tree        { return tree{raw: quote(nil, s)} }

func boolean(b bool) tree { return tree{raw: strconv.AppendBool(nil, b)} }

// put adds a member; false when the name is taken.
func (t *tree) put(name string, v tree) bool {
	if t.has(name) {
		return false
	}
	t.names, t.kids = append(t.names, name), append(t.kids, v)
	switch {
	case t.seen != nil:
		t.seen[name] = true
	case len(t.names) == manyNames:
		t.seen = make(map[string]bool, 2*manyNames)
		for _, n := range t.names {
			t.seen[n] = true
		}
	}
	return true
}

// manyNames is where looking a name up is cheaper than looking through all.
const manyNames = 32

func (t *tree) has(name string) bool {
	if t.seen != nil {
		return t.seen[name]
	}
	for _, n := range t.names {
		if n == name {
			return true
		}
	}
	return false
}

func (t *tree) add(v tree) { t.kids = append(t.kids, v) }

// write appends the text of the value.
func (t tree) write(b []byte) []byte {
	switch t.kind {
	case jsontree.Object:
		b = append(b, '{')
		for i := range t.kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(quote(b, t.names[i]), ':')
			b = t.kids[i].write(b)
		}
		return append(b, '}')
	case jsontree.Array:
		b = append(b, '[')
		for i := range t.kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = t.kids[i].write(b)
		}
		return append(b, ']')
	}
	if len(t.raw) == 0 {
		return append(b, "null"...)
	}
	return append(b, t.raw...)
}

// quote appends a JSON string.
func quote(b []byte, s string) []byte {
	return append(jsontree.AppendEscaped(append(b, '"'), s), '"')
}
