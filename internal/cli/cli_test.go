package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"a2ascope": func() { os.Exit(Main(System())) },
	})
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
			return nil
		},
	})
}
