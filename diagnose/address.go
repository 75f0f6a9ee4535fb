package diagnose

import (
	"strings"

	"a2ascope/capture"
)

// address is a url cut into what two urls are compared by.
type address struct {
	scheme    string // lower case, "" when the url has none (host:port of a gRPC entry)
	authority string // lower case, default port dropped, every loopback name "localhost"
	path      string // without query and trailing "/"; "" for the root
}

// parseAddress reads an interface or webhook url. It never fails: what is no
// url has an empty authority.
func parseAddress(raw string) address {
	var a address
	rest := strings.TrimSpace(raw)
	if i := strings.Index(rest, "://"); i >= 0 {
		a.scheme, rest = strings.ToLower(rest[:i]), rest[i+3:]
		if a.scheme == "dns" { // dns:///host:port, a gRPC target
			rest = strings.TrimPrefix(rest, "/")
		}
	} else if strings.HasPrefix(rest, "/") {
		a.path = trimPath(rest)
		return a
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host := rest[:end]
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	a.authority = normalAuthority(host)
	a.path = trimPath(rest[end:])
	return a
}

// trimPath drops the query and the trailing slash.
func trimPath(p string) string {
	if i := strings.IndexAny(p, "?#"); i >= 0 {
		p = p[:i]
	}
	return strings.TrimRight(p, "/")
}

// normalAuthority makes host[:port] comparable. Default ports are dropped
// whatever the scheme: a card behind a TLS proxy often names the wrong one.
func normalAuthority(host string) string {
	host = lower(host)
	if h, ok := strings.CutSuffix(host, ":80"); ok && !openBracket(h) {
		host = h
	} else if h, ok := strings.CutSuffix(host, ":443"); ok && !openBracket(h) {
		host = h
	}
	name, port := host, ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !openBracket(host[:i]) {
		name, port = host[:i], host[i:]
	}
	if loopback(name) {
		return "localhost" + port
	}
	return host
}

// openBracket reports whether s stops inside an IPv6 literal.
func openBracket(s string) bool {
	return strings.HasPrefix(s, "[") && !strings.HasSuffix(s, "]")
}

func loopback(name string) bool {
	switch name {
	case "localhost", "[::1]", "::1", "127.0.0.1":
		return true
	}
	return strings.HasPrefix(name, "127.") && strings.Count(name, ".") == 3
}

// lower is strings.ToLower without work where nothing is upper case.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'A' && c <= 'Z' || c >= 0x80 {
			return strings.ToLower(s)
		}
	}
	return s
}

// authorityOf returns the comparable authority an exchange was sent to.
func authorityOf(x *capture.Exchange) string {
	if x.Request != nil && x.Request.Authority != "" {
		return normalAuthority(x.Request.Authority)
	}
	if l := x.Link; l != nil {
		if l.Server.IsValid() {
			return normalAuthority(l.Server.String())
		}
		return normalAuthority(l.ServerName)
	}
	return ""
}

// below reports whether path lies under base, segment by segment, and what is left.
func below(path, base string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, base)
	if !ok || rest != "" && rest[0] != '/' && base != "" {
		return "", false
	}
	return rest, true
}

// bindingWord reads the binding of a card entry, also in the spellings that
// cards get wrong (a rule of its own speaks of those).
func bindingWord(s string) string {
	switch s {
	case "JSONRPC", "HTTP+JSON", "GRPC":
		return s
	}
	switch strings.NewReplacer("-", "", "_", "", " ", "", "+", "").Replace(strings.ToUpper(s)) {
	case "JSONRPC", "JSONRPC2.0", "JSONRPC20":
		return "JSONRPC"
	case "GRPC":
		return "GRPC"
	case "HTTPJSON", "REST", "HTTP", "HTTPREST", "RESTJSON":
		return "HTTP+JSON"
	}
	return s
}
