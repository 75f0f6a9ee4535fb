package proxy

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/internal/jsontree"
)

// addressOf finds the tap's address for an origin.
func (x *tapped) addressOf(origin string) string {
	for _, l := range x.State().Listeners {
		if l.Origin.String() == origin {
			return l.Address
		}
	}
	return ""
}

func at(t *testing.T, body, pointer string) string {
	t.Helper()
	d := jsontree.Parse([]byte(body))
	if d.Err != nil {
		t.Fatalf("not JSON: %v\n%s", d.Err, body)
	}
	return d.Root().Pointer(pointer).Text()
}

func noteOf(x *capture.Exchange, code string) *capture.Note {
	for i := range x.Notes {
		if x.Notes[i].Code == code {
			return &x.Notes[i]
		}
	}
	return nil
}

const blended = `{ "name": "E\u00e9",  "version":"1.0", "description":"d", "unknown": {"url": "http://keep.example/", "n": 1.50e3},
  "url": "http://%[1]s/rpc?x=1#f", "preferredTransport":"JSONRPC",
  "provider": {"organization":"o","url":"http://%[1]s/provider"},
  "additionalInterfaces": [ {"url":"http:\/\/other.example:8080\/a2a","transport":"JSONRPC"}, {"transport":"GRPC","url":"127.0.0.1:50051"} ],
  "supportedInterfaces":[{"url":"https://secure.example/v1","protocolBinding":"HTTP+JSON","tenant":"t1"},{"url":"/relative","protocolBinding":"JSONRPC"}],
  "documentationUrl":"http://%[1]s/docs", "capabilities":{}, "skills":[], "iconUrl":"http://%[1]s/i",
  "signatures":[{"protected":"p","signature":"s"},{"protected":"p2","signature":"s2"}] }`

func TestEveryAddressOfACardLeadsThroughTheTap(t *testing.T) {
	var host string
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("ETag", `"x1"`)
		fmt.Fprintf(w, blended, host)
	})
	host = strings.TrimPrefix(s.URL, "http://")
	x := start(t, Options{Target: s.URL})
	resp, body := get(t, client(t), x.url+"/.well-known/agent-card.json")
	for pointer, want := range map[string]string{
		"/url":                          "http://" + x.Addr() + "/rpc?x=1#f",
		"/additionalInterfaces/0/url":   "http://" + x.addressOf("http://other.example:8080") + "/a2a",
		"/additionalInterfaces/1/url":   x.addressOf("127.0.0.1:50051"),
		"/supportedInterfaces/0/url":    "http://" + x.addressOf("https://secure.example") + "/v1",
		"/supportedInterfaces/1/url":    "/relative",
		"/provider/url":                 "http://" + host + "/provider",
		"/documentationUrl":             "http://" + host + "/docs",
		"/unknown/url":                  "http://keep.example/",
		"/supportedInterfaces/0/tenant": "t1",
		"/signatures/1/signature":       "s2",
	} {
		if got := at(t, body, pointer); got != want {
			t.Errorf("%s is %s, want %s", pointer, got, want)
		}
	}
	// Everything but the five strings is byte for byte what the agent sent.
	original := fmt.Sprintf(blended, host)
	undo := body
	for _, r := range [][2]string{
		{`"http://` + x.Addr() + `/rpc`, `"http://` + host + `/rpc`},
		{`"http://` + x.addressOf("http://other.example:8080") + `/a2a"`, `"http:\/\/other.example:8080\/a2a"`},
		{`"` + x.addressOf("127.0.0.1:50051") + `"`, `"127.0.0.1:50051"`},
		{`"http://` + x.addressOf("https://secure.example") + `/v1"`, `"https://secure.example/v1"`},
	} {
		undo = strings.ReplaceAll(undo, r[0], r[1])
	}
	if undo != original {
		t.Errorf("more was changed than the addresses:\n%s\nwant\n%s", undo, original)
	}
	if tag := resp.Header.Get("ETag"); !strings.HasPrefix(tag, `"x1-a2ascope-`) {
		t.Errorf("ETag %s", tag)
	}
	x.end()
	xs := x.rec.exchanges()
	if len(xs) != 1 {
		t.Fatalf("%d exchanges", len(xs))
	}
	if b := xs[0].Body(capture.Server); b == nil || string(b.Data) != original {
		t.Error("the exchange does not hold what the agent sent")
	}
	n := noteOf(xs[0], NoteCardRewritten)
	if n == nil || string(n.Delivered) != body || string(n.Original) != original {
		t.Fatalf("notes %+v", xs[0].Notes)
	}
	for _, part := range []string{"127.0.0.1:50051 → ", "2 signatures do not fit"} {
		if !strings.Contains(n.Text, part) {
			t.Errorf("the note does not say %q: %s", part, n.Text)
		}
	}
}

