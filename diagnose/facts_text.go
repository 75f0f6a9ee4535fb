package diagnose

import (
	"fmt"
	"reflect"
	"strings"
)

// String lists every fact that is not zero, one a line, by the name conditions
// use. It is for writers of rules.
func (f *Facts) String() string {
	var b strings.Builder
	for _, r := range roots() {
		listFacts(&b, r.name, reflect.ValueOf(f).Elem().FieldByIndex(r.at.Index))
	}
	return b.String()
}

func listFacts(b *strings.Builder, name string, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		t := v.Type().Elem()
		for i := range t.NumField() {
			if tag := t.Field(i).Tag.Get("cel"); tag != "" && tag != "-" {
				listFacts(b, name+"."+tag, v.Elem().Field(i))
			}
		}
		return
	}
	switch {
	case v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0:
	case v.Kind() == reflect.String:
		fmt.Fprintf(b, "%s = %q\n", name, v.String())
	case v.Kind() == reflect.Slice:
		fmt.Fprintf(b, "%s = %q\n", name, v.Interface())
	default:
		fmt.Fprintf(b, "%s = %v\n", name, v.Interface())
	}
}
