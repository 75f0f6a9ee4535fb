package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// rival is a way from the client to the agent.
type rival struct {
	name    string
	start   func(b *bench) (*running, error)
	missing func() bool // it is not installed here
	noH2    bool        // it does not speak HTTP/2 in clear
}

// running is a rival at work, fresh for every measurement.
type running struct {
	http, h2 string // addresses
	cmd      *exec.Cmd
	report   string // what a2ascope wrote
}

var rivals = []rival{
	{name: "direct", start: func(b *bench) (*running, error) { return &running{http: b.agent, h2: b.agent}, nil }},
	{name: "nginx", start: startNginx, missing: absent("nginx")},
	{name: relay, start: startRelay, missing: func() bool { return relayModule() == "" }},
	{name: "a2ascope", start: startTap},
	{name: "ReverseProxy", start: func(b *bench) (*running, error) {
		addr := freeAddr()
		return b.launch(&running{http: addr, h2: addr}, b.self, "reverse", addr, b.agent)
	}},
	{name: "mitmdump", noH2: true, missing: absent("mitmdump"), start: func(b *bench) (*running, error) {
		addr := freeAddr()
		_, port, _ := net.SplitHostPort(addr)
		// Streams pass piece by piece; by default it holds them whole.
		return b.launch(&running{http: addr}, "mitmdump", "-q", "--mode", "reverse:http://"+b.agent, "--listen-host", "127.0.0.1",
			"-p", port, "--set", "stream_large_bodies=1", "--set", "confdir="+b.dir)
	}},
}

func absent(program string) func() bool {
	return func() bool {
		_, err := exec.LookPath(program)
		return err != nil
	}
}

func freeAddr() string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

func (b *bench) launch(r *running, argv ...string) (*running, error) {
	r.cmd = exec.Command(argv[0], argv[1:]...)
	r.cmd.Stderr = os.Stderr
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	return r, r.ready()
}

func (r *running) ready() error {
	var err error
	for range 2400 { // a minute: on a busy machine mitmdump takes a while
		var c net.Conn
		if c, err = net.Dial("tcp", r.http); err == nil {
			return c.Close()
		}
		time.Sleep(25 * time.Millisecond)
	}
	r.stop()
	return err
}

func (r *running) stop() {
	if r.cmd == nil {
		return
	}
	_ = r.cmd.Process.Signal(syscall.SIGINT)
	over := time.AfterFunc(60*time.Second, func() { _ = r.cmd.Process.Kill() })
	_ = r.cmd.Wait()
	over.Stop()
	r.cmd = nil
}

// startNginx forwards and keeps nothing: buffering, logs and compression are off,
// connections to the agent are kept.
func startNginx(b *bench) (*running, error) {
	r := &running{http: freeAddr(), h2: freeAddr()}
	conf := fmt.Sprintf(`daemon off; worker_processes auto; pid %[1]s/nginx.pid; error_log stderr error;
events { worker_connections 8192; }
http {
	access_log off; gzip off; tcp_nodelay on; keepalive_requests 1000000000; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	upstream agent { server %[2]s; keepalive 256; keepalive_requests 1000000000; }
	server {
		listen %[3]s;
		location / { proxy_pass http://agent; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host %[2]s; proxy_buffering off; proxy_request_buffering off; proxy_read_timeout 1h; }
	}
	server {
		listen %[4]s http2; http2_max_concurrent_streams 1024;
		location / { grpc_pass grpc://agent; grpc_read_timeout 1h; grpc_set_header Host %[2]s; }
	}
}`, b.dir, b.agent, r.http, r.h2)
	return b.nginx(r, conf)
}

// relay is the same program as a relay of bytes: it reads nothing, and has one
// connection to the agent for each of a client, as a tap must. What nginx saves
// by keeping its own connections to the agent shows beside it.
const relay = "nginx stream"

// relayModule is where the part of nginx lies that relays bytes, or nothing.
func relayModule() string {
	said, err := exec.Command("nginx", "-V").CombinedOutput()
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(said), "--modules-path=")
	dir, _, _ := strings.Cut(rest, " ")
	file := filepath.Join(dir, "ngx_stream_module.so")
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

