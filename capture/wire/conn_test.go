package wire

import (
	"crypto/tls"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"a2ascope/capture"
)

// clientHello lets the standard library write one.
func clientHello(cfg *tls.Config) string {
	a, b := net.Pipe()
	defer a.Close()
	go func() {
		c := tls.Client(b, cfg)
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		_ = c.Handshake()
		b.Close()
	}()
	buf := make([]byte, 5)
	_, err := io.ReadFull(a, buf)
	must(err)
	rest := make([]byte, int(buf[3])<<8|int(buf[4]))
	_, err = io.ReadFull(a, rest)
	must(err)
	return string(buf) + string(rest)
}

// serverHello12 is a TLS 1.2 ServerHello that chooses h2.
const serverHello12 = "\x16\x03\x03\x00\x37\x02\x00\x00\x33\x03\x03" +
	"0123456789abcdef0123456789abcdef" + "\x00\xc0\x2f\x00" + "\x00\x0b\x00\x10\x00\x05\x00\x03\x02h2\x00\x00"

func connBook() []aTalk {
	hello := clientHello(&tls.Config{ServerName: "agent.test", NextProtos: []string{"h2"}, InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12})
	data := "\x17\x03\x03\x00\x05abcde"
	c, s := newH2Side(), newH2Side()
	c1 := preface + c.settings().headers(1, true, ":method=GET", ":scheme=https", ":path=/a", ":authority=h").take()
	s1 := s.settings().headers(1, false, ":status=200").data(1, true, "ok").take()
	return []aTalk{
		{"empty", talk{open(capture.Link{}), fin(capture.Client), bye("")}, `- empty sent=0,0 the connection carried no bytes`},
		{"refused", talk{open(capture.Link{}), bye("refused")}, `- refused sent=0,0 the connection was refused`},
		{"another protocol", talk{sv("220 mail.test ESMTP\r\n"), cl("EHLO me\r\n"), bye("")}, `- unknown sent=9,21 no HTTP was found in it`},
		{"binary", talk{cl("\x00\x01\x02\x03\x00\x00\x00\x00\x00\x00\x00\x00"), sv("\xff\x00\x00"), bye("reset")}, `- unknown sent=12,3 no HTTP was found in it`},
		{"encrypted", talk{cl(hello), sv(serverHello12), cl(data), sv(data + data), bye("")},
			`- tls sent=` + sizes(len(hello)+10, len(serverHello12)+20) + ` encrypted, no key`},
		{"certificate refused", talk{cl(hello), sv(serverHello12), cl("\x15\x03\x03\x00\x02\x02\x2a"), bye("")},
			`- tls sent=` + sizes(len(hello)+7, len(serverHello12)) + ` encrypted, no key; the client sent alert 42 (bad certificate)`},
		{"TLS answered without", talk{cl(hello), sv("HTTP/1.0 400 Bad Request\r\nContent-Length: 3\r\n\r\nno\n"), bye("")}, `
			1< ! tls-mismatch
			1< 400
			1< body "no\n"
			1< .3
			1< end done`},
		{"TLS answered with HTTP/2", talk{cl(hello), sv("\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x05\x00\x00\x40\x00"), bye("")}, `
			1< ! tls-mismatch
			1< end closed`},
		{"decrypted", talk{cl(hello), sv(serverHello12), secure(capture.Link{TLS: "1.2"}), cl(c1), sv(s1), bye("")}, `
			1> GET /a
			1> .0
			1< 200
			1< body "ok"
			1< .2
			1< end done`},
		{"tunnel with TLS", talk{cl("CONNECT h:443 HTTP/1.1\r\n\r\n"), sv("HTTP/1.1 200 OK\r\n\r\n"), cl(hello), sv(serverHello12), cl(data), bye("")},
			`1> CONNECT h:443
			1> .0
			1< 200
			1< end upgraded
			- tls sent=` + sizes(26+len(hello)+10, 19+len(serverHello12)) + ` encrypted, no key`},
		{"gap before anything is known", talk{gapOf(capture.Client, 100), cl("rest of a body" + get), sv(ok), bye("")}, `
			1> GET /a
			1> .0
			1< 200
			1< body "ok"
			1< .2
			1< end done`},
	}
}

func sizes(a, b int) string { return itoa(a) + "," + itoa(b) }

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

func TestConn(t *testing.T) { runBook(t, connBook()) }

func TestLinkIsCompleted(t *testing.T) {
	hello := clientHello(&tls.Config{ServerName: "agent.test", NextProtos: []string{"h2", "http/1.1"}})
	l := capture.Link{Server: netip.MustParseAddrPort("10.0.0.1:443"), Source: "pcap"}
	es := play(talk{open(l), cl(hello), sv(serverHello12), bye("")})
	if got := *es[0].Link; got.ServerName != "agent.test" || got.ALPN != "h2" || got.TLS != "1.2" || got.Server != l.Server {
		t.Errorf("%+v", got)
	}
	es = play(talk{open(l), secure(capture.Link{TLS: "1.3", Source: "pcap"}), cl(get), bye("")})
	if h := es[0].Body.(*capture.Head); es[0].Link.TLS != "1.3" || h.Scheme != "https" {
		t.Errorf("%+v %+v", es[0].Link, h)
	}
}

func TestNothingAfterClosed(t *testing.T) {
	c := NewConn(1)
	feedAll(c, talk{cl(get), bye("")})
	if es := feedAll(c, talk{cl(get), bye("reset")}); len(es) != 0 {
		t.Errorf("%s", dump(es, false))
	}
}
