package proxy

//lint:file-ignore SA1019 http2.Transport is the client whose connection and frames a test can choose

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"a2ascope/capture"
)

// serveTLS runs an agent behind TLS and returns the PEM of what signed it.
func serveTLS(t *testing.T, h http.HandlerFunc, conf *tls.Config) (*httptest.Server, []byte) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.TLS = conf
	s.Config.ErrorLog = quiet()
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// proxied returns a client that takes the tap for its proxy.
func (x *tapped) proxied(trust bool, protocols ...string) *http.Client {
	u, _ := url.Parse(x.url)
	tr := &http.Transport{Proxy: http.ProxyURL(u), DisableCompression: true, TLSClientConfig: &tls.Config{}, ForceAttemptHTTP2: true}
	if trust {
		a, err := x.ca.get()
		if err != nil {
			x.t.Fatal(err)
		}
		pool := x509.NewCertPool()
		pool.AddCert(a.Certificate())
		tr.TLSClientConfig.RootCAs = pool
	}
	if len(protocols) > 0 {
		tr.ForceAttemptHTTP2 = false
		tr.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
		tr.TLSClientConfig.NextProtos = protocols
	}
	x.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 10 * time.Second}
}

func TestForwardPlainRequests(t *testing.T) {
	lines := make(chan string, 10)
	agent := func(name string) string {
		return rawAgent(t, func(c *net.TCPConn) {
			r := bufio.NewReader(c)
			for {
				h, err := readHead(r)
				if err != nil {
					return
				}
				lines <- h
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(name), name)
			}
		})
	}
	one, two := agent("one"), agent("two")
	x := start(t, Options{})
	c := dialRaw(t, x.Addr())
	// Three requests on one connection, pipelined, to two origins.
	say(t, c, "GET http://"+one+"/a?b=%7e HTTP/1.1\r\nHost: "+one+"\r\nProxy-Connection: keep-alive\r\nx-a: 1\r\nProxy-Authorization: Basic x\r\n\r\n"+
		"GET http://"+two+" HTTP/1.1\r\nhost: "+two+"\r\n\r\n"+
		"GET http://"+one+"?q HTTP/1.1\r\nHost: "+one+"\r\n\r\n")
	for _, want := range []string{"one", "two", "one"} {
		expect(t, c, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"+want)
	}
	for _, want := range []string{
		"GET /a?b=%7e HTTP/1.1\r\nHost: " + one + "\r\nx-a: 1\r\n\r\n",
		"GET / HTTP/1.1\r\nhost: " + two + "\r\n\r\n",
		"GET /?q HTTP/1.1\r\nHost: " + one + "\r\n\r\n",
	} {
		if got := <-lines; got != want {
			t.Errorf("the agent got %q, want %q", got, want)
		}
	}
	x.end()
	if xs := x.rec.exchanges(); len(xs) != 3 || !xs[0].Complete() || !xs[1].Complete() || !xs[2].Complete() {
		t.Errorf("%d exchanges", len(xs))
	}
}

func TestForwardWithoutTarget(t *testing.T) {
	x := start(t, Options{})
	resp, body := get(t, client(t), x.url+"/")
	if resp.StatusCode != 400 || !strings.Contains(body, "forward proxy only") {
		t.Errorf("%d %q", resp.StatusCode, body)
	}
}

func TestConnectOpensTLSAndMirrorsTheProtocol(t *testing.T) {
	s, ca := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-T")
		io.WriteString(w, r.Proto+" "+r.Host)
		w.Header().Set("X-T", "t")
	}, nil)
	x := start(t, Options{ConfigDir: filepath.Join(t.TempDir(), "a2ascope"), UpstreamCA: ca})
	for _, c := range []struct {
		protocols []string
		want      string
	}{{nil, "HTTP/2.0"}, {[]string{"http/1.1"}, "HTTP/1.1"}} {
		resp, body := get(t, x.proxied(true, c.protocols...), s.URL+"/x")
		if want := c.want + " " + strings.TrimPrefix(s.URL, "https://"); body != want || resp.Trailer.Get("X-T") != "t" {
			t.Errorf("%q %v, want %q", body, resp.Trailer, want)
		}
	}
	x.end()
	xs := x.rec.exchanges()
	if len(xs) != 2 {
		t.Fatalf("%d exchanges", len(xs))
	}
	if one, two := xs[0].Link, xs[1].Link; one.TLS != "1.3" || one.ALPN != "h2" || two.TLS != "1.3" || two.ALPN == "h2" {
		t.Errorf("links %+v %+v", one, two)
	}
}

