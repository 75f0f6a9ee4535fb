package decode

import (
	"strings"

	"a2ascope/capture"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// wellKnownCard reports whether a path is one of the two that cards are published
// under: agent-card.json since 0.3 (1.0 §8.2), agent.json before.
func wellKnownCard(path string) bool {
	return strings.HasSuffix(path, "/.well-known/agent-card.json") || strings.HasSuffix(path, "/.well-known/agent.json")
}

// cardRequest reads a GET of a public card.
func (r *Reader) cardRequest(h *capture.Head) bool {
	c := r.c
	path := h.Path()
	switch {
	case wellKnownCard(path):
		c.identify("request/line", path, spec.A2A, Decisive, "card-path")
	case path == "/agent.json" || path == "/agent-card.json":
		c.identify("request/line", path, spec.A2A, Weak, "card-path")
		c.Tentative, c.Fallback = true, spec.HTTPOther
	default:
		return false
	}
	c.Kind, c.Protocol, c.Operation = spec.KindCard, spec.A2A, spec.GetAgentCard
	c.Method = h.Method + " " + path
	return true
}

// looksLikeCard scores an object: three of the members that cards have, and one
// that says where the agent is.
func looksLikeCard(n jsontree.Node) bool {
	var score, where, own int
	for c := range n.Children() {
		switch string(c.KeyText()) {
		case "skills", "defaultInputModes", "defaultOutputModes":
			if c.IsArray() {
				score++
			}
		case "capabilities":
			if c.IsObject() {
				score++
			}
		case "name", "description", "version":
			own++
		case "supportedInterfaces", "url", "additionalInterfaces", "preferredTransport":
			where++
		}
	}
	if own == 3 {
		score++
	}
	return score >= 3 && where > 0
}

// readCard reads an agent card in whichever vocabulary it is written.
func (r *Reader) readCard(n jsontree.Node, at Place, extended bool) {
	card := &AgentCard{Extended: extended, Node: n, At: at}
	var interfaces, url, additional, preferred, protocol, auth jsontree.Node
	for c := range n.Children() {
		switch string(c.KeyText()) {
		case "name":
			card.Name = c.Str()
		case "version":
			card.Version = c.Str()
		case "protocolVersion":
			protocol = c
		case "preferredTransport":
			preferred = c
		case "url":
			url = c
		case "additionalInterfaces":
			additional = c
		case "supportedInterfaces":
			interfaces = c
		case "authentication":
			auth = c
		case "capabilities":
			readCapabilities(card, c)
		case "supportsAuthenticatedExtendedCard", "supportsExtendedAgentCard":
			if card.ExtCard == FlagAbsent {
				card.ExtCard = flagOf(c)
			}
		case "security", "securityRequirements":
			card.Secured = card.Secured || c.Len() > 0
		case "securitySchemes":
			for s := range c.Children() {
				card.Schemes = append(card.Schemes, s.Key())
			}
		case "signatures":
			card.Signatures = c.Len()
		}
	}
	card.Protocol, card.Preferred = protocol.Str(), preferred.Str()
	card.Vocabulary = vocabulary(interfaces, url, additional, preferred, protocol, auth)
	readInterfaces(card, at, interfaces, url, additional)
	r.c.AgentCard = card
	switch card.Vocabulary {
	case "1.0":
		r.resp.addAs(evCard10, at, interfaces, "supportedInterfaces")
	case "0.3":
		r.resp.addAt(evCard03, at.Below("/protocolVersion"), card.Protocol)
	case "blended":
		r.resp.addAs(evCard10, at, interfaces, "supportedInterfaces")
		r.resp.addAt(evCard03, at.Below("/url"), "url")
	case "0.2":
		r.resp.addAt(evCard02, at.Below("/protocolVersion"), card.Protocol)
	case "0.1":
		r.resp.addAs(evCard01, at, auth, "authentication")
	}
}

func vocabulary(interfaces, url, additional, preferred, protocol, auth jsontree.Node) string {
	old := url.Exists() || additional.Exists() || preferred.Exists() || protocol.Exists()
	switch {
	case interfaces.Exists() && old:
		return "blended"
	case interfaces.Exists():
		return "1.0"
	case !protocol.Exists() && auth.IsObject():
		return "0.1"
	case !protocol.Exists() && (preferred.Exists() || additional.Exists()):
		return "0.3"
	case !protocol.Exists() && url.Exists(), strings.HasPrefix(protocol.Str(), "0.2"):
		return "0.2"
	case old:
		return "0.3"
	}
	return ""
}

func readCapabilities(card *AgentCard, n jsontree.Node) {
	for c := range n.Children() {
		switch string(c.KeyText()) {
		case "streaming":
			card.Streaming = flagOf(c)
		case "pushNotifications":
			card.PushNotes = flagOf(c)
		case "extendedAgentCard":
			card.ExtCard = flagOf(c)
		case "extensions":
			for e := range c.Children() {
				if len(card.Extensions) == maxParts {
					break
				}
				card.Extensions = append(card.Extensions, Extension{URI: e.Get("uri").Str(), Required: e.Get("required").Bool()})
			}
		}
	}
}

func flagOf(n jsontree.Node) Flag {
	if n.Kind() != jsontree.Bool {
		return FlagAbsent
	}
	if n.Bool() {
		return FlagTrue
	}
	return FlagFalse
}

// maxInterfaces bounds the entries read from one card; real ones have under ten.
const maxInterfaces = 64

// readInterfaces lists the entries of both vocabularies, each with its own
// version: that of the entry in 1.0, that of the card in 0.3, where the main
// url speaks preferredTransport, JSONRPC when that is missing (0.3 §5.5.5).
func readInterfaces(card *AgentCard, at Place, interfaces, url, additional jsontree.Node) {
	i := 0
	for e := range interfaces.Children() {
		if i == maxInterfaces {
			break
		}
		raw := e.Get("protocolVersion").Str()
		card.Interfaces = append(card.Interfaces, Interface{
			URL: e.Get("url").Str(), Binding: firstOf(e.Get("protocolBinding").Str(), e.Get("transport").Str()),
			Version: string(versionOf(raw)), RawVer: raw, Tenant: e.Get("tenant").Str(),
			From: "supportedInterfaces", At: at.Below("/supportedInterfaces/" + itoa(i)),
		})
		i++
	}
	old := string(versionOf(card.Protocol))
	main := Interface{URL: url.Str(), Binding: firstOf(card.Preferred, string(spec.JSONRPC)),
		Version: old, RawVer: card.Protocol, From: "url", At: at.Below("/url")}
	if url.IsString() {
		card.Interfaces = append(card.Interfaces, main)
	}
	i = 0
	for e := range additional.Children() {
		if i == maxInterfaces {
			break
		}
		entry := Interface{URL: e.Get("url").Str(), Binding: e.Get("transport").Str(), Version: old, RawVer: card.Protocol,
			From: "additionalInterfaces", At: at.Below("/additionalInterfaces/" + itoa(i))}
		i++
		card.Interfaces = append(card.Interfaces, entry)
	}
}
