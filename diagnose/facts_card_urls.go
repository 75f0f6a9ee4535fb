package diagnose

import (
	"net/netip"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
)

// CardURLFacts is what stands out in the addresses of the card of this
// exchange; each group tells of the first entry it is true of.
type CardURLFacts struct {
	Odd      string `cel:"odd"` // an url that cannot be called as it stands: empty, relative, card, route
	OddURL   string `cel:"odd_url"`
	OddBase  string `cel:"odd_base"` // what is left of it without the card's path or the route
	OddAt    string `cel:"odd_at"`
	Hidden   string `cel:"hidden"` // an url that only the server's own machine or network knows: bind, loopback, private
	HideURL  string `cel:"hidden_url"`
	HideHost string `cel:"hidden_host"`
	HideAt   string `cel:"hidden_at"`
	HideFix  string `cel:"hidden_fix"` // the same path at the host the card came from
	Host     string `cel:"host"`       // the card was fetched from, with the port
	Plain    string `cel:"plain_url"`  // an http:// url of the host that the card came from over https
	Secure   string `cel:"secure_url"`
	PlainAt  string `cel:"plain_at"`
	GRPC     string `cel:"grpc_url"` // an url of a GRPC entry that has a path
	GRPCPath string `cel:"grpc_path"`
	GRPCHost string `cel:"grpc_host"` // host:port of it
	GRPCAt   string `cel:"grpc_at"`
}

// fillCardURLs looks at the url of each entry.
func fillCardURLs(f *CardURLFacts, a *decode.AgentCard, x *capture.Exchange) {
	fetched, secure := fetchedFrom(x)
	if x.Request != nil {
		f.Host = x.Request.Authority
	}
	for i := range a.Interfaces {
		e := &a.Interfaces[i]
		if customBinding(e.Binding) {
			continue // a binding of its own has addresses of its own (1.0 §5.8)
		}
		at := string(urlPlace(e))
		b := bindingWord(e.Binding)
		if f.Odd == "" {
			if what, base := oddURL(a, e, b); what != "" {
				f.Odd, f.OddURL, f.OddBase, f.OddAt = what, e.URL, base, at
			}
		}
		u := parseAddress(e.URL)
		host := urlHost(e.URL)
		if b == "GRPC" && f.GRPC == "" && u.path != "" && u.authority != "" {
			f.GRPC, f.GRPCPath, f.GRPCAt = e.URL, u.path, at
			if f.GRPCHost = u.authority; !strings.Contains(strings.TrimPrefix(u.authority, "["), ":") {
				f.GRPCHost += ":443"
			}
		}
		if host == "" || x.Request == nil {
			continue
		}
		if c := hostClass(host); f.Hidden == "" && fetched != "" && c < hostClass(fetched) && !onThisMachine(x) {
			f.Hidden, f.HideURL, f.HideHost, f.HideAt = [...]string{"bind", "loopback", "private", ""}[c], e.URL, host, at
			f.HideFix = firstOf(x.Request.Scheme, "https") + "://" + x.Request.Authority + firstOf(u.path, "/")
			if b == "GRPC" {
				f.HideFix = x.Request.Authority
			}
		}
		if secure && f.Plain == "" && u.scheme == "http" && strings.EqualFold(host, fetched) && samePort(e.URL, x.Request.Authority) {
			f.Plain, f.Secure, f.PlainAt = e.URL, "https"+e.URL[len("http"):], at
		}
	}
}

// urlPlace is where the url of an entry stands: the entry of the old vocabulary's main url is the url itself.
func urlPlace(e *decode.Interface) decode.Place {
	if e.From == "url" {
		return e.At
	}
	return e.At.Below("/url")
}

func customBinding(b string) bool { return strings.Contains(b, "://") || strings.HasPrefix(b, "urn:") }

