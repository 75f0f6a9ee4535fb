package proxy

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/capture"
)

func TestAClientThatDoesNotTrustUs(t *testing.T) {
	s, ca := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }, nil)
	var mu sync.Mutex
	var told []Notice
	x := start(t, Options{ConfigDir: t.TempDir(), UpstreamCA: ca, Notify: func(n Notice) {
		mu.Lock()
		told = append(told, n)
		mu.Unlock()
	}})
	u, _ := url.Parse(x.url)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate()) // the agent's own certificate, and no other
	tr := &http.Transport{Proxy: http.ProxyURL(u), TLSClientConfig: &tls.Config{RootCAs: pool}, ProxyConnectHeader: http.Header{"User-Agent": {"Go-http-client/1.1"}}}
	defer tr.CloseIdleConnections()
	c := &http.Client{Transport: tr, Timeout: 10 * time.Second}
	for i := range distrustLimit {
		if _, err := c.Get(s.URL); err == nil {
			t.Fatalf("request %d was trusted", i)
		}
	}
	eventually(t, "the host passes through", func() bool { return len(x.State().Passing) == 1 })
	resp, err := c.Get(s.URL)
	if err != nil {
		t.Fatalf("the host does not pass through: %v", err)
	}
	resp.Body.Close()
	h := x.State().Hints
	if len(h) != 1 || h[0].Code != HintDistrust || h[0].Variable != "SSL_CERT_FILE" || h[0].Count != distrustLimit || !strings.HasSuffix(h[0].File, "bundle.pem") {
		t.Fatalf("hints %+v", h)
	}
	for _, lang := range []string{"en", "zh"} {
		if text := h[0].Text(lang); !strings.Contains(text, "SSL_CERT_FILE="+h[0].File) {
			t.Errorf("%s: %s", lang, text)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(told) != 2 || told[0].Kind != NoticeHint || told[1].Kind != NoticePassing {
		t.Errorf("notices %+v", told)
	}
}

// A client of the address the tap listens on that does not trust us is seen as
// well as one that comes through a tunnel.
func TestAClientThatDoesNotTrustUsCallsTheTapItself(t *testing.T) {
	plain := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })
	secure, ca := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }, nil)
	for _, c := range []struct{ target, server, name string }{
		{plain.URL, "invalid AddrPort", plain.Listener.Addr().String()},
		{secure.URL, secure.Listener.Addr().String(), secure.Listener.Addr().String()},
	} {
		x := start(t, Options{ConfigDir: t.TempDir(), Target: c.target, UpstreamCA: ca})
		if conn, err := tls.Dial("tcp", x.Addr(), &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "localhost"}); err == nil {
			conn.Close()
			t.Fatal("we were trusted")
		}
		eventually(t, "the first is recorded", func() bool { return len(x.rec.failed()) == 1 })
		conn, err := tls.Dial("tcp", x.Addr(), &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
		if err == nil {
			conn.Close()
			t.Fatal("TLS 1.1 was spoken")
		}
		eventually(t, "both are recorded", func() bool { return len(x.rec.failed()) == 2 })
		x.end()
		rows := x.rec.failed()
		for i, want := range []string{
			"the client refused the tap's certificate: remote error: tls: bad certificate (most likely Go, which trusts what SSL_CERT_FILE names)",
			"TLS with the client failed: tls: client offered only unsupported versions: [302 301]",
		} {
			l := rows[i].Link
			if got := rows[i].Body.(*capture.ConnInfo); got.Protocol != "refused" || got.Text != want && runtime.GOOS == "linux" {
				t.Errorf("%s: %+v, want %s", c.target, got, want)
			}
			if l.TLS != "yes" || !l.Client.IsValid() || l.Server.String() != c.server || l.ServerName != c.name {
				t.Errorf("%s: %+v", c.target, l)
			}
		}
		if h := x.State().Hints; len(h) != 1 || h[0].Code != HintDistrust || !h[0].Direct || h[0].Count != 1 || strings.Contains(h[0].Text("en")+h[0].Text("zh"), "passthrough") {
			t.Errorf("%s: hints %+v", c.target, h)
		}
		if x.State().Passing != nil {
			t.Errorf("%s: %v", c.target, x.State().Passing)
		}
	}
}

