package proxy

//lint:file-ignore SA1019 http2.Transport is the client whose connection and frames a test can choose

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

func (x *tapped) pool() *x509.CertPool {
	a, err := x.ca.get()
	if err != nil {
		x.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.Certificate())
	return pool
}

// A bare host:port says nothing about TLS: the client decides, and the tap does the same to the agent.
func TestABareAddressFollowsTheClient(t *testing.T) {
	plain := serveH2C(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "plain "+r.Host) })
	secure, ca := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "secure "+r.Host) }, nil)
	plainHost, secureHost := strings.TrimPrefix(plain.URL, "http://"), strings.TrimPrefix(secure.URL, "https://")
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"supportedInterfaces":[{"url":%q},{"url":%q}]}`, plainHost, secureHost)
	})
	x := start(t, Options{Target: s.URL, ConfigDir: t.TempDir(), UpstreamCA: ca})
	_, card := get(t, client(t), x.url+"/.well-known/agent-card.json")
	one, two := at(t, card, "/supportedInterfaces/0/url"), at(t, card, "/supportedInterfaces/1/url")
	if one != x.addressOf(plainHost) || two != x.addressOf(secureHost) {
		t.Fatalf("%s, %s", one, two)
	}
	if _, body := get(t, clientH2C(t), "http://"+one); body != "plain "+plainHost {
		t.Errorf("%q", body)
	}
	tr := &http2.Transport{TLSClientConfig: &tls.Config{RootCAs: x.pool()}}
	defer tr.CloseIdleConnections()
	if _, body := get(t, &http.Client{Transport: tr}, "https://"+two); body != "secure "+secureHost {
		t.Errorf("%q", body)
	}
	tr.CloseIdleConnections()
	x.end()
	for _, e := range x.rec.exchanges() {
		if !e.Complete() {
			t.Errorf("%+v", e)
		}
	}
}

func TestLocalTLSKeepsTheScheme(t *testing.T) {
	secure, ca := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".json") {
			fmt.Fprintf(w, `{"url":"https://%s/a","additionalInterfaces":[{"url":"wss://%[1]s/b"},{"url":"http://other.example/c"}]}`, r.Host)
			return
		}
		io.WriteString(w, "secure")
	}, nil)
	x := start(t, Options{Target: secure.URL, ConfigDir: t.TempDir(), UpstreamCA: ca, LocalTLS: true})
	_, card := get(t, client(t), x.url+"/.well-known/agent-card.json")
	if u := at(t, card, "/url"); u != "https://"+x.Addr()+"/a" {
		t.Errorf("%s", u)
	}
	if u := at(t, card, "/additionalInterfaces/0/url"); u != "wss://"+x.Addr()+"/b" {
		t.Errorf("%s", u)
	}
	if u := at(t, card, "/additionalInterfaces/1/url"); u != "http://"+x.addressOf("http://other.example")+"/c" {
		t.Errorf("%s", u)
	}
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: x.pool()}}
	defer tr.CloseIdleConnections()
	if _, body := get(t, &http.Client{Transport: tr}, at(t, card, "/url")); body != "secure" {
		t.Errorf("%q", body)
	}
}

// A tap that listens for other machines names itself as the client named it.
func TestTheNameOfTheTapIsTheClients(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, `{"url":"http://%s/a"}`, r.Host) })
	x := start(t, Options{Target: s.URL, Listen: "0.0.0.0:0"})
	_, port, _ := net.SplitHostPort(x.Addr())
	for host, want := range map[string]string{
		"agents.internal:" + port: "http://agents.internal:" + port + "/a",
		"10.1.2.3:" + port:        "http://10.1.2.3:" + port + "/a",
	} {
		c := dialRaw(t, "127.0.0.1:"+port)
		say(t, c, "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
		b, _ := io.ReadAll(c)
		_, body, _ := strings.Cut(string(b), "\r\n\r\n")
		if got := at(t, body, "/url"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestMappingsOfAFormerRunListenFromTheStart(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "here") })
	o, err := ParseTarget(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	x := start(t, Options{Target: "http://127.0.0.1:1", Mappings: []Origin{o}})
	eventually(t, "the listener", func() bool { return x.addressOf(o.String()) != "" })
	if _, body := get(t, client(t), "http://"+x.addressOf(o.String())); body != "here" {
		t.Errorf("%q", body)
	}
}

// A card that is not the configured agent's opens no ports.
func TestForeignCardsOpenNothing(t *testing.T) {
	other := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"name":"o","url":"http://third.example/"}`)
	})
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, `{"url":"%s/"}`, other.URL) })
	x := start(t, Options{Target: s.URL})
	c := client(t)
	_, card := get(t, c, x.url+"/.well-known/agent-card.json")
	_, second := get(t, c, at(t, card, "/url")+".well-known/agent-card.json")
	if at(t, second, "/url") != "http://third.example/" || len(x.State().Listeners) != 2 {
		t.Errorf("%s, %d listeners", second, len(x.State().Listeners))
	}
	// And none at all through the forward proxy.
	u := x.proxied(false)
	if _, body := get(t, u, other.URL+"/.well-known/agent-card.json"); at(t, body, "/url") != "http://third.example/" {
		t.Errorf("%s", body)
	}
}

