package diagnose

import (
	"hash/maphash"
	"math"
	"strconv"

	"a2ascope/decode"
	"a2ascope/internal/jsontree"
)

// cardSum is a signed card in a form that two readings are compared by.
type cardSum struct {
	of         *decode.AgentCard
	content    uint64   // of everything but the signatures, as canonicalised
	signatures []uint64 // of each signature
}

// cardSum works the sums of a card out. Only signed cards are compared.
func (m *memory) cardSum(a *decode.AgentCard) cardSum {
	sum := cardSum{of: a, content: m.canonical(a.Node, "signatures")}
	for s := range a.Node.Get("signatures").Children() {
		if len(sum.signatures) < maxListed {
			sum.signatures = append(sum.signatures, maphash.Bytes(m.salt, s.Raw()))
		}
	}
	return sum
}

// forges reports whether two cards differ although one signature is in both: it can fit only one of them.
func (s cardSum) forges(o cardSum) bool {
	if s.content == o.content {
		return false
	}
	for _, x := range s.signatures {
		for _, y := range o.signatures {
			if x == y {
				return true
			}
		}
	}
	return false
}

// canonical hashes a value so that what canonicalisation evens out makes no
// difference: white space, the order of members, the spelling of numbers and
// escapes, and members with default values (RFC 8785, 1.0 §8.4.1).
func (m *memory) canonical(n jsontree.Node, skip string) uint64 {
	var h maphash.Hash
	h.SetSeed(m.salt)
	switch n.Kind() {
	case jsontree.Object:
		var sum uint64
		for c := range n.Children() {
			if key := c.Key(); key != skip && !defaultValue(c) {
				sum += hashString(m.salt, key+"\x00"+strconv.FormatUint(m.canonical(c, ""), 16))
			}
		}
		h.WriteString("{" + strconv.FormatUint(sum, 16))
	case jsontree.Array:
		h.WriteByte('[')
		for c := range n.Children() {
			h.WriteString(strconv.FormatUint(m.canonical(c, ""), 16))
			h.WriteByte(',')
		}
	case jsontree.String:
		h.WriteString(`"` + n.Str())
	case jsontree.Number:
		if v, err := strconv.ParseFloat(string(n.Raw()), 64); err == nil {
			h.WriteString("#" + strconv.FormatUint(math.Float64bits(v), 16))
			break
		}
		h.Write(n.Raw())
	default:
		h.Write(n.Raw())
	}
	return h.Sum64()
}

// differing names the members of two cards that are not the same.
func differing(m *memory, a, b *decode.AgentCard) []string {
	var names []string
	for c := range a.Node.Children() {
		key := c.Key()
		if key == "signatures" || len(names) >= maxListed {
			continue
		}
		o := b.Node.Get(key)
		if defaultValue(c) && (!o.Exists() || defaultValue(o)) {
			continue
		}
		if !o.Exists() || m.canonical(c, "") != m.canonical(o, "") {
			names = addOnce(names, cut(key))
		}
	}
	for c := range b.Node.Children() {
		if key := c.Key(); key != "signatures" && len(names) < maxListed && !defaultValue(c) && !a.Node.Has(key) {
			names = addOnce(names, cut(key))
		}
	}
	return names
}
