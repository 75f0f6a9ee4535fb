package diagnose

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReadme: the facts and functions that rules/README.md names exist, and
// none of our functions and keys is missing there.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../rules/README.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("`((?:call|iface|agent|client|task|session)(?:\\.[a-z_0-9]+)+)`((?: `\\.[a-z_0-9]+`)*)")
	more := regexp.MustCompile("`\\.([a-z_0-9]+)`")
	named := 0
	exists := func(group, member string) {
		named++
		if !slices.Contains(siblings(group+"."), member) {
			t.Errorf("there is no fact %s.%s", group, member)
		}
	}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		i := strings.LastIndexByte(m[1], '.')
		exists(m[1][:i], m[1][i+1:])
		for _, n := range more.FindAllStringSubmatch(m[2], -1) {
			exists(m[1][:i], n[1])
		}
	}
	if named < 60 {
		t.Errorf("only %d facts are named", named)
	}
	for _, f := range functions() {
		if !strings.Contains(string(text), f.name+"(") {
			t.Errorf("function %s is not documented", f.name)
		}
	}
	for _, k := range ruleKeys() {
		if !regexp.MustCompile(`(?m)^` + k.name + `:`).Match(text) {
			t.Errorf("key %s is not documented", k.name)
		}
	}
}