// oddURL tells what makes an url no address to call, and what it may have been meant to be.
func oddURL(a *decode.AgentCard, e *decode.Interface, binding string) (what, base string) {
	if e.URL == "" {
		// An entry without the member is incomplete, which is another matter.
		if e.From == "url" || a.Node.Pointer(memberPointer(a.At, urlPlace(e))).IsString() {
			return "empty", ""
		}
		return "", ""
	}
	u := parseAddress(e.URL)
	if u.authority == "" || u.scheme == "" && binding != "GRPC" {
		return "relative", ""
	}
	if i := strings.Index(e.URL, "/.well-known/"); i >= 0 {
		return "card", e.URL[:i]
	}
	if binding == "GRPC" {
		return "", ""
	}
	for _, route := range [...]string{"/message:send", "/message:stream", "/message/send", "/message/stream", "/agent.json", "/agent-card.json"} {
		if strings.HasSuffix(u.path, route) {
			if what = "route"; strings.HasSuffix(route, ".json") {
				what = "card"
			}
			return what, strings.TrimSuffix(strings.TrimRight(e.URL, "/"), route)
		}
	}
	if binding == "HTTP+JSON" && strings.HasSuffix(u.path, "/tasks") {
		return "route", strings.TrimSuffix(strings.TrimRight(e.URL, "/"), "/tasks")
	}
	return "", ""
}

// memberPointer cuts the pointer of a place down to what stands below another place.
func memberPointer(at, place decode.Place) string {
	_, all, _ := strings.Cut(string(place), "#")
	_, base, _ := strings.Cut(string(at), "#")
	return strings.TrimPrefix(all, base)
}

// fetchedFrom is the host a card was fetched from, and whether over TLS as the client saw it.
func fetchedFrom(x *capture.Exchange) (host string, secure bool) {
	r := x.Request
	if r == nil {
		return "", false
	}
	proto, _, _ := strings.Cut(r.Fields.Get("x-forwarded-proto"), ",")
	return hostOnly(r.Authority), r.Scheme == "https" || strings.EqualFold(strings.TrimSpace(proto), "https")
}

// onThisMachine: the connection went over the loopback, so that every name of this machine works for the client too.
func onThisMachine(x *capture.Exchange) bool {
	return x.Link != nil && x.Link.Server.IsValid() && x.Link.Server.Addr().Unmap().IsLoopback()
}

// urlHost is the host of an url, without the port, "" when it has none.
func urlHost(raw string) string {
	rest := strings.TrimSpace(raw)
	if i := strings.Index(rest, "://"); i >= 0 {
		rest = strings.TrimPrefix(rest[i+3:], "/")
	} else if strings.HasPrefix(rest, "/") {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	return hostOnly(rest)
}

// hostOnly drops the port and the brackets of an IPv6 address.
func hostOnly(authority string) string {
	if h, ok := strings.CutPrefix(authority, "["); ok {
		h, _, _ = strings.Cut(h, "]")
		return h
	}
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && strings.IndexByte(authority, ':') == i {
		return authority[:i]
	}
	return authority
}

// samePort: the url names no port, or the one the card was fetched from, or the default one.
func samePort(raw, fetched string) bool {
	p := portOf(parseAddress(raw).authority)
	return p == "" || p == portOf(normalAuthority(fetched))
}

func portOf(authority string) string {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || openBracket(authority[:i]) {
		return ""
	}
	return authority[i+1:]
}

// Classes of hosts, by who can reach them.
const (
	hostAny     = iota // 0.0.0.0, [::]: an address to listen at, not to call
	hostSelf           // loopback
	hostPrivate        // a name or address of an inner network
	hostPublic
)

func hostClass(host string) int {
	if a, err := netip.ParseAddr(host); err == nil {
		a = a.Unmap()
		switch {
		case a.IsUnspecified():
			return hostAny
		case a.IsLoopback():
			return hostSelf
		case a.IsPrivate() || a.IsLinkLocalUnicast():
			return hostPrivate
		}
		return hostPublic
	}
	h := strings.TrimSuffix(lower(host), ".")
	switch {
	case h == "localhost" || strings.HasSuffix(h, ".localhost"):
		return hostSelf
	case !strings.Contains(h, "."):
		return hostPrivate
	}
	for _, end := range [...]string{".local", ".internal", ".svc", ".lan", ".home.arpa", ".intranet"} {
		if strings.HasSuffix(h, end) {
			return hostPrivate
		}
	}
	return hostPublic
}
