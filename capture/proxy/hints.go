package proxy

import (
	"errors"
	"io"
	"maps"
	"net"
	"runtime"
	"slices"
	"strings"
	"time"
)

// HintCode names a hint.
type HintCode string

// The hints.
const (
	HintDistrust       HintCode = "client-distrusts" // a client refused our certificate
	HintAgentTLS       HintCode = "agent-tls"        // the agent's certificate, or its TLS, is not accepted
	HintAgentWantsCert HintCode = "agent-wants-cert" // the agent asks for a client certificate
	HintUnreachable    HintCode = "agent-unreachable"
	HintAmbiguous      HintCode = "request-ambiguous" // two readers may cut a request in different ways
	HintTooManyOrigins HintCode = "too-many-origins"
	HintNoAuthority    HintCode = "no-authority"
	HintAccept         HintCode = "accept-failed"
	HintNoTarget       HintCode = "no-target"
	HintExposed        HintCode = "exposed" // the tap listens beyond loopback
)

// Hint is something the user should know. Its text is in hint_text.go.
type Hint struct {
	Code     HintCode
	Host     string
	Client   string // HintDistrust: its User-Agent, "" when unknown
	Stack    string // the client's stack, as far as it is known
	Variable string // HintDistrust: what makes that stack trust us
	File     string // the value of Variable
	Direct   bool   // HintDistrust: it called the tap itself, not an agent through a tunnel
	Detail   string // the error, or what was seen
	Count    int
	First    time.Time
}

// maxHints bounds the list; each is one of a kind.
const maxHints = 64

func (p *Proxy) raise(h Hint) {
	p.mu.Lock()
	defer p.unlock()
	p.raiseLocked(h)
}

// raiseLocked counts a hint, and tells of it the first time.
func (p *Proxy) raiseLocked(h Hint) {
	for i := range p.hints {
		if o := &p.hints[i]; o.Code == h.Code && o.Host == h.Host && o.Stack == h.Stack {
			o.Count++
			o.Detail = h.Detail
			return
		}
	}
	if len(p.hints) >= maxHints {
		return
	}
	h.Count, h.First = 1, p.opt.Now()
	p.hints = append(p.hints, h)
	p.tell(Notice{Kind: NoticeHint, Hint: h})
}

// stack is a kind of client and what makes it trust an authority.
type stack struct {
	agent    string // part of its User-Agent
	name     string
	variable string
	bundle   bool // the variable replaces the store: it takes the system's roots as well
}

// stacks is the list of clients, the more special ones first.
var stacks = []stack{
	{"grpc-node", "gRPC for Node", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", true},
	{"grpc-python", "gRPC for Python", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", true},
	{"grpc-c", "gRPC core", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", true},
	{"grpc-go", "gRPC for Go", "SSL_CERT_FILE", true},
	{"grpc-java", "gRPC for Java", "JAVA_TOOL_OPTIONS", false},
	{"curl/", "curl", "CURL_CA_BUNDLE", true},
	{"python-requests", "Python requests", "REQUESTS_CA_BUNDLE", true},
	{"python-httpx", "Python httpx", "SSL_CERT_FILE", true},
	{"python-urllib", "Python urllib", "SSL_CERT_FILE", true},
	{"aiohttp", "Python aiohttp", "SSL_CERT_FILE", true},
	{"go-http-client", "Go", "SSL_CERT_FILE", true},
	{"undici", "Node", "NODE_EXTRA_CA_CERTS", false},
	{"node", "Node", "NODE_EXTRA_CA_CERTS", false},
	{"java", "Java", "JAVA_TOOL_OPTIONS", false},
	{".net", ".NET", "SSL_CERT_FILE", true},
}

// stackOf tells a client by what it says of itself and, failing that, by how it
// hangs up: Go sends an alert that can be read, OpenSSL one that cannot, the
// others say nothing.
func stackOf(agent string, err error) stack {
	low := strings.ToLower(agent)
	for _, s := range stacks {
		if low != "" && strings.Contains(low, s.agent) {
			return s
		}
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	switch {
	case strings.Contains(text, "bad certificate"):
		return stack{name: "Go", variable: "SSL_CERT_FILE", bundle: true}
	case strings.Contains(text, "bad record MAC"), strings.Contains(text, "unknown certificate authority"):
		return stack{name: "OpenSSL (curl, Python)", variable: "SSL_CERT_FILE", bundle: true}
	}
	return stack{name: "Node, Java or gRPC", variable: "NODE_EXTRA_CA_CERTS"}
}

// distrustLimit is how many refusals in a row let a host pass untouched.
const distrustLimit = 3

// distrusted tells of a client that refused our certificate, and returns what
// happened in words. Inside a tunnel it is counted: where clients keep refusing,
// their TLS is left alone.
func (p *Proxy) distrusted(host, agent string, err error, tunnel bool) (why string) {
	s := stackOf(agent, err)
	h := Hint{Code: HintDistrust, Host: host, Client: agent, Stack: s.name, Variable: s.variable, Direct: !tunnel, Detail: err.Error()}
	if s.variable == "SSL_CERT_FILE" && strings.HasSuffix(s.name, "Go") && runtime.GOOS != "linux" {
		h.Variable = "" // Go asks the system there
	}
	if a, aerr := p.ca.get(); aerr == nil {
		h.File = a.CertFile()
		if s.bundle && h.Variable != "" {
			h.File = a.BundleFile()
		}
	}
	why = "the client refused the tap's certificate: " + err.Error() + " (most likely " + s.name
	if h.Variable != "" {
		why += ", which trusts what " + h.Variable + " names"
	}
	why += ")"
	p.mu.Lock()
	defer p.unlock()
	if ours(err) {
		why = "TLS with the client failed: " + err.Error()
	} else {
		p.raiseLocked(h)
	}
	if !tunnel {
		return why
	}
	if len(p.distrust) < maxDistrust || p.distrust[host] > 0 {
		p.distrust[host]++
	}
	if p.distrust[host] >= distrustLimit && !p.passing[host] {
		p.passing[host] = true
		p.tell(Notice{Kind: NoticePassing, Host: host})
	}
	return why
}

// ours reports a handshake that failed on our own side, before the client saw a
// certificate: no version, cipher or protocol in common. What the client does is
// a remote error, a record that cannot be read, or silence.
func ours(err error) bool { return strings.HasPrefix(err.Error(), "tls: ") }

// maxDistrust bounds the table of hosts.
const maxDistrust = 1024

// trusted says that a client took our certificate.
func (p *Proxy) trusted(host, agent string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.distrust, host)
	if len(p.took) < maxDistrust {
		p.took[caller{host, agent}] = true
	}
}

// caller is who called what, as far as it is known before TLS.
type caller struct{ host, agent string }

// left reports a handshake that a client which had taken our certificate before
// gave up without a word: it no longer wanted the connection.
func (p *Proxy) left(host, agent string, err error) bool {
	if !errors.Is(err, io.EOF) && !isReset(err) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.took[caller{host, agent}]
}

// passes reports whether the TLS of a host:port is left alone.
func (p *Proxy) passes(host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passing[host] || p.passing[hostOnly(host)]
}

func hostOnly(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
