//go:build !windows

package ui_test

import (
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"a2ascope/internal/session"
	"a2ascope/ui"
	"a2ascope/ui/uitest"
)

// terminal is a pty with an emulator behind it: what a user would see.
type terminal struct {
	t    *testing.T
	pty  *os.File
	emu  *vt.SafeEmulator
	raw  strings.Builder
	mu   sync.Mutex
	done chan error
}

// growing is a store whose view changes while the screen is shown.
type growing struct {
	mu   sync.Mutex
	v    *session.View
	news chan struct{}
}

func (g *growing) View() *session.View {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.v
}

func (g *growing) Next(ctx context.Context, rev uint64) *session.View {
	for {
		g.mu.Lock()
		v, news := g.v, g.news
		g.mu.Unlock()
		if v.Rev > rev {
			return v
		}
		select {
		case <-news:
		case <-ctx.Done():
			return v
		}
	}
}

func (g *growing) set(v *session.View) {
	g.mu.Lock()
	defer g.mu.Unlock()
	v.Rev = g.v.Rev + 1
	g.v = v
	close(g.news)
	g.news = make(chan struct{})
}

func start(t *testing.T, ctx context.Context, store ui.Store, o ui.Options) *terminal {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pty here:", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: 100, Rows: 30}); err != nil {
		t.Fatal(err)
	}
	tm := &terminal{t: t, pty: master, emu: vt.NewSafeEmulator(100, 30), done: make(chan error, 1)}
	t.Cleanup(func() {
		master.Close()                                   // what reads from the program's side ends with it
		if c, ok := tm.emu.InputPipe().(io.Closer); ok { // ends the copying of its answers
			c.Close()
		}
	})
	go func() { // what the program writes goes to the emulator
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			if n > 0 {
				tm.mu.Lock()
				tm.raw.Write(buf[:n])
				tm.mu.Unlock()
				tm.emu.Write(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	go io.Copy(master, tm.emu) // and the emulator's answers to queries back
	o.Input, o.Output = slave, slave
	go func() { tm.done <- ui.Run(ctx, store, o) }()
	return tm
}

func (tm *terminal) screen() string { return ansi.Strip(tm.emu.Render()) }

// wait waits until the screen shows a text.
func (tm *terminal) wait(text string) {
	tm.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(tm.screen(), text) {
			return
		}
	}
	tm.t.Fatalf("the screen does not show %q:\n%s", text, tm.screen())
}

// told waits until the program has sent a sequence.
func (tm *terminal) told(seq string) {
	tm.t.Helper()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		tm.mu.Lock()
		ok := strings.Contains(tm.raw.String(), seq)
		tm.mu.Unlock()
		if ok {
			return
		}
	}
	tm.t.Errorf("the terminal was not told %q", seq)
}

func (tm *terminal) press(keys string) {
	if _, err := io.WriteString(tm.pty, keys); err != nil {
		tm.t.Fatal(err)
	}
}

func (tm *terminal) ended() error {
	tm.t.Helper()
	select {
	case err := <-tm.done:
		return err
	case <-time.After(20 * time.Second):
		tm.t.Fatalf("the screen does not end:\n%s", tm.screen())
		return nil
	}
}

// The whole way through a real terminal: first rows while the file is read,
// keys, the proof, the mouse, leaving, and the terminal as it was.
func TestTerminal(t *testing.T) {
	store := &growing{v: uitest.Sessions["loading"](), news: make(chan struct{})}
	o := uitest.Options()
	o.Getenv = os.Getenv
	tm := start(t, context.Background(), store, o)
	tm.wait("62%")
	store.set(uitest.Talk())
	tm.wait("SendStr")
	tm.press("j\r")
	tm.wait("Fix on the client")
	tm.press("\r")
	tm.wait("[2 Request]")
	tm.press("4")
	tm.wait("A2A-Version: 1.0")
	tm.press("L")
	tm.wait("头部与原始字节")
	tm.press("L")
	tm.wait("Headers, raw")
	tm.press("q")
	tm.wait("client→agent")
	tm.press("\x1b[<0;10;5M\x1b[<0;10;5m") // a click on the fourth row
	tm.wait("#4")
	tm.press("/send\r")
	tm.wait("of 7")
	tm.press("q")
	if err := tm.ended(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\x1b[?1049h", "\x1b[?1049l", "\x1b[?25h", "\x1b[?1002l"} {
		tm.told(want)
	}
}

// What a capture holds does not reach a real terminal either.
func TestTerminalIsSafe(t *testing.T) {
	o := uitest.Options()
	tm := start(t, context.Background(), &growing{v: uitest.Sessions["nasty"](), news: make(chan struct{})}, o)
	tm.wait("owned")
	tm.press("\r")
	tm.wait("Fix")
	tm.press("4")
	tm.wait("complete")
	tm.press("\x03")
	if err := tm.ended(); err != nil {
		t.Fatal(err)
	}
	tm.mu.Lock()
	defer tm.mu.Unlock()
	for _, bad := range []string{"\x1b]0;owned", "\u202e", "\u200b", "\u009b31m"} {
		if strings.Contains(tm.raw.String(), bad) {
			t.Errorf("%q reached the terminal", bad)
		}
	}
}

// The end of the context ends the screen, while it waits for a view too.
func TestContextEndsTheScreen(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	tm := start(t, ctx, &growing{v: uitest.Sessions["loading"](), news: make(chan struct{})}, uitest.Options())
	tm.wait("62%")
	cancel()
	if err := tm.ended(); err != nil {
		t.Fatal(err)
	}
}

// Through a real terminal: saving runs beside the screen, leaving waits for it,
// and leaving at once gives it up. When Run returns, no save is running.
func TestTerminalSaves(t *testing.T) {
	for _, how := range []string{"waits", "gives up"} {
		t.Run(how, func(t *testing.T) {
			begun, finish := make(chan struct{}), make(chan struct{})
			var mu sync.Mutex
			ended := ""
			o := uitest.Live(uitest.Options())
			o.Save = func(ctx context.Context, q ui.SaveRequest) (string, error) {
				close(begun)
				select {
				case <-finish:
				case <-ctx.Done():
				}
				mu.Lock()
				defer mu.Unlock()
				if ended = "written"; ctx.Err() != nil {
					ended = "given up"
				}
				return "all", ctx.Err()
			}
			store := &growing{v: uitest.Sessions["some"](), news: make(chan struct{})}
			tm := start(t, context.Background(), store, o)
			tm.wait("FOLLOW")
			tm.press("w\r")
			<-begun
			tm.wait("saving")
			store.set(uitest.Sessions["more"]()) // the screen goes on
			tm.wait("9/9")
			want := "written"
			if how == "waits" {
				tm.press("q")
				tm.wait("as soon as")
				close(finish)
			} else {
				tm.press("\x03\x03")
				want = "given up"
			}
			if err := tm.ended(); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if ended != want {
				t.Errorf("the save was %q when Run returned, want %q", ended, want)
			}
		})
	}
}
