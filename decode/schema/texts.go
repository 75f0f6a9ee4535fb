package schema

import "google.golang.org/protobuf/encoding/protowire"

// Texts calls do for every string and bytes value inside the wire bytes of m,
// with the names of the members that lead to it (field names and map keys, not
// positions). text is a piece of wire: whoever may write to wire may write to
// it, which keeps every length true. A message that is cut is read as far as it
// goes; bytes that the schema does not know are looked into where they can be a
// message, and have no name.
func Texts(m Message, wire []byte, do func(names []string, text []byte)) {
	l := texts{do: do, set: common()}
	t := m.t
	if t == nil {
		t = noFields
	} else {
		l.set = setOf(t.version)
	}
	l.message(t, wire)
}

type texts struct {
	do    func(names []string, text []byte)
	set   *set
	names []string
	depth int
}

func (l *texts) message(t *messageType, b []byte) {
	if l.depth >= maxDepth {
		l.do(l.names, b)
		return
	}
	l.depth++
	defer func() { l.depth-- }()
	if t.special == specialAny {
		l.any(b)
		return
	}
	for len(b) > 0 {
		num, r, n := next(b)
		if n < 0 {
			if num, r, cut := cutField(b); cut {
				l.value(t.field(num), r.b)
			} else {
				l.do(l.names, b)
			}
			return
		}
		switch r.typ {
		case protowire.BytesType:
			l.value(t.field(num), r.b)
		case protowire.StartGroupType:
			l.do(l.names, r.b)
		}
		b = b[n:]
	}
}

func (l *texts) value(f *fieldType, b []byte) {
	switch {
	case len(b) == 0:
	case f == nil:
		if !readable(b) && scan(noFields, b).end == len(b) {
			l.message(noFields, b)
			return
		}
		l.do(l.names, b)
	case f.isMap:
		l.entry(f, b)
	default:
		l.under(f.json, func() { l.content(f, b) })
	}
}

func (l *texts) content(f *fieldType, b []byte) {
	switch {
	case f.kind == kindMessage && f.msg != nil:
		l.message(f.msg, b)
	case f.kind == kindMessage, f.kind == kindString, f.kind == kindBytes:
		l.do(l.names, b)
	}
}

// entry reads an entry of a map, whose key is a name.
func (l *texts) entry(f *fieldType, b []byte) {
	var key string
	for rest := b; len(rest) > 0; {
		num, r, n := next(rest)
		if n < 0 {
			break
		}
		if num == 1 && r.typ == protowire.BytesType {
			key = string(r.b)
		}
		rest = rest[n:]
	}
	l.under(f.json, func() {
		l.under(key, func() {
			for rest := b; len(rest) > 0; {
				num, r, n := next(rest)
				if n < 0 {
					cut := false
					if num, r, cut = cutField(rest); !cut {
						return
					}
					n = len(rest)
				}
				if num == 2 && r.typ == protowire.BytesType {
					l.content(f, r.b)
				}
				rest = rest[n:]
			}
		})
	})
}

// any reads the message inside an Any by the type that it names.
func (l *texts) any(b []byte) {
	inside := noFields
	for rest := b; len(rest) > 0; {
		num, r, n := next(rest)
		if n < 0 {
			break
		}
		if num == 1 && r.typ == protowire.BytesType {
			if named := l.set.byURL(string(r.b)); named != nil {
				inside = named
			}
		}
		rest = rest[n:]
	}
	for rest := b; len(rest) > 0; {
		num, r, n := next(rest)
		if n < 0 {
			l.do(l.names, rest)
			return
		}
		if num == 2 && r.typ == protowire.BytesType {
			l.message(inside, r.b)
		} else if r.typ == protowire.BytesType {
			l.do(l.names, r.b)
		}
		rest = rest[n:]
	}
}

func (l *texts) under(name string, do func()) {
	l.names = append(l.names, name)
	do()
	l.names = l.names[:len(l.names)-1]
}
