package session

import (
	"reflect"
	"slices"
)

// plan is how values of a type are packed and read again. put is given an
// addressable value, get one that is zero.
type plan struct {
	put func(*packer, reflect.Value)
	get func(*unpacker, reflect.Value)
}

// and adds what is packed behind.
func (a *plan) and(put func(*packer, reflect.Value), get func(*unpacker, reflect.Value)) *plan {
	return &plan{
		func(p *packer, v reflect.Value) { a.put(p, v); put(p, v) },
		func(u *unpacker, v reflect.Value) { a.get(u, v); get(u, v) },
	}
}

// plans are by type; what is not there is made.
type plans map[reflect.Type]*plan

func (ps plans) of(t reflect.Type) *plan {
	if a := ps[t]; a != nil {
		return a
	}
	ps[t] = ps.made(t)
	return ps[t]
}

func (ps plans) made(t reflect.Type) *plan {
	switch t.Kind() {
	case reflect.String:
		return &plan{
			func(p *packer, v reflect.Value) { p.string(v.String()) },
			func(u *unpacker, v reflect.Value) { v.SetString(u.string()) },
		}
	case reflect.Bool:
		return &plan{
			func(p *packer, v reflect.Value) { p.flag(v.Bool()) },
			func(u *unpacker, v reflect.Value) { v.SetBool(u.flag()) },
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &plan{
			func(p *packer, v reflect.Value) { p.int(v.Int()) },
			func(u *unpacker, v reflect.Value) { v.SetInt(u.int()) },
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &plan{
			func(p *packer, v reflect.Value) { p.uint(v.Uint()) },
			func(u *unpacker, v reflect.Value) { v.SetUint(u.uint()) },
		}
	case reflect.Pointer:
		return ps.ofPointer(t)
	case reflect.Slice:
		return ps.ofSlice(t)
	case reflect.Map:
		return ps.ofMap(t)
	case reflect.Struct:
		if !slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return !f.IsExported() }) {
			return ps.ofStruct(t)
		}
	}
	return &plan{ // a tree of documents: a compact call has none
		func(p *packer, _ reflect.Value) { p.cannot = true },
		func(u *unpacker, _ reflect.Value) { u.bad = true },
	}
}

// ofStruct packs the fields that are not zero, behind the set of their numbers.
func (ps plans) ofStruct(t reflect.Type, without ...string) *plan {
	var at []int
	var of []*plan
	for i := range t.NumField() {
		if f := t.Field(i); !slices.Contains(without, f.Name) {
			at, of = append(at, i), append(of, ps.of(f.Type))
		}
	}
	if len(at) > 64 {
		panic("session: more fields than a set of numbers holds: " + t.String())
	}
	return &plan{
		func(p *packer, v reflect.Value) {
			var set uint64
			for i, n := range at {
				if !v.Field(n).IsZero() {
					set |= 1 << i
				}
			}
			p.uint(set)
			for i, n := range at {
				if set&(1<<i) != 0 {
					of[i].put(p, v.Field(n))
				}
			}
		},
		func(u *unpacker, v reflect.Value) {
			set := u.uint()
			for i, n := range at {
				if set&(1<<i) != 0 && !u.bad {
					of[i].get(u, v.Field(n))
				}
			}
		},
	}
}

func (ps plans) ofPointer(t reflect.Type) *plan {
	to := ps.of(t.Elem())
	return &plan{
		func(p *packer, v reflect.Value) {
			if v.IsNil() { // in a list: as a field it would be left out
				p.cannot = true
				return
			}
			to.put(p, v.Elem())
		},
		func(u *unpacker, v reflect.Value) {
			v.Set(reflect.New(t.Elem()))
			to.get(u, v.Elem())
		},
	}
}

func (ps plans) ofSlice(t reflect.Type) *plan {
	if t.Elem().Kind() == reflect.Uint8 {
		return &plan{
			func(p *packer, v reflect.Value) { p.bytes(v.Bytes()) },
			func(u *unpacker, v reflect.Value) { v.SetBytes(u.bytes()) },
		}
	}
	elem := ps.of(t.Elem())
	return &plan{
		func(p *packer, v reflect.Value) {
			p.uint(uint64(v.Len()))
			for i := range v.Len() {
				elem.put(p, v.Index(i))
			}
		},
		func(u *unpacker, v reflect.Value) {
			n := u.count()
			v.Set(reflect.MakeSlice(t, n, n))
			for i := 0; i < n && !u.bad; i++ {
				elem.get(u, v.Index(i))
			}
		},
	}
}

func (ps plans) ofMap(t reflect.Type) *plan {
	key, elem := ps.of(t.Key()), ps.of(t.Elem())
	return &plan{
		func(p *packer, v reflect.Value) {
			p.uint(uint64(v.Len()))
			for each := v.MapRange(); each.Next(); {
				key.put(p, each.Key())
				elem.put(p, each.Value())
			}
		},
		func(u *unpacker, v reflect.Value) {
			n := u.count()
			v.Set(reflect.MakeMapWithSize(t, n))
			for i := 0; i < n && !u.bad; i++ {
				k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
				key.get(u, k)
				elem.get(u, e)
				v.SetMapIndex(k, e)
			}
		},
	}
}