// A client that took our certificate and then gives up a handshake without a
// word no longer wanted the connection: nobody is told that it does not trust us.
func TestAClientThatTrustsUsMayLeave(t *testing.T) {
	s, ca := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }, nil)
	x := start(t, Options{ConfigDir: t.TempDir(), UpstreamCA: ca})
	leave := func() {
		conn, err := net.Dial("tcp", x.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: undici\r\n\r\n", s.Listener.Addr(), s.Listener.Addr())
		if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		tls.Client(leaver{conn}, &tls.Config{InsecureSkipVerify: true}).Handshake()
	}
	leave()
	eventually(t, "it is taken for a client that does not trust us", func() bool { return len(x.rec.failed()) == 1 && len(x.State().Hints) == 1 })
	u, _ := url.Parse(x.url)
	tr := &http.Transport{Proxy: http.ProxyURL(u), TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ProxyConnectHeader: http.Header{"User-Agent": {"undici"}}}
	defer tr.CloseIdleConnections()
	if _, body := get(t, &http.Client{Transport: tr}, s.URL); body != "ok" {
		t.Fatal(body)
	}
	before := x.State().Connections
	leave()
	eventually(t, "it is recorded", func() bool { return x.State().Connections == before+1 })
	x.end()
	var rows []string
	for _, e := range x.rec.failed() {
		rows = append(rows, e.Body.(*capture.ConnInfo).Protocol)
	}
	if h := x.State().Hints; !slices.Equal(rows, []string{"refused", "empty"}) || len(h) != 1 || h[0].Count != 1 {
		t.Errorf("connections %v, hints %+v", rows, h)
	}
}

// leaver ends a connection when the other side has answered its first words.
type leaver struct{ net.Conn }

func (l leaver) Read(b []byte) (int, error) {
	l.Conn.Read(b)
	return 0, io.EOF
}

func TestPassthrough(t *testing.T) {
	s, _ := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }, nil)
	x := start(t, Options{ConfigDir: t.TempDir(), Passthrough: []string{"127.0.0.1"}})
	u, _ := url.Parse(x.url)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	tr := &http.Transport{Proxy: http.ProxyURL(u), TLSClientConfig: &tls.Config{RootCAs: pool}}
	defer tr.CloseIdleConnections()
	if _, body := get(t, &http.Client{Transport: tr}, s.URL); body != "ok" {
		t.Errorf("%q", body)
	}
	tr.CloseIdleConnections()
	x.end()
	if len(x.rec.exchanges()) != 0 && x.rec.exchanges()[0].Request != nil {
		t.Error("the tunnel was opened")
	}
}

func TestAuthorityIsMadeOnceAndKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x", "a2ascope")
	now := time.Now
	var wg sync.WaitGroup
	all := make([]*Authority, 8)
	for i := range all {
		wg.Go(func() {
			a, err := OpenAuthority(dir, now)
			if err != nil {
				t.Error(err)
				return
			}
			all[i] = a
		})
	}
	wg.Wait()
	for _, a := range all {
		if a == nil || !a.Certificate().Equal(all[0].Certificate()) {
			t.Fatal("two authorities were made")
		}
	}
	info, err := os.Stat(filepath.Join(dir, keyFile))
	if err != nil {
		t.Fatal(err)
	}
	if m := info.Mode().Perm(); runtime.GOOS != "windows" && m != 0o600 {
		t.Errorf("the key has mode %o", m)
	}
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if b, _ := os.ReadFile(filepath.Join(dir, f.Name())); f.Name() != keyFile && bytes.Contains(b, []byte("PRIVATE KEY")) {
			t.Errorf("%s holds a key", f.Name())
		}
	}
	if len(files) != 3 {
		t.Errorf("%d files: %v", len(files), files)
	}
	if c := all[0].Certificate(); !strings.Contains(c.Subject.CommonName, "a2ascope") || !c.MaxPathLenZero {
		t.Errorf("certificate %+v", c.Subject)
	}
	for _, host := range []string{"agent.example", "10.0.0.1", "::1", strings.Repeat("a", 60) + ".example"} {
		leaf, err := all[0].leaf(host)
		if err != nil {
			t.Fatal(err)
		}
		pool := x509.NewCertPool()
		pool.AddCert(all[0].Certificate())
		name := host
		if strings.Contains(host, ":") {
			name = "[" + host + "]"
		}
		if _, err := leaf.Leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: pool}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	if runtime.GOOS != "windows" {
		os.Chmod(filepath.Join(dir, keyFile), 0o644)
		if _, err := OpenAuthority(dir, now); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("a key everybody can read was taken: %v", err)
		}
		os.Chmod(filepath.Join(dir, keyFile), 0o600)
	}
	late := func() time.Time { return time.Now().AddDate(caYears+1, 0, 0) }
	if _, err := OpenAuthority(dir, late); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Errorf("an expired authority was taken: %v", err)
	}
}
