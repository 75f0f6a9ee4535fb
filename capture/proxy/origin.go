package proxy

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Origin is where an interface of an agent lives.
type Origin struct {
	Scheme string // "http", "https"; "" for gRPC's bare host:port, where the client alone decides about TLS
	Host   string // host:port, lower case, the port always there
}

func (o Origin) String() string {
	if o.Scheme == "" {
		return o.Host
	}
	return o.Scheme + "://" + o.Authority()
}

// Authority is what a client of the origin writes into Host or :authority.
func (o Origin) Authority() string {
	if p := defaultPort(o.Scheme); p != "" {
		if h, ok := strings.CutSuffix(o.Host, ":"+p); ok {
			return h
		}
	}
	return o.Host
}

// Name is the host without port and brackets.
func (o Origin) Name() string {
	h, _, err := net.SplitHostPort(o.Host)
	if err != nil {
		return o.Host
	}
	return h
}

func defaultPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// address is a URL of a card, cut where the tap may change it. What is before
// and behind host stays as it is spelled.
type address struct {
	before string // "http://", "", "dns:///", with user information
	scheme string // "http", "https", ""
	host   string // as spelled
	behind string // path, query, fragment
	origin Origin
}

// schemes of the addresses of agents, and what a client speaks behind them.
// A gRPC target has no word for TLS: the client decides.
var schemes = []struct{ prefix, scheme string }{
	{"http://", "http"},
	{"https://", "https"},
	{"ws://", "http"},
	{"wss://", "https"},
	{"dns:///", ""},
	{"passthrough:///", ""},
	{"grpc://", ""},
	{"grpcs://", ""},
}

// cutAddress cuts an absolute URL or a bare host:port; ok is false for
// everything else (a path alone, a name without port, another scheme).
func cutAddress(s string) (a address, ok bool) {
	rest := s
	for _, k := range schemes {
		if len(s) > len(k.prefix) && strings.EqualFold(s[:len(k.prefix)], k.prefix) {
			a.before, a.scheme, rest = s[:len(k.prefix)], k.scheme, s[len(k.prefix):]
			break
		}
	}
	if a.before == "" && strings.Contains(s, "://") {
		return a, false
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	a.host, a.behind = rest[:end], rest[end:]
	if at := strings.LastIndexByte(a.host, '@'); at >= 0 && a.before != "" {
		a.before, a.host = a.before+a.host[:at+1], a.host[at+1:]
	}
	a.origin, ok = originOf(a.scheme, a.host)
	return a, ok
}

// originOf names the origin of a host as it stands in a URL.
func originOf(scheme, host string) (Origin, bool) {
	name, port := host, ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		name, port = host[:i], host[i+1:]
	}
	if port == "" {
		port = defaultPort(scheme)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || len(port) > 5 {
		return Origin{}, false
	}
	bare := name
	if strings.HasPrefix(name, "[") {
		if !strings.HasSuffix(name, "]") {
			return Origin{}, false
		}
		bare = name[1 : len(name)-1]
		if ip, err := netip.ParseAddr(bare); err != nil || !ip.Is6() {
			return Origin{}, false
		}
	} else if !isHostName(name) {
		return Origin{}, false
	}
	return Origin{Scheme: scheme, Host: net.JoinHostPort(strings.ToLower(bare), strconv.FormatUint(n, 10))}, true
}

// isHostName is generous: what a resolver takes. Templates such as {host} are none.
func isHostName(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if c >= 0x80 || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_' {
			continue
		}
		return false
	}
	return true
}

// ParseTarget reads the address given on the command line: a URL, or host:port
// for a plain-text agent.
func ParseTarget(s string) (Origin, error) {
	if a, ok := cutAddress(s); ok {
		if a.scheme == "" && a.before == "" {
			a.origin.Scheme = "http"
		}
		return a.origin, nil
	}
	return Origin{}, &TargetError{s}
}

// ParseOrigin reads an origin as a card names it: https://agent.example:8443,
// or host:port for gRPC, where the client decides about TLS.
func ParseOrigin(s string) (Origin, error) {
	a, ok := cutAddress(s)
	if !ok || strings.TrimSuffix(a.behind, "/") != "" {
		return Origin{}, &OriginError{s}
	}
	return a.origin, nil
}

// OriginError says that an address is no origin.
type OriginError struct{ Origin string }

func (e *OriginError) Error() string {
	return strconv.Quote(e.Origin) + " is no origin; write it without a path, as https://agent.example:8443, or as host:port for gRPC"
}

// TargetError says that an address is none.
type TargetError struct{ Target string }

func (e *TargetError) Error() string {
	return strconv.Quote(e.Target) + " is no address of an agent; write it as http://localhost:9999 or https://agent.example.com"
}