func TestConnectToPlainHTTP2AndHTTP1(t *testing.T) {
	s := serveH2C(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) })
	addr := strings.TrimPrefix(s.URL, "http://")
	x := start(t, Options{})
	tunnel := func() *net.TCPConn {
		c := dialRaw(t, x.Addr())
		say(t, c, "CONNECT "+addr+" HTTP/1.1\r\nHost: "+addr+"\r\n\r\n")
		expect(t, c, "HTTP/1.1 200 Connection established\r\n\r\n")
		return c
	}
	c := tunnel()
	say(t, c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if b, _ := io.ReadAll(c); !strings.HasSuffix(string(b), "HTTP/1.1") {
		t.Errorf("%q", b)
	}
	tr := &http2.Transport{AllowHTTP: true, DialTLSContext: func(context.Context, string, string, *tls.Config) (net.Conn, error) { return tunnel(), nil }}
	defer tr.CloseIdleConnections()
	if _, body := get(t, &http.Client{Transport: tr}, "http://agent.example/"); body != "HTTP/2.0" {
		t.Errorf("%q", body)
	}
	tr.CloseIdleConnections()
	x.end()
	if xs := x.rec.exchanges(); len(xs) != 2 || !xs[0].Complete() || !xs[1].Complete() {
		t.Errorf("%d exchanges", len(xs))
	}
}

func TestConnectWhereTheServerSpeaksFirst(t *testing.T) {
	addr := rawAgent(t, func(c *net.TCPConn) {
		io.WriteString(c, "220 hello\r\n")
		io.Copy(c, c)
	})
	x := start(t, Options{})
	c := dialRaw(t, x.Addr())
	say(t, c, "CONNECT "+addr+" HTTP/1.1\r\n\r\n")
	expect(t, c, "HTTP/1.1 200 Connection established\r\n\r\n220 hello\r\n")
	// What follows is the client's TLS, perhaps: it is no longer ours to open.
	say(t, c, "\x16\x03\x01 not opened")
	expect(t, c, "\x16\x03\x01 not opened")
	big := bytes.Repeat([]byte("x"), 3*blindLimit)
	go c.Write(big)
	expect(t, c, string(big))
	c.Close()
	x.end()
	if n := len(x.rec.sent(capture.Client)); n != blindLimit {
		t.Errorf("%d bytes of the tunnel were kept, want %d", n, blindLimit)
	}
	var lost int64
	for _, k := range x.rec.all() {
		if k.Kind == capture.Gap && k.From == capture.Client {
			lost += k.Lost
		}
	}
	if want := int64(len(big) + len("\x16\x03\x01 not opened") - blindLimit); lost != want {
		t.Errorf("%d bytes are counted as left out, want %d", lost, want)
	}
}

