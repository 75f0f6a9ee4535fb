package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test program is also the process inside, and a program with a network.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "run-inside":
			os.Exit(Inside(os.Args[2:]))
		case "probe":
			os.Exit(probe(os.Args[2:]))
		}
	}
	goleak.VerifyTestMain(m)
}

// probe does what it is told, one step an argument.
func probe(steps []string) int {
	for _, s := range steps {
		what, arg, _ := strings.Cut(s, "=")
		switch what {
		case "dial":
			c, err := net.DialTimeout("tcp", arg, 5*time.Second)
			if err != nil {
				fmt.Println(s, err)
				continue
			}
			fmt.Fprintln(c, "hello", arg)
			_ = c.(*net.TCPConn).CloseWrite()
			b, err := io.ReadAll(c)
			fmt.Printf("%s: %s %v\n", s, strings.TrimSpace(string(b)), err)
			c.Close()
		case "lookup":
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			r := net.Resolver{PreferGo: true}
			a, err := r.LookupNetIP(ctx, "ip4", arg)
			cancel()
			fmt.Println(s, a, err)
		case "serve":
			ln, err := net.Listen("tcp", arg)
			if err != nil {
				fmt.Println(s, err)
				return 1
			}
			go serveEcho(ln, "inside")
			fmt.Println("serves")
		case "udp":
			c, err := net.Dial("udp", arg)
			if err != nil {
				fmt.Println(s, err)
				continue
			}
			_ = c.SetDeadline(time.Now().Add(20 * time.Second))
			fmt.Fprint(c, "a first packet of QUIC")
			_, err = c.Read(make([]byte, 100))
			fmt.Println(s, errors.Is(err, syscall.ECONNREFUSED), err)
			c.Close()
		case "whoami":
			fmt.Println("uid", os.Getuid(), "gid", os.Getgid())
		case "read":
			_, _ = io.Copy(io.Discard, os.Stdin)
		}
	}
	return 6
}

// serveEcho answers every connection with what it said, and a name.
func serveEcho(ln net.Listener, name string) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		b, _ := io.ReadAll(c)
		fmt.Fprintf(c, "%s got %s", name, b)
		c.Close()
	}
}

// isolated prepares a program in a network of its own, or skips the test.
func isolated(t *testing.T, o Options) *Child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Isolate, o.Env = true, os.Environ()
	o.Inside = []string{self, "run-inside"}
	o.Args = append([]string{self, "probe"}, o.Args...)
	c, err := Prepare(o)
	var no *IsolateError
	if errors.As(err, &no) {
		t.Skip("no namespaces here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// relay is the least that a tap does: it joins what arrives with where it was
// meant to go, and notes that.
type relay struct {
	c    *Child
	mu   sync.Mutex
	seen []string
}

func (r *relay) accept(ln net.Listener) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			to, err := r.c.Origin(c.(*net.TCPConn))
			if err != nil {
				return
			}
			r.mu.Lock()
			r.seen = append(r.seen, to.String())
			r.mu.Unlock()
			d, err := r.c.Dial(context.Background(), to.String())
			if err != nil {
				_ = c.(*net.TCPConn).SetLinger(0)
				return
			}
			defer d.Close()
			go func() {
				_, _ = io.Copy(d, c)
				_ = d.(*net.TCPConn).CloseWrite()
			}()
			_, _ = io.Copy(c, d)
		}()
	}
}

func host(t *testing.T, network, addr, name string) string {
	t.Helper()
	ln, err := net.Listen(network, addr)
	if err != nil {
		t.Skip("no loopback of this family: ", err)
	}
	t.Cleanup(func() { ln.Close() })
	go serveEcho(ln, name)
	return ln.Addr().String()
}

