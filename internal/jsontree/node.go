package jsontree

import (
	"iter"
	"strconv"
	"strings"
)

// Kind of a value.
type Kind uint8

// The kinds. Absent is that of the zero Node.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

func (k Kind) String() string {
	return [...]string{"absent", "null", "bool", "number", "string", "array", "object"}[k]
}

// Node is a value inside a Doc. The zero Node is absent.
type Node struct {
	d *Doc
	i int32
}

func (n Node) node() *node {
	if n.d == nil {
		return &absent
	}
	return &n.d.nodes[n.i]
}

var absent node

// Kind returns the kind of the value.
func (n Node) Kind() Kind { return n.node().kind }

// Exists reports whether the value is there (null is there).
func (n Node) Exists() bool { return n.d != nil }

// IsObject, IsArray and IsString report the kind.
func (n Node) IsObject() bool { return n.Kind() == Object }
func (n Node) IsArray() bool  { return n.Kind() == Array }
func (n Node) IsString() bool { return n.Kind() == String }

// Span returns the byte offsets of the value in the text.
func (n Node) Span() (start, end int) { x := n.node(); return int(x.start), int(x.end) }

// KeySpan returns the byte offsets of the member's key with its quotes; 0, 0 outside objects.
func (n Node) KeySpan() (start, end int) { x := n.node(); return int(x.key), int(x.keyEnd) }

// Raw returns the value's text.
func (n Node) Raw() []byte {
	if n.d == nil {
		return nil
	}
	x := n.node()
	return n.d.Text[x.start:x.end]
}

// Doc returns the document the value belongs to, nil for the absent value.
func (n Node) Doc() *Doc { return n.d }

// Len returns the number of members or elements.
func (n Node) Len() int { return int(n.node().count) }

// Str returns a string's value, or "" for every other kind.
func (n Node) Str() string {
	x := n.node()
	if x.kind != String {
		return ""
	}
	return unquote(n.d.Text[x.start:x.end])
}

// StrBytes is Str without a copy where there is a way: the bytes must not be changed.
func (n Node) StrBytes() []byte {
	x := n.node()
	if x.kind != String {
		return nil
	}
	q := n.d.Text[x.start:x.end]
	if s := q[1 : len(q)-1]; plain(s) {
		return s
	}
	return []byte(unquote(q))
}

// StrLike is Str that returns like itself where the value is the same: no new
// string is made for an id that every event of a stream repeats.
func (n Node) StrLike(like string) string {
	x := n.node()
	if x.kind == String && like != "" && string(n.d.Text[x.start+1:x.end-1]) == like {
		return like
	}
	return n.Str()
}

// Text returns a string's value, or the raw text of every other kind.
func (n Node) Text() string {
	if n.Kind() == String {
		return n.Str()
	}
	return string(n.Raw())
}

// Bool returns the value of true.
func (n Node) Bool() bool { return n.Kind() == Bool && n.Raw()[0] == 't' }

// Int returns an integral number's value.
func (n Node) Int() (int64, bool) {
	if n.Kind() != Number {
		return 0, false
	}
	raw := string(n.Raw())
	if v, err := strconv.ParseInt(raw, 10, 64); err == nil {
		return v, true
	}
	if f, err := strconv.ParseFloat(raw, 64); err == nil && f == float64(int64(f)) {
		return int64(f), true
	}
	return 0, false
}

// Key returns the member name of a value that is a member, or "".
func (n Node) Key() string {
	x := n.node()
	if x.keyEnd == 0 {
		return ""
	}
	return unquote(n.d.Text[x.key:x.keyEnd])
}

// keyIs compares the member name without building a string where no escape is in it.
func (n Node) keyIs(name string) bool {
	x := n.node()
	if x.keyEnd == 0 {
		return false
	}
	raw := n.d.Text[x.key+1 : x.keyEnd-1]
	if !x.keyEscaped {
		return string(raw) == name
	}
	return n.Key() == name
}

// Get returns the member of an object; the last one where the name is there twice.
func (n Node) Get(name string) Node {
	var found Node
	if n.Kind() != Object {
		return found
	}
	for c := range n.Children() {
		if c.keyIs(name) {
			found = c
		}
	}
	return found
}

// Path follows member names.
func (n Node) Path(names ...string) Node {
	for _, name := range names {
		n = n.Get(name)
	}
	return n
}

// Has reports whether the object has the member.
func (n Node) Has(name string) bool { return n.Get(name).Exists() }

// Index returns an element of an array.
func (n Node) Index(i int) Node {
	if n.Kind() != Array || i < 0 || i >= n.Len() {
		return Node{}
	}
	for c := range n.Children() {
		if i == 0 {
			return c
		}
		i--
	}
	return Node{}
}

// Children yields members and elements in order.
func (n Node) Children() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		x := n.node()
		if x.kind != Object && x.kind != Array {
			return
		}
		for i := n.i + 1; i < x.next; i = n.d.nodes[i].next {
			if !yield(Node{n.d, i}) {
				return
			}
		}
	}
}

// Pointer returns the value at an RFC 6901 pointer below n ("" is n itself).
func (n Node) Pointer(p string) Node {
	for p != "" {
		if p[0] != '/' {
			return Node{}
		}
		tok, rest, _ := strings.Cut(p[1:], "/")
		if rest != "" || strings.HasSuffix(p, "/") && len(tok)+2 == len(p) {
			rest = "/" + rest
		}
		p = rest
		tok = strings.ReplaceAll(strings.ReplaceAll(tok, "~1", "/"), "~0", "~")
		switch n.Kind() {
		case Object:
			n = n.Get(tok)
		case Array:
			i, err := strconv.Atoi(tok)
			if err != nil {
				return Node{}
			}
			n = n.Index(i)
		default:
			return Node{}
		}
	}
	return n
}

// PointerTo returns the RFC 6901 pointer from the document's root to the value.
func (n Node) PointerTo() string {
	var buf [128]byte
	return string(n.AppendPointer(buf[:0]))
}

// AppendPointer appends the RFC 6901 pointer from the document's root to the value.
func (n Node) AppendPointer(b []byte) []byte {
	if n.d == nil || n.i == 0 {
		return b
	}
	at := int32(0)
	for at != n.i {
		idx, isObj := 0, n.d.nodes[at].kind == Object
		end := n.d.nodes[at].next
		c := at + 1
		for ; c < end; c = n.d.nodes[c].next {
			if n.i >= c && n.i < n.d.nodes[c].next {
				break
			}
			idx++
		}
		if c >= end {
			return b
		}
		b = append(b, '/')
		if isObj {
			b = appendToken(b, Node{n.d, c}.KeyText())
		} else {
			b = strconv.AppendInt(b, int64(idx), 10)
		}
		at = c
	}
	return b
}

// KeyText is Key without copying the name where nothing in it is escaped; nil
// for a value that is no member.
func (n Node) KeyText() []byte {
	x := n.node()
	if x.keyEnd == 0 {
		return nil
	}
	if x.keyEscaped {
		return []byte(n.Key())
	}
	return n.d.Text[x.key+1 : x.keyEnd-1]
}

func appendToken(b, name []byte) []byte {
	for _, c := range name {
		switch c {
		case '~':
			b = append(b, '~', '0')
		case '/':
			b = append(b, '~', '1')
		default:
			b = append(b, c)
		}
	}
	return b
}

// EscapePointer escapes a member name for use in an RFC 6901 pointer.
func EscapePointer(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
