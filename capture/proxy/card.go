package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"a2ascope/capture"
	"a2ascope/internal/jsontree"
)

// Codes of the notes the tap leaves on an exchange.
const (
	NoteCardRewritten = "card-rewritten" // addresses of the card lead through the tap now
	NoteCardLeft      = "card-left"      // some do not: the client may leave the tap
)

// rewritten is what became of an answer that may be a card.
type rewritten struct {
	body []byte // nil: as it came
	note *capture.Note
}

// places is what a card says about where the agent is, with the replacements.
type places struct {
	edits      []edit
	changed    []string // "old → new"
	left       []string // addresses that lead past the tap, and why
	signatures int
	stripped   bool
}

// mapper gives the tap's address for an agent's; why says that there is none.
type mapper func(old string) (new string, why string)

// rewrite changes the addresses of the card in an answer. It never fails: what
// it does not understand stays as it is, and the note says so.
func (p *Proxy) rewrite(at *listener, q asked, encoding string, body []byte) (r rewritten) {
	defer func() {
		if v := recover(); v != nil {
			p.opt.Log.Error("card rewriting gave up", "path", q.path, "panic", v)
			r = rewritten{note: cardLeft(q, "a fault of a2ascope kept it from being read")}
		}
	}()
	to := func(old string) (string, string) { return p.mapped(at, q, old) }
	if q.card == grpcCard {
		out, got, err := rewriteGRPC(body, encoding, protoTable(q.path), to, p.opt.StripSignatures)
		return p.outcome(q, body, out, got, "", err)
	}
	text, removed, err := decoded(body, encoding)
	if err != nil {
		return p.outcome(q, body, nil, places{}, "", err)
	}
	doc := jsontree.Parse(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	root := doc.Root()
	if q.card == rpcCard {
		if !root.Has("result") {
			return rewritten{} // an error answer
		}
		root = root.Get("result")
	}
	switch {
	case doc.Err != nil && q.card == maybeCard, doc.Err == nil && !isCard(root, q.card):
		return rewritten{}
	case doc.Err != nil:
		return p.outcome(q, body, nil, places{}, "", fmt.Errorf("it is no JSON (%s)", doc.Err))
	}
	got := cardPlaces(root, to, p.opt.StripSignatures)
	var out []byte
	if len(got.edits) > 0 {
		lead := len(text) - len(doc.Text) // a byte order mark
		out = append(append(make([]byte, 0, len(text)+64), text[:lead]...), apply(nil, doc.Text, got.edits)...)
	}
	return p.outcome(q, body, out, got, removed, nil)
}

// outcome puts the note together.
func (p *Proxy) outcome(q asked, body, out []byte, got places, removed string, err error) rewritten {
	if err != nil {
		return rewritten{note: cardLeft(q, err.Error())}
	}
	if out == nil {
		if len(got.left) > 0 {
			return rewritten{note: cardLeft(q, strings.Join(got.left, "; "))}
		}
		return rewritten{}
	}
	var t strings.Builder
	fmt.Fprintf(&t, "the card was rewritten for the client: %s", strings.Join(got.changed, ", "))
	if len(got.changed) == 0 {
		t.Reset()
		t.WriteString("the card was rewritten for the client")
	}
	for _, l := range got.left {
		fmt.Fprintf(&t, "; %s", l)
	}
	switch {
	case got.stripped:
		fmt.Fprintf(&t, "; its %d signatures were taken out", got.signatures)
	case got.signatures > 0:
		fmt.Fprintf(&t, "; its %d signatures do not fit what the client got", got.signatures)
	}
	if removed != "" {
		fmt.Fprintf(&t, "; the client got it without %s", removed)
	}
	for _, e := range q.edits {
		fmt.Fprintf(&t, "; %s", e)
	}
	p.cards.Add(1)
	return rewritten{body: out, note: &capture.Note{Code: NoteCardRewritten, Text: t.String(), Original: body, Delivered: out}}
}

// cardLeft is the note of a card that passed as it came.
func cardLeft(q asked, why string) *capture.Note {
	what := "the card"
	if q.card == rpcCard || q.card == grpcCard {
		what = "the extended card"
	}
	return &capture.Note{Code: NoteCardLeft, Text: what + " was not rewritten, so the client may leave the tap: " + why}
}

// isCard tells a card from other JSON. Where the request asked for a card it
// takes little; where the request only looked like it, it takes the members
// every card has (0.3 section 5.5, 1.0 section 4.4.1).
func isCard(n jsontree.Node, kind cardKind) bool {
	if !n.IsObject() {
		return false
	}
	addresses := n.Get("url").IsString() || n.Get("supportedInterfaces").Kind() == jsontree.Array ||
		n.Get("supported_interfaces").Kind() == jsontree.Array || n.Get("additionalInterfaces").Kind() == jsontree.Array ||
		n.Get("additional_interfaces").Kind() == jsontree.Array
	if kind != maybeCard {
		return addresses
	}
	return addresses && n.Get("name").IsString() && n.Get("skills").Kind() == jsontree.Array
}

// cardPlaces finds the addresses of a card in both vocabularies: 0.3 has url and
// additionalInterfaces, 1.0 supportedInterfaces; a card may hold both. Readers
// of ProtoJSON take the snake_case names too. A member that is there twice is
// changed twice, for readers differ in which one they take.
func cardPlaces(card jsontree.Node, to mapper, strip bool) places {
	var got places
	for m := range card.Children() {
		switch m.Key() {
		case "url":
			got.url(m, to)
		case "supportedInterfaces", "additionalInterfaces", "supported_interfaces", "additional_interfaces":
			if m.Kind() != jsontree.Array {
				continue
			}
			for i := range m.Children() {
				for f := range i.Children() {
					if i.IsObject() && f.Key() == "url" {
						got.url(f, to)
					}
				}
			}
		case "signatures":
			if m.Kind() == jsontree.Array {
				got.signatures += m.Len()
			}
		}
	}
	if strip && got.signatures > 0 {
		got.stripped = true
		got.edits = append(got.edits, stripMembers(card, "signatures")...)
	}
	slices.SortFunc(got.edits, func(a, b edit) int { return a.from - b.from })
	return got
}

// url maps one address.
func (g *places) url(n jsontree.Node, to mapper) {
	if !n.IsString() {
		return
	}
	old := n.Str()
	now, ok := g.address(old, to)
	if !ok {
		return
	}
	from, end := n.Span()
	g.edits = append(g.edits, edit{from, end, quote(now)})
}

// address maps one address and keeps the account.
func (g *places) address(old string, to mapper) (string, bool) {
	now, why := to(old)
	switch {
	case why != "":
		g.left = append(g.left, fmt.Sprintf("%s leads past the tap (%s)", old, why))
		return "", false
	case now == "" || now == old:
		return "", false
	}
	g.changed = append(g.changed, old+" → "+now)
	return now, true
}

func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// stripMembers cuts members of that name out of an object, each with one comma.
func stripMembers(obj jsontree.Node, name string) []edit {
	type member struct{ from, to int }
	var all []member
	var cut []int
	for m := range obj.Children() {
		from, _ := m.KeySpan()
		_, to := m.Span()
		if m.Key() == name {
			cut = append(cut, len(all))
		}
		all = append(all, member{from, to})
	}
	open, closing := obj.Span()
	var edits []edit
	kept := len(all) - len(cut)
	for _, i := range cut {
		from, to := all[i].from, all[i].to
		switch {
		case kept == 0 && i == 0:
			from, to = open+1, closing-1 // nothing is left
			return []edit{{from, to, ""}}
		case i+1 < len(all):
			to = all[i+1].from // with the comma behind it
		default:
			// The last one: with the comma before it, which belongs to the last one that stays.
			for i > 0 && slices.Contains(cut, i-1) {
				i--
			}
			from = all[i-1].to
			for len(edits) > 0 && edits[len(edits)-1].to > from {
				edits = edits[:len(edits)-1]
			}
		}
		edits = append(edits, edit{from, to, ""})
	}
	return edits
}