func startRelay(b *bench) (*running, error) {
	addr := freeAddr()
	return b.nginx(&running{http: addr, h2: addr}, fmt.Sprintf(`load_module %[4]s; daemon off; worker_processes auto; pid %[1]s/nginx.pid; error_log stderr error;
events { worker_connections 8192; }
stream { server { listen %[2]s; proxy_pass %[3]s; tcp_nodelay on; proxy_timeout 1h; } }`, b.dir, addr, b.agent, relayModule()))
}

func (b *bench) nginx(r *running, conf string) (*running, error) {
	file := filepath.Join(b.dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		return nil, err
	}
	return b.launch(r, "nginx", "-c", file, "-p", b.dir, "-e", "stderr")
}

func startTap(b *bench) (*running, error) {
	r := &running{report: filepath.Join(b.dir, "report.jsonl")}
	out, err := os.Create(r.report)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	argv := []string{b.tool, "proxy", "http://" + b.agent, "--listen", "127.0.0.1:0", "--headless", "--format", "jsonl", "--fail-on", "never", "--lang", "en"}
	if b.profile != "" {
		argv = append([]string{b.self, "profiled", b.profile}, argv[1:]...)
	}
	r.cmd = exec.Command(argv[0], argv[1:]...)
	r.cmd.Stdout = out
	r.cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+b.dir)
	stderr, err := r.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	said := bufio.NewReader(stderr)
	first, _ := said.ReadString('\n')
	_, rest, ok := strings.Cut(first, "client at http://")
	if !ok {
		r.stop()
		return nil, fmt.Errorf("a2ascope says %q", first)
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	r.http = strings.Fields(rest)[0]
	r.h2 = r.http
	// The card first, as a client would: it is known which versions are served.
	resp, err := http.Get("http://" + r.http + "/.well-known/agent-card.json")
	if err != nil {
		return nil, err
	}
	return r, resp.Body.Close()
}

// recorded ends a2ascope and checks its report: as many calls and events as
// were sent, nothing lost, nothing cut, no error found.
func (r *running) recorded(calls, events int) error {
	r.stop()
	f, err := os.Open(r.report)
	if err != nil {
		return err
	}
	defer f.Close()
	var gotCalls, gotEvents int
	d := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for {
		var l struct {
			Type, Kind, Outcome, Severity, Rule string
			Complete                            bool
			Gaps, Exchange                      int
			Events                              *int
		}
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		switch {
		case l.Type == "finding" && l.Severity == "error":
			return fmt.Errorf("it finds %s in exchange %d", l.Rule, l.Exchange)
		case l.Type == "exchange" && l.Kind == "call":
			gotCalls++
			if !l.Complete || l.Gaps > 0 || l.Outcome != "ok" {
				return fmt.Errorf("exchange %d is recorded as %s, complete %v, %d gaps", l.Exchange, l.Outcome, l.Complete, l.Gaps)
			}
			if l.Events != nil {
				gotEvents += *l.Events
			}
		}
	}
	if gotCalls != calls || gotEvents != events {
		return fmt.Errorf("it recorded %d calls and %d events of %d and %d", gotCalls, gotEvents, calls, events)
	}
	return nil
}

// serveReverse is httputil.ReverseProxy as it has to be set up for streams:
// without EnableFullDuplex it cuts some of them.
func serveReverse(addr, agent string) {
	u, err := url.Parse("http://" + agent)
	if err != nil {
		log.Fatal(err)
	}
	h1, h2 := new(http.Protocols), new(http.Protocols)
	h1.SetHTTP1(true)
	h2.SetUnencryptedHTTP2(true)
	both := byProtocol{
		h1: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true, Protocols: h1},
		h2: &http.Transport{DisableCompression: true, Protocols: h2},
	}
	rp := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) }, FlushInterval: -1, Transport: both}
	s := &http.Server{Addr: addr, Protocols: new(http.Protocols), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 {
			_ = http.NewResponseController(w).EnableFullDuplex()
		}
		rp.ServeHTTP(w, r)
	}), ErrorLog: log.New(io.Discard, "", 0)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	log.Fatal(s.ListenAndServe())
}

type byProtocol struct{ h1, h2 *http.Transport }

func (b byProtocol) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.ProtoMajor == 2 {
		return b.h2.RoundTrip(r)
	}
	return b.h1.RoundTrip(r)
}