func TestConnectWaitsForWhoeverSpeaksFirst(t *testing.T) {
	s, ca := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }, nil)
	x := start(t, Options{ConfigDir: t.TempDir(), UpstreamCA: ca})
	a, _ := x.ca.get()
	pool := x509.NewCertPool()
	pool.AddCert(a.Certificate())
	addr := strings.TrimPrefix(s.URL, "https://")
	c := dialRaw(t, x.Addr())
	say(t, c, "CONNECT "+addr+" HTTP/1.1\r\n\r\n")
	expect(t, c, "HTTP/1.1 200 Connection established\r\n\r\n")
	time.Sleep(500 * time.Millisecond) // a slow client must not be given the agent's own certificate
	tc := tls.Client(c, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"})
	if err := tc.Handshake(); err != nil {
		t.Fatal(err)
	}
	if got := tc.ConnectionState().PeerCertificates[0].Issuer.CommonName; !strings.HasPrefix(got, "a2ascope") {
		t.Errorf("issuer %q", got)
	}
	say(t, tc, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if b, err := io.ReadAll(tc); !strings.HasSuffix(string(b), "ok") || err != nil {
		t.Errorf("%q %v", b, err)
	}
}

func TestConnectToNobody(t *testing.T) {
	ln, _ := net.Listen("tcp", "127.0.0.1:0")
	addr := ln.Addr().String()
	ln.Close()
	x := start(t, Options{})
	c := dialRaw(t, x.Addr())
	say(t, c, "CONNECT "+addr+" HTTP/1.1\r\n\r\n")
	b, _ := io.ReadAll(c)
	if !strings.HasPrefix(string(b), "HTTP/1.1 502 ") || !strings.Contains(string(b), "refused") {
		t.Errorf("%q", b)
	}
}

func TestConnectToTheTapItself(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "agent "+r.Host) })
	x := start(t, Options{Target: s.URL})
	c := dialRaw(t, x.Addr())
	say(t, c, "CONNECT "+x.Addr()+" HTTP/1.1\r\n\r\n")
	expect(t, c, "HTTP/1.1 200 Connection established\r\n\r\n")
	say(t, c, "GET / HTTP/1.1\r\nHost: "+x.Addr()+"\r\nConnection: close\r\n\r\n")
	if b, _ := io.ReadAll(c); !strings.HasSuffix(string(b), "agent "+strings.TrimPrefix(s.URL, "http://")) {
		t.Errorf("%q", b)
	}
	c = dialRaw(t, x.Addr())
	say(t, c, "GET "+x.url+"/ HTTP/1.1\r\nHost: "+x.Addr()+"\r\nConnection: close\r\n\r\n")
	if b, _ := io.ReadAll(c); !strings.HasSuffix(string(b), "agent "+strings.TrimPrefix(s.URL, "http://")) {
		t.Errorf("%q", b)
	}
	if x.State().Connections != 2 {
		t.Errorf("%d hops, want 2: each exchange is to be seen once", x.State().Connections)
	}
}

func TestAnAgentWhoseCertificateIsNotKnown(t *testing.T) {
	s, _ := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }, nil)
	x := start(t, Options{ConfigDir: t.TempDir(), Target: s.URL})
	resp, body := get(t, client(t), x.url)
	if resp.StatusCode != 502 || !strings.Contains(body, "certificate") {
		t.Errorf("%d %q", resp.StatusCode, body)
	}
	if _, err := x.proxied(true).Get(s.URL); err == nil {
		t.Error("the tap vouched for an agent it does not trust")
	}
	codes := map[HintCode]bool{}
	for _, h := range x.State().Hints {
		codes[h.Code] = true
	}
	if !codes[HintAgentTLS] || codes[HintDistrust] {
		t.Errorf("hints %+v", x.State().Hints)
	}
	y := start(t, Options{ConfigDir: t.TempDir(), Target: s.URL, InsecureUpstream: true})
	if _, body := get(t, client(t), y.url); body != "ok" {
		t.Errorf("insecure: %q", body)
	}
}

func TestReverseBridgesTLS(t *testing.T) {
	var s *httptest.Server
	s, ca := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "agent-card") {
			fmt.Fprintf(w, `{"url":"%s/rpc"}`, s.URL)
			return
		}
		io.WriteString(w, r.Proto+" "+r.Host)
	}, nil)
	host := strings.TrimPrefix(s.URL, "https://")
	x := start(t, Options{ConfigDir: t.TempDir(), Target: s.URL, UpstreamCA: ca})
	if _, body := get(t, client(t), x.url); body != "HTTP/1.1 "+host {
		t.Errorf("HTTP/1: %q", body)
	}
	if _, body := get(t, clientH2C(t), x.url); body != "HTTP/2.0 "+host {
		t.Errorf("HTTP/2: %q", body)
	}
	if _, body := get(t, client(t), x.url+"/.well-known/agent-card.json"); at(t, body, "/url") != x.url+"/rpc" {
		t.Errorf("card: %s", body)
	}
	// The client may speak TLS to the tap as well.
	a, _ := x.ca.get()
	pool := x509.NewCertPool()
	pool.AddCert(a.Certificate())
	for _, h2 := range []bool{false, true} {
		tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: h2}
		want := "HTTP/1.1 "
		if h2 {
			want = "HTTP/2.0 "
		}
		if _, body := get(t, &http.Client{Transport: tr}, "https://"+x.Addr()); body != want+host {
			t.Errorf("over TLS: %q", body)
		}
		tr.CloseIdleConnections()
	}
}

