package child

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRuntimeOf(t *testing.T) {
	dir := t.TempDir()
	script := func(name, first string) string {
		f := filepath.Join(dir, name)
		if err := os.WriteFile(f, []byte(first+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return f
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		args []string
		want Kind
	}{
		{"/usr/bin/python3.12", nil, Python},
		{"/usr/bin/mvnw", nil, Java},
		{self, nil, Go}, // says so itself
		{script("client", "#!/usr/bin/env python3"), nil, Python},
		{script("tool", "#!/usr/bin/python3 -u"), nil, Python},
		{script("plain", "echo"), nil, Other},
		{"/usr/bin/env", []string{"env", "-i", "A=b", "python3", "x.py"}, Python},
		{filepath.Join(dir, "missing"), nil, Other},
	} {
		if got := RuntimeOf(c.path, c.args).Kind; got != c.want {
			t.Errorf("%s %q is %s, want %s", c.path, c.args, got, c.want)
		}
	}
	if kindOf(script("cli", "#!/usr/bin/env node")) != Node || kindOf(`npm.cmd`) != Node {
		t.Error("Node is not known")
	}
}

func TestNodeReadsProxy(t *testing.T) {
	for version, want := range map[string]bool{
		"v20.20.2": false, "v22.20.0": false, "v22.21.0": true, "v22.23.1": true, "v23.11.0": false, "v24.4.0": false, "v24.5.0": true, "v26.0.0": true, "": false, "vx": false,
	} {
		if nodeReadsProxy(version) != want {
			t.Errorf("%s: %v", version, !want)
		}
	}
}

// Every runtime has its reasons, in both languages.
func TestReasons(t *testing.T) {
	for _, r := range []Runtime{{Kind: Go}, {Kind: Node}, {Kind: Node, Version: "v20.1.0"}, {Kind: Node, Version: "v24.9.0"}, {Kind: Python}, {Kind: Java}, {Kind: Other}} {
		en, zh := r.Reasons("en"), r.Reasons("zh")
		if len(en) < 2 || len(en) != len(zh) {
			t.Errorf("%v: %d and %d reasons", r, len(en), len(zh))
		}
		for i := range en {
			if en[i] == zh[i] || en[i] == "" || strings.Contains(en[i], "%!") || strings.Contains(zh[i], "%!") {
				t.Errorf("%v: %q, %q", r, en[i], zh[i])
			}
		}
		if b, z := r.Bypass("en"), r.Bypass("zh"); (b == "") != (z == "") || b != "" && b == z {
			t.Errorf("%v: %q, %q", r, b, z)
		}
	}
	if (Runtime{Kind: Node, Version: "v24.9.0"}).Bypass("en") != "" || (Runtime{Kind: Node, Version: "v20.1.0"}).Bypass("en") == "" || (Runtime{Kind: Go}).Bypass("en") == "" {
		t.Error("who bypasses the proxy is not told right")
	}
}
