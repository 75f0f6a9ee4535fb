package diagnose

import (
	"reflect"
	"unsafe"
)

// fieldPath leads from Facts to a member: follow the pointer at each hop, then
// add last. It costs one load a hop where reflection costs ten nanoseconds; the
// offsets come from reflection itself, so they are those of the compiler.
type fieldPath struct {
	hops []uintptr
	last uintptr
}

// at returns the address of the member, nil where a pointer on the way is nil.
func (p fieldPath) at(f *Facts) unsafe.Pointer {
	q := unsafe.Pointer(f)
	for _, h := range p.hops {
		q = *(*unsafe.Pointer)(unsafe.Add(q, h))
		if q == nil {
			return nil
		}
	}
	return unsafe.Add(q, p.last)
}

// below steps into the struct that the path's own member points to.
func (p fieldPath) below(f reflect.StructField) fieldPath {
	hops := make([]uintptr, len(p.hops), len(p.hops)+1)
	copy(hops, p.hops)
	return fieldPath{append(hops, p.last), f.Offset}
}

// readField compiles the read of a member; false for types no fact has.
func readField(p fieldPath, t reflect.Type) (fn, bool) {
	switch {
	case t.Kind() == reflect.Bool:
		return fn{b: func(s *scope) bool { v := (*bool)(p.at(s.f)); return v != nil && *v }}, true
	case t.Kind() == reflect.String:
		return fn{s: func(s *scope) string {
			if v := (*string)(p.at(s.f)); v != nil {
				return *v
			}
			return ""
		}}, true
	case t.Kind() == reflect.Int:
		return fn{i: func(s *scope) int64 {
			if v := (*int)(p.at(s.f)); v != nil {
				return int64(*v)
			}
			return 0
		}}, true
	case t.Kind() == reflect.Int64:
		return fn{i: func(s *scope) int64 {
			if v := (*int64)(p.at(s.f)); v != nil {
				return *v
			}
			return 0
		}}, true
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String && t.Elem().Name() == "string":
		return fn{l: func(s *scope) []string {
			if v := (*[]string)(p.at(s.f)); v != nil {
				return *v
			}
			return nil
		}}, true
	}
	return fn{}, false
}

// hasField compiles has(): whether a member holds something else than its zero value.
func hasField(p fieldPath, t reflect.Type) (boolFn, bool) {
	if t.Kind() == reflect.Pointer {
		return func(s *scope) bool { v := (*unsafe.Pointer)(p.at(s.f)); return v != nil && *v != nil }, true
	}
	f, ok := readField(p, t)
	switch {
	case !ok:
		return nil, false
	case f.b != nil:
		return f.b, true
	case f.i != nil:
		return func(s *scope) bool { return f.i(s) != 0 }, true
	case f.s != nil:
		return func(s *scope) bool { return f.s(s) != "" }, true
	}
	return func(s *scope) bool { return f.l(s) != nil }, true
}