func TestTLSToAPlainAgent(t *testing.T) {
	s := serveH2C(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) })
	x := start(t, Options{ConfigDir: t.TempDir(), Target: s.URL})
	a, _ := x.ca.get()
	pool := x509.NewCertPool()
	pool.AddCert(a.Certificate())
	for want, protos := range map[string][]string{"HTTP/1.1": {"h2", "http/1.1"}, "HTTP/2.0": {"h2"}} {
		c, err := tls.Dial("tcp", x.Addr(), &tls.Config{RootCAs: pool, NextProtos: protos, ServerName: "localhost"})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if c.ConnectionState().NegotiatedProtocol == "h2" {
			cc, err := (&http2.Transport{}).NewClientConn(c)
			if err != nil {
				t.Fatal(err)
			}
			r, _ := http.NewRequest("GET", "https://"+x.Addr(), nil)
			resp, err := cc.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(resp.Body)
			got = string(b)
			cc.Close()
		} else {
			say(t, c, "GET / HTTP/1.1\r\nHost: "+x.Addr()+"\r\nConnection: close\r\n\r\n")
			b, _ := io.ReadAll(c)
			got = string(b[len(b)-8:])
		}
		if got != want {
			t.Errorf("%v: %q, want %q", protos, got, want)
		}
		c.Close()
	}
}

func TestClientCertificatesForTheAgent(t *testing.T) {
	a, err := OpenAuthority(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.Certificate())
	leaf, _ := a.leaf("me")
	s, ca := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.TLS.PeerCertificates[0].Subject.CommonName)
	},
		&tls.Config{ClientAuth: tls.RequireAnyClientCert, ClientCAs: pool})
	x := start(t, Options{Target: s.URL, UpstreamCA: ca, ClientCertificates: []tls.Certificate{*leaf}})
	if _, body := get(t, client(t), x.url); body != "me" {
		t.Errorf("%q", body)
	}
	y := start(t, Options{Target: s.URL, UpstreamCA: ca})
	if resp, err := client(t).Get(y.url); err == nil {
		resp.Body.Close()
	}
	if h := y.State().Hints; len(h) == 0 || h[0].Code != HintAgentWantsCert {
		t.Errorf("hints %+v", h)
	}
}

func TestListenErrors(t *testing.T) {
	ln, _ := net.Listen("tcp", "127.0.0.1:0")
	defer ln.Close()
	for addr, want := range map[string]string{ln.Addr().String(): "--listen", "nonsense": "127.0.0.1:4100"} {
		if _, err := Listen(Options{Listen: addr, Now: time.Now}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	if _, err := Listen(Options{Target: "ftp://x", Now: time.Now}); err == nil || !strings.Contains(err.Error(), "http://localhost:9999") {
		t.Errorf("%v", err)
	}
	if _, err := Listen(Options{UpstreamCA: []byte("x"), Now: time.Now}); err == nil {
		t.Error("rubbish was taken for a certificate")
	}
	p, err := Listen(Options{Listen: ":0", Now: time.Now})
	if err != nil || !strings.HasPrefix(p.Addr(), "127.0.0.1:") {
		t.Errorf("%v %v", p.Addr(), err)
	}
	p.Close()
}

func TestATLSConnectionThatIsCutIsCutForTheClient(t *testing.T) {
	a, _ := OpenAuthority(t.TempDir(), time.Now)
	leaf, _ := a.leaf("127.0.0.1")
	addr := rawAgent(t, func(c *net.TCPConn) {
		tc := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{*leaf}})
		readHead(bufio.NewReader(tc))
		io.WriteString(tc, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart")
		time.Sleep(50 * time.Millisecond)
		c.SetLinger(0)
	})
	x := start(t, Options{Target: "https://" + addr, InsecureUpstream: true})
	c := dialRaw(t, x.Addr())
	say(t, c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if _, err := io.ReadAll(c); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("err %v", err)
	}
}
