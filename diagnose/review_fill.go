package diagnose

import (
	"slices"
	"strings"

	"a2ascope/decode/spec"
)

// Addresses are those of an agent, as far as they are known: what commands that
// call it need. Empty ones are not known.
type Addresses struct {
	Agent   string // scheme and authority
	JSONRPC string
	REST    string
	GRPC    string // as the card has it
}

// addressHoles are the holes of commands.
var addressHoles = []string{"{agent}", "{jsonrpc}", "{rest}", "{grpc}"}

// badHole finds a hole of a command that nothing fills, "" when there is none.
// A brace of JSON is followed by a quotation mark or closed at once.
func badHole(run string) string {
	for rest := run; ; {
		i := strings.IndexByte(rest, '{')
		if i < 0 {
			return ""
		}
		rest = rest[i:]
		end := strings.IndexByte(rest, '}')
		if end > 1 && rest[1] != '"' && !slices.Contains(addressHoles, rest[:end+1]) {
			return rest[1:end]
		}
		rest = rest[1:]
	}
}

// Commands are the commands that make a question seen at an agent. Those for a
// binding that the agent is not known to have are left out, unless that leaves
// none: then they are given with a name to replace.
func (q *Question) Commands(at Addresses) []string {
	fill := func(run string, known bool) (string, bool) {
		for _, h := range []struct{ hole, value, name string }{
			{"{agent}", at.Agent, "AGENT"}, {"{jsonrpc}", at.JSONRPC, "URL"}, {"{rest}", at.REST, "URL"}, {"{grpc}", at.GRPC, "HOST:PORT"},
		} {
			if !strings.Contains(run, h.hole) {
				continue
			}
			v := h.name
			switch {
			case h.value == "" && known:
				return "", false
			case h.value == "":
			case h.hole == "{grpc}":
				v = grpcTarget(h.value)
			default:
				v = h.value
				if h.hole != "{jsonrpc}" { // a path follows
					v = strings.TrimRight(v, "/")
				}
				v = ShellWord(printable(v))
			}
			run = strings.ReplaceAll(run, h.hole, v)
		}
		return run, true
	}
	for _, known := range []bool{true, false} {
		var out []string
		for _, run := range q.Run {
			if c, ok := fill(run, known); ok {
				out = append(out, c)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// grpcTarget is an address as grpcurl takes it: without a scheme, in clear
// unless the address says TLS.
func grpcTarget(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		scheme, rest = "", url
	}
	host, _, _ := strings.Cut(rest, "/")
	if scheme == "https" || scheme == "grpcs" {
		return ShellWord(printable(host))
	}
	return "-plaintext " + ShellWord(printable(host))
}

// ShellWord makes one word of a shell of any text: an address comes from a card
// that anybody may have written, and commands are there to be pasted.
func ShellWord(s string) string {
	plain := s != ""
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_./:=@%+,", c) >= 0) {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	// A NUL ends a command line; nothing in a request that A2A allows has one.
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, "\x00", ""), "'", `'\''`) + "'"
}

// printable leaves control characters out: a line break would end the command.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}

// addresses tells where an agent can be called: by its card, else where it was.
func (m *memory) addresses(agent string, p *pages) Addresses {
	x := m.origins.items[agent]
	if agent == "" || x == nil {
		return Addresses{Agent: httpAddress("", agent)}
	}
	if known := [2]int{m.cards + 1, len(x.value.peers)}; known != p.known {
		p.known, p.at = known, m.look(&x.value)
	}
	return p.at
}

// look reads the addresses off what is known of an agent.
func (m *memory) look(o *origin) Addresses {
	at, scheme := Addresses{}, ""
	for _, declared := range []bool{true, false} {
		for _, i := range m.agentInfo(o).Interfaces {
			if (i.Declared != "") != declared {
				continue
			}
			var to *string
			switch i.Binding {
			case spec.JSONRPC:
				to = &at.JSONRPC
			case spec.HTTPJSON:
				to = &at.REST
			case spec.GRPC:
				to = &at.GRPC
			default:
				continue
			}
			if a := parseAddress(i.URL); a.authority == o.authority && scheme == "" {
				scheme = a.scheme
			}
			// 1.0 is what the commands speak: it goes before what came first.
			if *to == "" || declared && strings.HasPrefix(i.Declared, "1") {
				if *to = i.URL; i.Binding != spec.GRPC && !strings.Contains(i.URL, "://") {
					*to = httpAddress("", i.URL)
				}
			}
		}
	}
	at.Agent = httpAddress(scheme, o.authority)
	return at
}

// httpAddress puts the scheme before an authority.
func httpAddress(scheme, authority string) string {
	switch {
	case authority == "":
		return ""
	case scheme == "https" || scheme == "grpcs":
		return "https://" + authority
	}
	return "http://" + authority
}

// bindings are those that the card of an agent lists.
func (m *memory) bindings(agent string) (out []string) {
	x := m.origins.items[agent]
	if x == nil {
		return nil
	}
	if k := newestPublic(&x.value); k != nil {
		for i := range k.groups {
			out = addOnce(out, k.groups[i].binding)
		}
	}
	return out
}
