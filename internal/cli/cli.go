package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"a2ascope/ui"
)

// Version is the version printed by --version; a release sets it with -ldflags -X.
var Version = "dev"

// Exit codes.
const (
	exitOK       = 0
	exitFindings = 1
	exitUsage    = 2
	exitInput    = 3
)

// Env is what a command needs of the system.
type Env struct {
	Args   []string
	Stdin  *os.File
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	Now    func() time.Time
	Sleep  func(context.Context, time.Duration) error

	show func(context.Context, ui.Store, ui.Options) error // tests: a screen; nil: ui.Run
}

// System is the real environment.
func System() Env {
	return Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Now: time.Now, Sleep: sleep}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// exit is an error that carries the exit code of the program. An empty text
// was said already.
type exit struct {
	code int
	text string
}

func (e exit) Error() string { return e.text }

// commands is the one list of commands.
var commands = []func(*Env) *cobra.Command{
	openCommand,
	checkCommand,
	explainCommand,
	exportCommand,
	proxyCommand,
	runCommand,
	liveCommand,
	demoCommand,
	rulesCommand,
	caCommand,
	insideCommand,
}

// Main runs the command line and returns the exit code.
func Main(env Env) int {
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // whoever asks a second time wants it to end at once
	root := rootCommand(&env)
	err := root.ExecuteContext(ctx)
	var e exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		if e.text != "" {
			fmt.Fprintln(env.Stderr, "a2ascope: "+e.text)
		}
		return e.code
	}
	fmt.Fprintf(env.Stderr, "a2ascope: %s\nSee 'a2ascope --help'.\n", err)
	return exitUsage
}

func rootCommand(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "a2ascope",
		Short: "See why two A2A agents do not understand each other",
		Long: `a2ascope reads captured traffic as A2A (JSON-RPC, HTTP+JSON, gRPC; protocol 0.3
and 1.0) and says what is wrong, why, who has to change what, and which bytes
prove it.`,
		Example: `  a2ascope demo                     a failing conversation, nothing else needed
  a2ascope open trace.pcap          the screen
  a2ascope check trace.har          the same, headless
  tcpdump -i lo -U -w - port 9999 | a2ascope open -`,
		Version:       Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetVersionTemplate("a2ascope {{.Version}}\n")
	for _, c := range commands {
		root.AddCommand(c(env))
	}
	return root
}

// language picks the language: the flag, then the locale of the environment.
func (e *Env) language(flag string) (string, error) {
	switch flag {
	case "en", "zh":
		return flag, nil
	case "":
		for _, name := range []string{"A2ASCOPE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"} {
			if v := strings.ToLower(e.Getenv(name)); v != "" {
				if strings.HasPrefix(v, "zh") {
					return "zh", nil
				}
				return "en", nil
			}
		}
		return "en", nil
	}
	return "", fmt.Errorf("there is no language %q: choose en or zh", flag)
}
