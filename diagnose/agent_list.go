package diagnose

import (
	"cmp"
	"slices"

	"a2ascope/decode/spec"
)

// agents lists what was learnt of each agent, in the order in which they were
// first met. An authority that only another agent's card names is a part of
// that agent.
func (m *memory) agents() []*AgentInfo {
	var list []*AgentInfo
	for _, o := range m.origins.all() {
		if o.home != "" && o.home != o.authority && m.origins.items[o.home] != nil {
			continue
		}
		if len(o.cards) == 0 && !o.a2a {
			continue
		}
		list = append(list, m.agentInfo(o))
	}
	slices.SortFunc(list, func(a, b *AgentInfo) int { return cmp.Compare(a.First, b.First) })
	return list
}

func (m *memory) agentInfo(o *origin) *AgentInfo {
	a := &AgentInfo{Authority: o.authority, First: o.first}
	shown := map[peerKey]bool{}
	if k := newestPublic(o); k != nil {
		a.Card, a.CardFrom, a.CardAt = k.card, k.exchange, k.at
		for i := range k.groups {
			g := &k.groups[i]
			key := peerKey{g.address.authority, g.address.path, g.binding}
			for _, v := range orNone(g.versions) {
				info := InterfaceInfo{URL: g.url, Binding: spec.Binding(g.binding), Declared: v}
				info.fill(m.peers.items[key])
				a.Interfaces = append(a.Interfaces, info)
			}
			shown[key] = true
		}
	}
	a.add(m, o, shown)
	for _, x := range m.origins.all() {
		if x.home == o.authority && x != o {
			a.add(m, x, shown)
		}
	}
	return a
}

// add adds the addresses of an authority that no card names, and its counts.
func (a *AgentInfo) add(m *memory, o *origin, shown map[peerKey]bool) {
	a.Calls += o.calls
	a.Failures += o.failures
	for _, key := range o.peers {
		x := m.peers.items[key]
		if x == nil || shown[key] || x.value.calls == 0 {
			continue
		}
		shown[key] = true
		info := InterfaceInfo{URL: key.authority + key.base, Binding: spec.Binding(key.binding)}
		info.fill(x)
		a.Interfaces = append(a.Interfaces, info)
	}
}

func (i *InterfaceInfo) fill(x *slot[peerKey, peer]) {
	i.Answered = map[spec.Version]int{}
	if x == nil {
		return
	}
	p := &x.value
	i.Calls, i.Failed = p.calls, p.failed
	for n, count := range p.answered {
		if count > 0 {
			i.Answered[histogramVersions[n]] = count
		}
	}
}

// newestPublic is the newest card that is no extended one.
func newestPublic(o *origin) *card {
	var found *card
	for _, k := range o.cards {
		if k.authority == o.authority && (!k.card.Extended || found == nil) {
			found = k
		}
	}
	return found
}

func orNone(versions []string) []string {
	if len(versions) == 0 {
		return []string{""}
	}
	return versions
}