func TestWhatPeopleReadIsInBothLanguages(t *testing.T) {
	a, err := OpenAuthority(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	han := func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x4e00 && r < 0xa000 })
	}
	for _, code := range []HintCode{HintDistrust, HintAgentTLS, HintAgentWantsCert, HintUnreachable, HintAmbiguous, HintTooManyOrigins, HintNoAuthority, HintAccept, HintNoTarget, HintExposed} {
		h := Hint{Code: code, Host: "agent.example:443", Stack: "Go", Variable: "V", File: "/f", Detail: "why"}
		en, zh := h.Text("en"), h.Text("zh")
		if han(en) || !han(zh) || !strings.Contains(en, "agent.example") || !strings.Contains(zh, "agent.example") || strings.Contains(en+zh, "%!") {
			t.Errorf("%s:\n%s\n%s", code, en, zh)
		}
	}
	for _, v := range []string{"", "JAVA_TOOL_OPTIONS", "SSL_CERT_FILE"} {
		h := Hint{Code: HintDistrust, Host: "h:1", Stack: "Go", Variable: v, File: "/f"}
		direct := h
		direct.Direct = true
		for _, lang := range []string{"en", "zh"} {
			if s := h.Text(lang); !strings.Contains(s, "/f") || !strings.Contains(s, v) || strings.Contains(s, "%!") {
				t.Errorf("%s", s)
			}
			if s := direct.Text(lang); !strings.Contains(s, "/f") || !strings.Contains(s, "http://h:1") || strings.Contains(s, "%!") {
				t.Errorf("%s", s)
			}
		}
	}
	for _, n := range []Notice{{Kind: NoticeListening, Address: "a:1"}, {Kind: NoticePassing, Host: "h:1"}, {Kind: NoticeHint, Hint: Hint{Code: HintAccept}}} {
		if han(n.Text("en")) || !han(n.Text("zh")) {
			t.Errorf("%v", n)
		}
	}
	for _, goos := range []string{"linux", "darwin", "windows", "freebsd"} {
		en, zh := TrustHelp("en", goos, a), TrustHelp("zh", goos, a)
		if len(en) < 6 || len(en) != len(zh) {
			t.Errorf("%s: %d and %d", goos, len(en), len(zh))
		}
		for i := range en {
			if len(en[i].Lines) == 0 || en[i].For != zh[i].For || han(en[i].Note) || zh[i].Note != "" && !han(zh[i].Note) || strings.Contains(fmt.Sprint(en[i], zh[i]), "%!") {
				t.Errorf("%s: %+v %+v", goos, en[i], zh[i])
			}
		}
	}
}