func testIsolate(t *testing.T, newUser bool) {
	four := host(t, "tcp4", "127.0.0.1:0", "v4")
	six := host(t, "tcp6", "[::1]:0", "v6")
	_, port, _ := net.SplitHostPort(six)
	closed, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	shut := closed.Addr().String()
	closed.Close()
	free, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	own := free.Addr().String()
	free.Close()

	out := &safe{}
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	opened, instead, refused := make(chan Port, 8), make(chan string, 8), make(chan string, 8)
	c := isolated(t, Options{
		Args: []string{"whoami", "dial=" + four, "dial=" + six, "dial=127.0.0.1:" + port, "dial=" + shut, "lookup=agent.example", "udp=192.0.2.9:443", "udp=192.0.2.9:443",
			"serve=" + own, "dial=" + own, "read"},
		Stdin: in, Stdout: out, Stderr: out, newUser: newUser, resolvers: []string{nameServer(t)},
		Published: func(p Port) { opened <- p },
		Refused:   func(to netip.AddrPort) { refused <- to.String() },
		Instead:   func(asked, reached netip.AddrPort) { instead <- asked.String() + " " + reached.String() },
	})
	in.Close()
	r := &relay{c: c}
	for _, ln := range c.Listeners() {
		go r.accept(ln)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	out.wait(t, "dial="+own)
	p := <-opened
	if p.Addr.String() != own || p.Err != nil || p.Gone {
		t.Errorf("published %+v, want %s", p, own)
	} else if d, err := c.Dial(t.Context(), own); err != nil {
		t.Errorf("from outside: %v", err)
	} else {
		fmt.Fprint(d, "outside")
		_ = d.(*net.TCPConn).CloseWrite()
		if b, _ := io.ReadAll(d); string(b) != "inside got outside" {
			t.Errorf("from outside: %q", b)
		}
		d.Close()
	}
	feed.Close()
	<-c.Done()
	if c.Code() != 6 {
		t.Errorf("code %d", c.Code())
	}
	for _, want := range []string{
		fmt.Sprintf("uid %d gid %d", os.Getuid(), os.Getgid()),
		"dial=" + four + ": v4 got hello " + four + " <nil>",
		"dial=" + six + ": v6 got hello " + six + " <nil>",
		"dial=127.0.0.1:" + port + ": v6 got hello", // as a client of localhost would
		"lookup=agent.example [192.0.2.7] <nil>",
		"udp=192.0.2.9:443 true", // refused at once, so that clients of HTTP/3 fall back
		"dial=" + own + ": inside got hello " + own + " <nil>",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if !regexp.MustCompile(`dial=` + regexp.QuoteMeta(shut) + `:? .*connection reset by peer`).MatchString(out.String()) { // not silence
		t.Errorf("no reset from %s in\n%s", shut, out)
	}
	if got := <-instead; got != "127.0.0.1:"+port+" "+six {
		t.Errorf("instead: %s", got)
	}
	if got := <-refused; got != "192.0.2.9:443" || len(refused) > 0 {
		t.Errorf("refused: %s and %d more", got, len(refused))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if got, want := strings.Join(r.seen, " "), strings.Join([]string{four, six, "127.0.0.1:" + port, shut, own}, " "); got != want {
		t.Errorf("seen %s, want %s", got, want)
	}
	// The end of the program is the end of its ports and listeners.
	if p := <-opened; !p.Gone {
		t.Errorf("after the end: %+v", p)
	}
	if _, err := c.Dial(t.Context(), own); err == nil {
		t.Error("its server is still there")
	}
}

func TestIsolate(t *testing.T) { testIsolate(t, false) }

// Root gets a user namespace only where a network alone cannot be made.
func TestIsolateInAUserNamespace(t *testing.T) { testIsolate(t, true) }

// A network that nobody used leaves nothing behind.
func TestIsolateNeverStarted(t *testing.T) {
	c := isolated(t, Options{Stdout: io.Discard, Stderr: io.Discard})
	c.Close()
	select {
	case <-c.Done():
	default:
		t.Error("the process inside is still there")
	}
	if c.Running() {
		t.Error("it runs")
	}
}

func TestIsolateStop(t *testing.T) {
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	out := &safe{}
	c := isolated(t, Options{Args: []string{"whoami", "read"}, Stdin: in, Stdout: out, Stderr: out})
	in.Close()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	out.wait(t, "uid")
	if !c.Stop(5*time.Second) || c.Code() != 143 {
		t.Errorf("code %d", c.Code())
	}
}

func TestProcListeners(t *testing.T) {
	for line, want := range map[string]string{
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 1": "127.0.0.1:8080",
		"   1: 00000000:0050 00000000:0000 0A 00000000:00000000":                                "0.0.0.0:80",
		"   2: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A":  "[::1]:8080",
		"   3: 0100007F:1F90 0100007F:C000 01":                                                  "",
		"  sl  local_address rem_address   st":                                                  "",
		"   4: zz:1 0 0A":                                                                       "",
		"   5: 0100007F 0 0A":                                                                   "",
	} {
		a, ok := listener(line)
		got := ""
		if ok {
			got = a.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestUnreachable(t *testing.T) {
	v4 := append([]byte{3, 3, 0, 0, 0, 0, 0, 0, 0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1}, 192, 0, 2, 9, 0x30, 0x39, 1, 0xbb, 0, 8, 0, 0)
	v6 := append([]byte{1, 4, 0, 0, 0, 0, 0, 0, 0x60, 0, 0, 0, 0, 8, 17, 64}, make([]byte, 15)...)
	v6 = append(append(v6, 1), netip.MustParseAddr("2001:db8::9").AsSlice()...)
	v6 = append(v6, 0x30, 0x39, 1, 0xbb, 0, 8, 0, 0)
	for want, b := range map[string][]byte{"192.0.2.9:443": v4, "[2001:db8::9]:443": v6} {
		if to, ok := unreachable(b); !ok || to.String() != want {
			t.Errorf("%v %v, want %s", to, ok, want)
		}
		for n := range b {
			if to, ok := unreachable(b[:n]); ok {
				t.Errorf("of %d bytes: %v", n, to)
			}
		}
		for _, i := range []int{0, 1} {
			c := append([]byte(nil), b...)
			c[i]++
			if to, ok := unreachable(c); ok {
				t.Errorf("another message: %v", to)
			}
		}
	}
}