func TestCardCaching(t *testing.T) {
	var seen []string
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("If-None-Match")+"|"+r.Header.Get("If-Modified-Since"))
		w.Header().Set("ETag", `W/"v,1"`)
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(r.Header.Get("If-None-Match"), `W/"v,1"`) {
			w.WriteHeader(304)
			return
		}
		io.WriteString(w, `{"name":"a","url":"http://elsewhere.example/"}`)
	})
	x := start(t, Options{Target: s.URL})
	c := client(t)
	card := x.url + "/.well-known/agent.json"
	get(t, c, card) // opens the listener
	resp, body := get(t, c, card)
	tag := resp.Header.Get("ETag")
	// A version the client got from the tap is confirmed.
	resp, _ = get(t, c, card, "If-None-Match", `"old", `+tag)
	if resp.StatusCode != 304 || resp.Header.Get("ETag") != tag {
		t.Errorf("%d, ETag %s, want 304 and %s", resp.StatusCode, resp.Header.Get("ETag"), tag)
	}
	// One it got directly is not: its addresses lead past the tap.
	resp, again := get(t, c, card, "If-None-Match", `W/"v,1"`, "If-Modified-Since", "Mon, 01 Jan 2024 00:00:00 GMT")
	if resp.StatusCode != 200 || again != body {
		t.Errorf("%d %s", resp.StatusCode, again)
	}
	if got, want := strings.Join(seen, "\n"), "|\n|\nW/\"v,1\"|\n|"; got != want {
		t.Errorf("the agent was asked\n%s\nwant\n%s", got, want)
	}
}

