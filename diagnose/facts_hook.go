package diagnose

import (
	"net/netip"
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// HookFacts is the webhook url in a request, as an agent that guards itself
// against calling into its own network looks at it (1.0 §13.2, 0.3 §10.2).
type HookFacts struct {
	Unsafe []string `cel:"unsafe"` // what speaks against it: plain (http), loopback, private, link-local, unspecified, credentials (in the url)
	Host   string   `cel:"host"`   // host of the url, without port
	URL    string   `cel:"url"`    // the url without the credentials in it
	Near   bool     `cel:"near"`   // the agent itself is called inside such a network: a webhook there is no exposure
	Says   bool     `cel:"says"`   // the refusal speaks of a url, an address or a host
}

func fillHook(f *HookFacts, c *decode.Call) {
	if c.Kind != spec.KindCall || c.Push == nil || c.Push.URL == "" {
		return
	}
	raw := cut(c.Push.URL)
	f.URL = raw
	rest := raw
	if i := strings.Index(raw, "://"); i >= 0 {
		rest = raw[i+3:]
		if strings.EqualFold(raw[:i], "http") {
			f.Unsafe = append(f.Unsafe, "plain")
		}
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host := rest[:end]
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		f.URL = raw[:len(raw)-len(rest)] + rest[i+1:]
		host = host[i+1:]
		f.Unsafe = append(f.Unsafe, "credentials")
	}
	f.Host = hostName(host)
	if inside := network(f.Host); inside != "" {
		f.Unsafe = append(f.Unsafe, inside)
	}
	if len(f.Unsafe) == 0 {
		return
	}
	x := c.Exchange
	if x.Request != nil && network(hostName(x.Request.Authority)) != "" {
		f.Near = true
	} else if x.Link != nil && x.Link.Server.IsValid() {
		f.Near = networkOf(x.Link.Server.Addr()) != ""
	}
	if c.Fault != nil {
		m := lower(c.Fault.Message)
		for _, w := range [...]string{"url", "uri", "webhook", "address", "host", "https", "private", "loopback", "ssrf"} {
			f.Says = f.Says || strings.Contains(m, w)
		}
	}
}

// hostName is the host of host[:port], without the brackets of IPv6.
func hostName(authority string) string {
	h := authority
	if i := strings.LastIndexByte(h, ':'); i >= 0 && !openBracket(h[:i]) {
		h = h[:i]
	}
	return strings.TrimSuffix(strings.TrimPrefix(h, "["), "]")
}

// network names the network that a host lies in when it is not the public one:
// by its address, or by a name that only such networks have (RFC 6761, RFC 8375).
func network(host string) string {
	h := strings.TrimSuffix(lower(host), ".")
	if h == "localhost" || strings.HasSuffix(h, ".localhost") {
		return "loopback"
	}
	for _, end := range [...]string{".internal", ".local", ".home.arpa", ".lan"} {
		if strings.HasSuffix(h, end) {
			return "private"
		}
	}
	if a, err := netip.ParseAddr(h); err == nil {
		return networkOf(a)
	}
	return ""
}

func networkOf(a netip.Addr) string {
	switch a = a.Unmap(); {
	case a.IsLoopback():
		return "loopback"
	case a.IsPrivate():
		return "private"
	case a.IsLinkLocalUnicast():
		return "link-local"
	case a.IsUnspecified():
		return "unspecified"
	}
	return ""
}
