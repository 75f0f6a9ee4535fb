package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// odd is an agent that answers every request with the same odd bytes and keeps
// what it was sent, byte for byte.
type odd struct {
	ln net.Listener

	mu   sync.Mutex
	sent bytes.Buffer
}

const oddAnswer = "HTTP/1.1 103 Early Hints\r\nLink: </schema>; rel=preload\r\n\r\n" +
	"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nX-Odd-CASE: a\r\nx-odd-case:  b\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\nConnection: close\r\n\r\n" +
	"5\r\n{\"a\":\r\n2;piece=2\r\n1}\r\n0\r\nX-End: yes\r\n\r\n"

func newOdd() (*odd, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	o := &odd{ln: ln}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go o.serve(c)
		}
	}()
	return o, nil
}

// serve reads one request and answers it.
func (o *odd) serve(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	var raw bytes.Buffer
	r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(c, &raw)))
	if err != nil {
		return
	}
	if r.Header.Get("Expect") != "" {
		_, _ = io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n")
	}
	_, _ = io.Copy(io.Discard, r.Body)
	o.mu.Lock()
	o.sent.Write(raw.Bytes())
	o.mu.Unlock()
	_, _ = io.WriteString(c, oddAnswer)
}

// took returns what came since the last call.
func (o *odd) took() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.sent.String()
	o.sent.Reset()
	return s
}

const (
	question = `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}`
	fetching = `const r = await fetch(process.argv[1], { method: 'POST', headers: { 'content-type': 'application/json', 'a2a-VERSION': '1.0' }, body: process.argv[2] });
console.log(r.status, JSON.stringify([...r.headers]), await r.text());`
)

// speaker is a client that is no A2A SDK.
type speaker struct {
	name string
	say  func(l *lab, url string) (string, error)
}

var speakers = []speaker{
	{"curl", func(l *lab, url string) (string, error) {
		return l.client(nil, "curl", "-sS", "-i", "--raw", "-H", "a2a-VERSION: 1.0", "-H", "A2A-Extensions: x", "-H", "a2a-extensions: y",
			"-H", "Content-Type: application/json", "-d", question, url+"/a?q=%7e")
	}},
	{"curl, Expect: 100-continue", func(l *lab, url string) (string, error) {
		return l.client(nil, "curl", "-sS", "-i", "--raw", "-H", "Expect: 100-continue", "-H", "Content-Type: application/json", "-d", question, url)
	}},
	{"node fetch", func(l *lab, url string) (string, error) {
		return l.client(nil, "node", "--input-type=module", "-e", fetching, url, question)
	}},
	{"Go net/http", func(_ *lab, url string) (string, error) {
		// A body of unknown length is chunked.
		q, err := http.NewRequest("POST", url, io.MultiReader(strings.NewReader(question[:20]), strings.NewReader(question[20:])))
		if err != nil {
			return "", err
		}
		q.Header["a2a-VERSION"] = []string{"1.0"}
		resp, err := http.DefaultClient.Do(q)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return fmt.Sprintln(resp.Status, resp.Header, string(b), resp.Trailer), err
	}},
}

// spoken lets a speaker speak without and with the tap: what it says and what
// the agent is sent must be the same, byte for byte.
func (l *lab) spoken(s speaker) error {
	o, err := newOdd()
	if err != nil {
		return err
	}
	defer o.ln.Close()
	agent := "http://" + o.ln.Addr().String()
	direct, err := s.say(l, agent)
	if err != nil {
		return err
	}
	asked := o.took()
	t, err := l.tapped(agent)
	if err != nil {
		return err
	}
	tapped, err := s.say(l, t.url)
	heard := o.took()
	if _, terr := t.end(); err == nil {
		err = terr
	}
	switch {
	case err != nil:
		return err
	case !strings.Contains(direct, "200") || asked == "":
		return fmt.Errorf("without the tap already: %q asked %q", direct, asked)
	case direct != tapped:
		return fmt.Errorf("the client says\n%q through the tap\n%q without it", tapped, direct)
	case asked != heard:
		return fmt.Errorf("the agent is sent\n%q through the tap\n%q without it", heard, asked)
	}
	return nil
}