func TestACardWithoutAddressesIsCachedAsItIs(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"plain"`)
		if r.Header.Get("If-None-Match") == `"plain"` {
			w.WriteHeader(304)
			return
		}
		io.WriteString(w, `{"name":"a","url":"/here"}`)
	})
	x := start(t, Options{Target: s.URL})
	c := client(t)
	card := x.url + "/.well-known/agent-card.json"
	resp, body := get(t, c, card)
	if body != `{"name":"a","url":"/here"}` || resp.Header.Get("ETag") != `"plain"` {
		t.Errorf("%s %s", body, resp.Header.Get("ETag"))
	}
	if resp, _ := get(t, c, card, "If-None-Match", `"plain"`); resp.StatusCode != 304 {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func zip(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.Bytes()
}

func TestCompressedAndFramedCards(t *testing.T) {
	const card = `{"name":"a","url":"http://elsewhere.example/x","skills":[]}`
	for name, c := range map[string]struct {
		answer string // head and body; %d is the length of the zipped card
		accept string
		want   func(old, now string) string // the client's bytes
	}{
		"gzip with length": {
			answer: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nDigest: sha-256=x\r\nContent-Length: " + fmt.Sprint(len(zip(card))) + "\r\n\r\n" + string(zip(card)),
			accept: "gzip, br",
			want: func(_, now string) string {
				return "HTTP/1.1 200 OK\r\nContent-Length: " + fmt.Sprint(len(now)) + "\r\n\r\n" + now
			},
		},
		"chunked with trailer": {
			answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n" + card[:5] + "\r\n" + fmt.Sprintf("%x", len(card)-5) + "\r\n" + card[5:] + "\r\n0\r\nX: t\r\n\r\n",
			want: func(_, now string) string {
				return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x", len(now)) + "\r\n" + now + "\r\n0\r\nX: t\r\n\r\n"
			},
		},
		"until the end": {
			answer: "HTTP/1.0 200 OK\r\n\r\n" + card,
			want:   func(_, now string) string { return "HTTP/1.0 200 OK\r\n\r\n" + now },
		},
		"byte order mark": {
			answer: "HTTP/1.1 200 OK\r\nContent-Length: " + fmt.Sprint(len(card)+3) + "\r\n\r\n\xef\xbb\xbf" + card,
			want: func(_, now string) string {
				return "HTTP/1.1 200 OK\r\nContent-Length: " + fmt.Sprint(len(now)+3) + "\r\n\r\n\xef\xbb\xbf" + now
			},
		},
		"no JSON": {
			answer: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{]}",
			want:   func(old, _ string) string { return old },
		},
		"cut": {
			answer: "HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n" + card,
			want:   func(old, _ string) string { return old },
		},
		"brotli": {
			answer: "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\nxx",
			want:   func(old, _ string) string { return old },
		},
		"an error": {
			answer: "HTTP/1.1 404 No\r\nContent-Length: " + fmt.Sprint(len(card)) + "\r\n\r\n" + card,
			want:   func(old, _ string) string { return old },
		},
	} {
		t.Run(name, func(t *testing.T) {
			accepted := make(chan string, 1)
			addr := rawAgent(t, func(k *net.TCPConn) {
				h := make([]byte, 4096)
				n, _ := k.Read(h)
				_, rest, _ := strings.Cut(string(h[:n]), "Accept-Encoding: ")
				rest, _, _ = strings.Cut(rest, "\r\n")
				accepted <- rest
				for _, b := range []byte(c.answer) {
					k.Write([]byte{b})
				}
			})
			x := start(t, Options{Target: addr})
			k := dialRaw(t, x.Addr())
			accept := ""
			if c.accept != "" {
				accept = "Accept-Encoding: " + c.accept + "\r\n"
			}
			say(t, k, "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: "+x.Addr()+"\r\n"+accept+"\r\n")
			got, _ := io.ReadAll(k)
			now := strings.ReplaceAll(card, "http://elsewhere.example", "http://"+x.addressOf("http://elsewhere.example"))
			if want := c.want(c.answer, now); string(got) != want {
				t.Errorf("the client got\n%q\nwant\n%q", got, want)
			}
			if a := <-accepted; c.accept != "" && a != "gzip" {
				t.Errorf("Accept-Encoding %q", a)
			}
			k.Close()
			x.end()
			if x.rec.sent(capture.Server) != c.answer {
				t.Errorf("recorded %q", x.rec.sent(capture.Server))
			}
			left := name == "no JSON" || name == "brotli"
			if n := noteOf(x.rec.exchanges()[0], NoteCardLeft); (n != nil) != left {
				t.Errorf("note %+v", n)
			}
		})
	}
}

func TestExtendedCards(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		card := `{"name":"x","url":"http://ext.example/rpc","skills":[]}`
		switch {
		case r.URL.Path == "/v1/card":
			io.WriteString(w, card)
		case bytes.Contains(body, []byte("xtended")):
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%s}`, card)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":{"kind":"task","url":"http://ext.example/rpc"}}`)
		}
	})
	x := start(t, Options{Target: s.URL})
	c := client(t)
	post := func(body string) string {
		resp, err := c.Post(x.url+"/rpc", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return string(b)
	}
	_, rest := get(t, c, x.url+"/v1/card")
	ours := "http://" + x.addressOf("http://ext.example") + "/rpc"
	if at(t, rest, "/url") != ours {
		t.Errorf("HTTP+JSON: %s", rest)
	}
	for _, m := range rpcCardMethods {
		if got := post(`{"jsonrpc":"2.0","id":1,"method":"` + m + `","params":{}}`); at(t, got, "/result/url") != ours {
			t.Errorf("%s: %s", m, got)
		}
	}
	// A message that only speaks of it changes nothing, also where the answer looks like a card.
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"t":"GetExtendedAgentCard"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get"}`,
	} {
		if got := post(body); !strings.Contains(got, `"http://ext.example/rpc"`) {
			t.Errorf("%s was answered with %s", body, got)
		}
	}
}

