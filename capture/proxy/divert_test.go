package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"a2ascope/capture"
)

// divert opens a listener whose clients all mean to, and returns its address.
func divert(t *testing.T, x *tapped, to string, err error) (string, *net.TCPListener) {
	t.Helper()
	ln, lerr := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if lerr != nil {
		t.Fatal(lerr)
	}
	if derr := x.Divert(ln, func(*net.TCPConn) (netip.AddrPort, error) { return netip.MustParseAddrPort(to), err }); derr != nil {
		t.Fatal(derr)
	}
	return ln.Addr().String(), ln
}

// through is a client that connects to addr, whatever it is asked for.
func through(addr string, conf *tls.Config) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: conf, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", addr)
	}}}
}

func TestDivert(t *testing.T) {
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Host) }))
	defer agent.Close()
	x := start(t, Options{})
	addr, ln := divert(t, x, agent.Listener.Addr().String(), nil)
	resp, err := through(addr, nil).Get("http://agent.example/a")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if string(b) != "agent.example" {
		t.Errorf("the agent was sent another Host: %s", b)
	}
	if s := x.State(); s.Diverted != 1 || s.Listeners[0].Total != 0 {
		t.Errorf("%d diverted, %d at the main port", s.Diverted, s.Listeners[0].Total)
	}
	x.Undivert(ln)
	if _, err := net.Dial("tcp", addr); err == nil {
		t.Error("the listener is still open")
	}
	x.end()
	xs := x.rec.exchanges()
	if len(xs) != 1 || xs[0].Link.Server.String() != agent.Listener.Addr().String() {
		t.Errorf("recorded %d exchanges: %+v", len(xs), xs)
	}
	other, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Divert(other, nil); err == nil {
		t.Error("a tap that has ended takes a listener")
	}
}

// TLS is opened for a client that trusts us, and left alone where its name says so.
func TestDivertTLS(t *testing.T) {
	agent := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	defer agent.Close()
	x := start(t, Options{ConfigDir: t.TempDir(), InsecureUpstream: true, Passthrough: []string{"pinned.example"}})
	addr, _ := divert(t, x, agent.Listener.Addr().String(), nil)
	for name, want := range map[string]string{"open.example": "a2ascope", "pinned.example": "Acme Co"} {
		var issuer string
		conf := &tls.Config{ServerName: name, InsecureSkipVerify: true, VerifyConnection: func(s tls.ConnectionState) error {
			issuer = strings.Join(s.PeerCertificates[0].Issuer.Organization, " ")
			return nil
		}}
		resp, err := through(addr, conf).Get("https://" + name + "/x")
		if err != nil {
			t.Fatal(name, err)
		}
		resp.Body.Close()
		if !strings.Contains(issuer, want) {
			t.Errorf("%s has a certificate of %q", name, issuer)
		}
	}
	x.end()
	if xs := x.rec.exchanges(); len(xs) != 1 || xs[0].Link.ServerName != "open.example" {
		t.Errorf("%d exchanges were read", len(xs))
	}
}

// The agent is not there: the client is cut off, and what it said is kept.
func TestDivertToNobody(t *testing.T) {
	refused := errors.New("refused for a test")
	x := start(t, Options{Dial: func(context.Context, string) (net.Conn, error) { return nil, refused }})
	addr, _ := divert(t, x, "192.0.2.1:80", nil)
	if _, err := through(addr, nil).Get("http://agent.example/lost"); err == nil {
		t.Fatal("there was an answer")
	}
	addr, _ = divert(t, x, "192.0.2.1:80", errors.New("unknown"))
	if _, err := through(addr, nil).Get("http://agent.example/"); err == nil {
		t.Fatal("there was an answer")
	}
	x.end()
	if got := x.rec.sent(capture.Client); !strings.Contains(got, "GET /lost ") {
		t.Errorf("recorded %q", got)
	}
	if h := x.State().Hints; len(h) != 1 || h[0].Code != HintUnreachable || !strings.Contains(h[0].Detail, "refused for a test") {
		t.Errorf("hints %+v", h)
	}
}
