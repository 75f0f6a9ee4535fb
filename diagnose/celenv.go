package diagnose

import (
	"fmt"
	"reflect"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/ext"
)

// costLimit bounds what one evaluation may cost in CEL's units: a rule needs
// some hundreds, a runaway comprehension millions.
const costLimit = 50_000

// root is a name a condition begins with.
type root struct {
	name string
	typ  reflect.Type // of the facts it names, a pointer to a struct
	at   reflect.StructField
}

// roots are the members of Facts.
var roots = sync.OnceValue(func() []root {
	var rs []root
	t := reflect.TypeFor[Facts]()
	for i := range t.NumField() {
		f := t.Field(i)
		if name := f.Tag.Get("cel"); name != "" && name != "-" {
			rs = append(rs, root{name, f.Type, f})
		}
	}
	return rs
})

// ruleEnv is what the conditions of rules are checked against.
var ruleEnv = sync.OnceValues(func() (*cel.Env, error) {
	vars := []cel.EnvOption{cel.Variable("tree", cel.ObjectType("diagnose.Tree")), cel.Variable("shape", cel.ObjectType("diagnose.Shape"))}
	for _, r := range roots() {
		vars = append(vars, cel.Variable(r.name, celType(r.typ)))
	}
	return newEnv(vars...)
})

// filterEnv is what filters are checked against: the facts of the exchange
// itself, and its findings. What the engine knew of others when it judged is
// not kept.
var filterEnv = sync.OnceValues(func() (*cel.Env, error) {
	return newEnv(
		cel.Variable("call", celType(reflect.TypeFor[*CallFacts]())),
		cel.Variable("findings", cel.ListType(cel.StringType)),
		cel.Variable("severity", cel.StringType),
	)
})

func newEnv(more ...cel.EnvOption) (*cel.Env, error) {
	opts := []cel.EnvOption{ext.NativeTypes(reflect.TypeFor[Facts](), reflect.TypeFor[Tree](), reflect.TypeFor[Shape](), ext.ParseStructTags(true))}
	for _, f := range functions() {
		opts = append(opts, f.declare())
	}
	return cel.NewEnv(append(opts, more...)...)
}

func celType(t reflect.Type) *cel.Type {
	switch {
	case t.Kind() == reflect.String:
		return cel.StringType
	case t.Kind() == reflect.Bool:
		return cel.BoolType
	case t.Kind() == reflect.Int64 || t.Kind() == reflect.Int:
		return cel.IntType
	case t.Kind() == reflect.Slice:
		return cel.ListType(celType(t.Elem()))
	case t.Kind() == reflect.Pointer:
		return celType(t.Elem())
	}
	return cel.ObjectType("diagnose." + t.Name())
}

// member reports whether the function is called on its first argument.
func (f function) member() bool { return f.name != "nameIn" }

// declare makes the function known to CEL, with the Go function as its binding.
func (f function) declare() cel.EnvOption {
	fn := reflect.ValueOf(f.impl)
	t := fn.Type()
	var args []*cel.Type
	for i := range t.NumIn() {
		args = append(args, celType(t.In(i)))
	}
	overload := cel.Overload
	if f.member() {
		overload = cel.MemberOverload
	}
	return cel.Function(f.name, overload("a2ascope_"+f.name, args, celType(t.Out(0)), cel.FunctionBinding(func(vals ...ref.Val) ref.Val {
		in := make([]reflect.Value, len(vals))
		for i, v := range vals {
			native, err := toNative(v, t.In(i))
			if err != nil {
				return types.NewErr("%s: %v", f.name, err)
			}
			in[i] = native
		}
		return types.DefaultTypeAdapter.NativeToValue(fn.Call(in)[0].Interface())
	})))
}

func toNative(v ref.Val, t reflect.Type) (reflect.Value, error) {
	got := reflect.ValueOf(v.Value())
	switch {
	case got.IsValid() && got.Type() == t:
		return got, nil
	case got.IsValid() && got.Kind() == reflect.Pointer && got.Type().Elem() == t:
		return got.Elem(), nil
	}
	n, err := v.ConvertToNative(t)
	if err != nil {
		return reflect.Value{}, fmt.Errorf("argument: %w", err)
	}
	return reflect.ValueOf(n), nil
}

// ResolveName gives CEL the roots.
func (s *scope) ResolveName(name string) (any, bool) {
	switch name {
	case "tree":
		return Tree{s.f.of}, true
	case "shape":
		return Shape{s.f}, true
	case "findings":
		return s.findings, true
	case "severity":
		return s.severity, true
	}
	for _, r := range roots() {
		if r.name == name {
			return reflect.ValueOf(s.f).Elem().FieldByIndex(r.at.Index).Interface(), true
		}
	}
	return nil, false
}

// Parent is part of CEL's interface; a scope has none.
func (s *scope) Parent() cel.Activation { return nil }