func TestStripSignatures(t *testing.T) {
	to := func(string) (string, string) { return "", "" }
	for in, want := range map[string]string{
		`{"a":1, "signatures":[1] ,"b":2}`:                                  `{"a":1, "b":2}`,
		`{"signatures":[{}],"b":2}`:                                         `{"b":2}`,
		`{"a":1 , "signatures":[{}] }`:                                      `{"a":1 }`,
		`{ "signatures":[{}] }`:                                             `{}`,
		`{"a":1,"signatures":[1],"signatures":[2]}`:                         `{"a":1}`,
		`{"signatures":[1],"a":1,"signatures":[2],"b":[],"signatures":[3]}`: `{"a":1,"b":[]}`,
		`{"signatures":[1],"signatures":[2]}`:                               `{}`,
		`{"a":1,"signatures":[]}`:                                           `{"a":1,"signatures":[]}`,
	} {
		got := cardPlaces(jsontree.Parse([]byte(in)).Root(), to, true)
		if out := string(apply(nil, []byte(in), got.edits)); out != want {
			t.Errorf("%s\ngave %s\nwant %s", in, out, want)
		}
	}
}

func TestAddresses(t *testing.T) {
	for in, want := range map[string]string{
		"http://A.example":         "http://a.example:80",
		"HTTPS://a.example/x":      "https://a.example:443",
		"http://u:p@a.example:8/x": "http://a.example:8",
		"[::1]:50051":              ":[::1]:50051",
		"localhost:50051":          ":localhost:50051",
		"dns:///a.example:443":     ":a.example:443",
		"grpc://a.example:1":       ":a.example:1",
		"http://{host}:80/":        "",
		"localhost":                "",
		"unix:/tmp/x":              "",
		"ftp://a.example:21":       "",
		"http://a.example:99999":   "",
		"http://a.example:0":       "",
		"http://[::1/":             "",
		"":                         "",
		"a b:1":                    "",
	} {
		a, ok := cutAddress(in)
		got := ""
		if ok {
			got = a.origin.Scheme + "://" + a.origin.Host
			if a.origin.Scheme == "" {
				got = ":" + a.origin.Host
			}
			if a.before+a.host+a.behind != in {
				t.Errorf("%q was cut into %q %q %q", in, a.before, a.host, a.behind)
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestOnlySoManyOrigins(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		var b strings.Builder
		for i := range 6 {
			fmt.Fprintf(&b, `,{"url":"http://o%d.example/"}`, i)
		}
		fmt.Fprintf(w, `{"name":"a","supportedInterfaces":[%s]}`, b.String()[1:])
	})
	x := start(t, Options{Target: s.URL, MaxOrigins: 3})
	_, body := get(t, client(t), x.url+"/.well-known/agent-card.json")
	if n := strings.Count(body, ".example"); n != 3 {
		t.Errorf("%d addresses were left: %s", n, body)
	}
	if n := len(x.State().Listeners); n != 4 {
		t.Errorf("%d listeners", n)
	}
	x.end()
	if n := noteOf(x.rec.exchanges()[0], NoteCardRewritten); n == nil || !strings.Contains(n.Text, "http://o5.example/ leads past the tap") {
		t.Errorf("note %+v", n)
	}
	if h := x.State().Hints; len(h) == 0 || h[0].Code != HintTooManyOrigins {
		t.Errorf("hints %+v", h)
	}
}

func TestCallsReachForeignOriginsUnderTheirOwnName(t *testing.T) {
	second := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "second "+r.Host+r.URL.Path) })
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"name":"a","url":"%s/rpc"}`, second.URL)
	})
	x := start(t, Options{Target: s.URL})
	c := client(t)
	_, body := get(t, c, x.url+"/.well-known/agent-card.json")
	_, answer := get(t, c, at(t, body, "/url"))
	if want := "second " + strings.TrimPrefix(second.URL, "http://") + "/rpc"; answer != want {
		t.Errorf("%q, want %q", answer, want)
	}
	// The same origin keeps its port in a new run.
	port := x.addressOf(second.URL)
	x.end()
	y := start(t, Options{Target: s.URL})
	get(t, c, y.url+"/.well-known/agent-card.json")
	if got := y.addressOf(second.URL); got != port {
		t.Errorf("the port moved from %s to %s", port, got)
	}
}

func TestNoCardRewrite(t *testing.T) {
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, blended, "a.example") })
	x := start(t, Options{Target: s.URL, NoCardRewrite: true})
	if _, body := get(t, client(t), x.url+"/.well-known/agent-card.json"); body != fmt.Sprintf(blended, "a.example") {
		t.Errorf("the card was changed: %s", body)
	}
}
