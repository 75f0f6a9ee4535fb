package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"a2ascope": func() { os.Exit(Main(System())) },
	})
}

// replace FILE OLD NEW edits a file, as a user does.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o600))
}

// TestScripts runs the commands as a user does: exit codes, standard output
// and error, files and pipes. $CAPTURES is the corpus.
func TestScripts(t *testing.T) {
	captures, err := filepath.Abs("../../samples/captures")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("CAPTURES", captures)
			e.Setenv("LANG", "C")
			// Where the user's folder is, on every system: nobody's own rules judge here.
			config := filepath.Join(e.WorkDir, "config")
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("XDG_CONFIG_HOME", config)
			e.Setenv("AppData", config)
			if runtime.GOOS == "darwin" {
				config = filepath.Join(home, "Library", "Application Support")
			}
			e.Setenv("CONFIG", config)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"replace": replace},
	})
}
