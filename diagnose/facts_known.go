package diagnose

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// facts fills what a condition sees of a call at a checkpoint. The call must
// have gone through resolve.
func (m *memory) facts(c *decode.Call, at decode.Checkpoint, into *Facts) {
	into.reset()
	s := m.see(c)
	s.sum.take(c)
	into.fillCall(c, &s.sum)
	if at == decode.AtFrame && len(c.Events) > 0 {
		last := &c.Events[len(c.Events)-1]
		into.Call.Stream.Frame, into.Call.Stream.Kind = last.Frame, last.Kind
		fillAnswer(into.Call.Answer, c, last)
	}
	m.agentFacts(into.Agent, c, s)
	keysOfCard(into.Call.Query, into.Agent.card)
	m.ifaceFacts(into.Iface, c, s, into.Call)
	knownPath(into.Call.Path, c, s, into.Iface)
	m.clientFacts(into.Client, c, s, at)
	m.taskFacts(into.Task, c, s)
	m.sessionFacts(into.Session, c, s, into.Call)
	m.policyFacts(into.Iface.Policy, c, s, into.Call)
	m.changeFacts(into.Session.Change, c, s, into.Call)
	m.mcpFacts(into.Call.MCP, c, s)
	m.pushFacts(into.Call.Push, c, s)
	m.walkFacts(into.Call.List, c, s)
	m.deliveryFacts(into.Call.Delivery, c, s)
	m.replacedFacts(into.Call.Replaced, c, s)
	if k := m.clients.find(s.client); k != nil {
		into.Call.Waiting.QuickV03 = k.quick03
	}
	hopFacts(into.Call.Declared, s)
	m.cardBefore(into.Call.CardBefore, c, s)
	m.ifaceCard(into.Iface, c, s)
	s.gives.take(c)
	fillGives(into.Call.Gives, c, &s.gives, into.Call.Result.State)
	m.lifeFacts(into.Call.Life, c, s, into.Call.Gives)
	m.capsFacts(into.Call.Caps, c, s, into.Call.HTTP, into.Agent.Required)
	m.tenantFacts(into.Call.Tenants, c, s)
	m.flowFacts(into.Call.Flow, c, s, into.Call)
	m.parityFacts(into.Call.Parity, c, s, into.Call)
	m.reachFacts(into.Call.Reach, c, s)
	m.accessFacts(into.Call.Access, c, s, into.Call)
	m.corsFacts(into.Call.CORS, c, s)
	m.redirectFacts(into.Call.Redirect, c, s)
}

func hopFacts(d *DeclaredFacts, s *seen) {
	if s.side.where == "" {
		return
	}
	other := &s.side.declared
	d.Hop, d.HopExchange, d.HopRaw = s.side.where, int(s.side.other), other.Raw
	if d.Hop == "near" {
		d.Stripped = d.Set && other.Missing()
	} else {
		d.Stripped = d.Missing && other.Presence == "set"
	}
}

func (m *memory) agentFacts(a *AgentFacts, c *decode.Call, s *seen) {
	a.Authority = s.authority
	o := m.origins.find(s.authority)
	if o != nil {
		a.Speaks = gens(o.gens)
		a.Calls = o.calls
	}
	k := s.match.card
	a.card, a.origin, a.memory = k, o, m
	if k == nil {
		return
	}
	a.Known = true
	a.Vocabulary, a.HasV10, a.HasV03, a.Bindings = k.card.Vocabulary, k.hasV10, k.hasV03, k.bindings
	a.Streaming, a.PushNotes, a.ExtCard = string(k.card.Streaming), string(k.card.PushNotes), string(k.card.ExtCard)
	a.Secured = k.card.Secured
	for i := range k.card.Extensions {
		if k.card.Extensions[i].Required {
			a.Required = append(a.Required, k.card.Extensions[i].URI)
		}
	}
	need, flag := spec.OperationNeeds(c.Operation), decode.Flag("")
	switch need {
	case "streaming":
		flag = k.card.Streaming
	case "pushNotifications":
		flag = k.card.PushNotes
	case "extendedAgentCard":
		flag = k.card.ExtCard
	}
	if need != "" && flag == decode.FlagTrue {
		a.Grants = need
	} else if need != "" {
		a.Denies = need
	}
	a.CardDiffers = len(o.cards) > 1 && k.declared != cardWord(&c.Declared) && m.varies(o, k)
}

// cardWord is the declared value the way a card keeps that of its fetch.
func cardWord(d *decode.Declared) string {
	if d.Presence != "set" {
		return ""
	}
	return cut(d.Raw)
}

// varies reports whether another A2A-Version got another card from the same place.
func (m *memory) varies(o *origin, k *card) bool {
	for _, x := range o.cards {
		if x != k && x.authority == k.authority && x.path == k.path && x.declared != k.declared && x.hash != k.hash {
			return true
		}
	}
	return false
}

func (m *memory) ifaceFacts(i *IfaceFacts, c *decode.Call, s *seen, k *CallFacts) {
	i.Level = s.match.level
	i.Exact = i.Level == "exact"
	asked := string(requestGeneration(c))
	if g := s.match.group; g != nil {
		i.URL, i.Binding, i.Versions = g.url, g.binding, g.versions
		i.HasV10, i.HasV03 = g.hasV10, g.hasV03
		if len(g.tenants) > 0 {
			i.Tenant = strings.Join(g.tenants, ", ")
		}
		i.Place = string(g.place)
		i.EndsInV1 = strings.HasSuffix(g.address.path, "/v1")
		i.DeclaresSpoken = asked != "" && g.declares(asked)
		i.DeclaresHeader = c.Declared.Version != "" && contains(g.versions, string(c.Declared.Version))
		i.CardExchange = int(s.match.card.exchange)
	}
	if card := s.match.card; card != nil {
		i.OtherFirst = len(card.bindings) > 0 && card.bindings[0] != string(c.Binding)
		if generation(asked) != "" && !i.DeclaresSpoken {
			if b := card.other(s.match.group, asked, string(c.Binding)); b != nil {
				i.Better, i.BetterBinding, i.BetterSame = b.url, b.binding, b.binding == string(c.Binding)
			}
		}
		for n := range card.groups {
			g := &card.groups[n]
			if g.binding == string(c.Binding) && g.hasV10 {
				i.NewerSame, i.NewerURL = true, g.url
				break
			}
		}
	}
	var declared [2]bool
	declared[0], declared[1] = i.HasV03, i.HasV10
	if c.Kind != spec.KindCall {
		i.Speaks = gens(declared)
		return
	}
	p := m.peers.find(m.keyOf(c, s))
	if p != nil {
		i.fillPeer(p, c, asked, s)
	}
	i.speaks(declared, p, k)
}

// fillPeer fills how the address answered before.
func (i *IfaceFacts) fillPeer(p *peer, c *decode.Call, asked string, s *seen) {
	for n, count := range p.answered {
		if count > 0 {
			i.Answered = append(i.Answered, string(histogramVersions[n]))
		}
	}
	i.Accepted, i.Refused, i.Verbs, i.DeafVerbs = p.accepted, p.refused, p.verbs, p.deaf
	i.Calls, i.Failures = p.calls, p.failed
	i.ServedV1, i.ServedPlain = p.v1Served, p.plain
	i.ServedV03, i.ServedV10 = p.ok[0], p.ok[1]
	i.TurnedV03, i.TurnedV10 = p.turned[0], p.turned[1]
	if n := genIndex(asked); n >= 0 {
		i.Served = p.ok[n]
		i.ServedOther = p.ok[1-n]
	}
	word := declaredWord(&c.Declared)
	key := versionKey(c.Exchange)
	for n := range p.names {
		x := &p.names[n]
		if !x.ok {
			// Refused first and accepted now: only the spelling of the key differs.
			i.KeyCaseRefused = i.KeyCaseRefused || x.name == c.Method && x.declared == word && x.key != key && x.key != "" && key != "" && contains(p.refused, word)
			continue
		}
		if x.name == c.Method {
			i.ServedName = true
			if x.declared == word {
				i.KeyCaseOK = i.KeyCaseOK || x.key != key && x.key != "" && key != ""
			} else if word != "" {
				i.NameOKUnder = firstOf(i.NameOKUnder, x.declared)
			}
		}
	}
	if n := packageIndex(c.GRPC.Package); n >= 0 {
		i.ServedPackage, i.OtherPackage = p.packages[n], p.packages[1-n]
	}
	i.AllUnimplemented = p.unimpl > 0 && p.others == 0
	i.AllForeign = p.foreign > 0 && p.foreign == p.calls
	if slashForColon(s.path) {
		i.OtherSpelling = p.colon
	} else {
		i.OtherSpelling = p.slash
	}
}

// speaks settles what "the server is 1.0" and "the server is 0.3" mean: the
// matched entry, confirmed or overruled by what the address answered. Where
// neither says anything, the answer of this very exchange is taken.
func (i *IfaceFacts) speaks(declared [2]bool, p *peer, k *CallFacts) {
	var shown [2]bool
	if p != nil {
		shown = p.shown()
	}
	some := func(f [2]bool) bool { return f[0] || f[1] }
	within := !(shown[0] && !declared[0]) && !(shown[1] && !declared[1])
	switch {
	case some(declared) && some(shown) && within:
		i.Speaks, i.SpeaksFrom = gens(declared), "both"
	case some(shown):
		i.Speaks, i.SpeaksFrom = gens(shown), "answers"
	case some(declared):
		i.Speaks, i.SpeaksFrom = gens(declared), "card"
	case p != nil && some(p.erred):
		i.Speaks, i.SpeaksFrom = gens(p.erred), "answers"
	case k.Response.Likely && k.Response.Gen != "":
		i.Speaks, i.SpeaksFrom = k.Response.Gen, "this answer"
	case k.Fault.Version:
		i.Speaks, i.SpeaksFrom = "1.0", "this answer"
	}
	i.Overruled = some(declared) && some(shown) && !within
}

func (m *memory) clientFacts(f *ClientFacts, c *decode.Call, s *seen, at decode.Checkpoint) {
	if k := m.clients.find(s.client); k != nil {
		f.Known, f.Calls = true, k.calls
		f.SpokeV03, f.SpokeV10 = k.gens[0], k.gens[1]
		f.Bindings = k.bindings
		f.SentVersion = k.header
	}
	f.SentVersion = f.SentVersion || c.Declared.Presence == "set"
	f.KnowsV10 = f.SpokeV10 || f.SentVersion
	if k := s.match.card; k != nil && k.reader.address == s.client.address {
		f.ReadCard = true
		f.CardVocabulary, f.CardDeclared = k.card.Vocabulary, k.declared
		// Whoever calls an url that stands in supportedInterfaces alone has read that list.
		f.ReadsV10 = k.card.Vocabulary == "1.0" && s.match.level == "exact" && c.Kind == spec.KindCall
		f.KnowsV10 = f.KnowsV10 || k.declared != "" || f.ReadsV10
	}
	w := s.watch
	if at != decode.AtSilent || w == nil || !w.matured {
		return
	}
	if w.card != nil || w.missed != "" {
		f.GaveUp = w.calls == 0 && !w.fetched && !w.touched
		f.FailedAfter = w.calls > 0 && w.ok == 0
		f.CalledListed = w.listed > 0
		f.Unanswered = w.calls > 0 && w.answered == 0
		f.SpokeAfter, f.OKAfter = gens(w.gens), gens(w.okGens)
	}
}

func (m *memory) taskFacts(f *TaskFacts, c *decode.Call, s *seen) {
	if c.Kind != spec.KindCall && c.Kind != spec.KindPush {
		return
	}
	f.ID = c.TaskID
	if c.TaskID != "" {
		key := m.taskOf(c, s)
		if t := m.tasks.find(key); t != nil && t.found > 0 {
			f.Known = true
			f.State, f.Terminal, f.Interrupted, f.Context = t.state, t.terminal, t.waiting, t.context
			f.Version, f.Binding = t.version, t.binding
			f.Found, f.Missing, f.Flips, f.V1Tenant = t.found, t.missing, t.flips, t.belowV1
			f.SameOwner = t.owner == m.credential(c.Exchange)
			if t.poller == s.client && c.Exchange.Started.Sub(t.polled) <= pollSpan {
				f.Polls = t.polls
			}
		} else if t != nil {
			f.Missing = t.missing
		}
		if !f.Known && c.Fault != nil {
			f.Elsewhere = m.knownElsewhere(key)
		}
	}
	switch c.Operation {
	case spec.GetPushConfig, spec.DeletePushConfig:
		id := f.configID(c)
		if id == "" {
			return
		}
		if t := m.tasks.find(taskKey{m.agentOf(s), c.Tenant, cut(id)}); t != nil && t.found > 0 {
			f.ConfigIsTask = true
			f.ConfigKnown = t.isConfig
		}
	}
}

// configID is what this call gives as the id of a configuration.
func (f *TaskFacts) configID(c *decode.Call) string {
	if c.Binding == spec.HTTPJSON {
		if c.Push != nil {
			return c.Push.ConfigID
		}
		return ""
	}
	return c.Params.Get("id").Str()
}

// knownElsewhere looks for the id at other agents and tenants. It runs only
// where an agent said that it does not know the task.
func (m *memory) knownElsewhere(key taskKey) bool {
	for k, t := range m.tasks.all() {
		if k.id == key.id && k != key && t.found > 0 {
			return true
		}
	}
	return false
}

func (m *memory) sessionFacts(f *SessionFacts, c *decode.Call, s *seen, k *CallFacts) {
	if w := s.watch; w != nil && w.matured {
		f.ClientFailed = w.repeated
		f.LaterCall = w.calls > 0 || w.repeated
	}
	if x := c.Exchange; x.End != nil && x.EndedBy == 0 && k.Stream.Open && !k.Stream.Terminal && k.HTTP.End != "done" && k.HTTP.End != "still-open" {
		f.ClientFailed = true // it closed or reset a stream that was not finished
	}
	ses := m.sessionOf(s)
	if ses == nil {
		return
	}
	f.Calls = ses.total
	// Only a failure, a subscription over REST and a call that may be a repetition look back.
	if !k.Failed && c.Operation != spec.SubscribeToTask {
		return
	}
	me := step{exchange: c.Exchange.ID, at: c.Exchange.Started, userAgent: s.client.agent, binding: c.Binding}
	for i := len(ses.steps) - 1; i >= 0; i-- {
		o := &ses.steps[i]
		if o.exchange == me.exchange || !sameClient(o, &me) || o.at.After(me.at) {
			continue
		}
		age := me.at.Sub(o.at)
		if age > recoverSpan {
			break
		}
		if o.op == c.Operation && o.done && o.outcome != spec.OK {
			f.OpFailed = true
		}
		if age <= repeatSpan && o.hash == s.hash && s.hash != 0 {
			f.Repeated = true
		}
		if c.Operation == spec.SubscribeToTask && c.Binding == spec.HTTPJSON && o.op == spec.SubscribeToTask && o.done &&
			o.path == s.path && o.verb != k.HTTP.Method && f.OtherVerb == "" {
			if f.OtherVerb = "refused"; o.outcome == spec.OK {
				f.OtherVerb = "ok"
			}
			f.OtherVerbExchange = int(o.exchange)
		}
	}
}

func (m *memory) pushFacts(f *PushFacts, c *decode.Call, s *seen) {
	url := f.URL
	switch {
	case c.Kind == spec.KindPush:
		url = deliveryURL(c, s)
	case url == "" && s.watch == nil:
		return
	}
	n := m.hosts.find(parseAddress(url).authority)
	f.HostSeen = n != nil
	h := m.hooks.find(hookKey(url))
	if h == nil || h.stored == 0 {
		return
	}
	f.Known = true
	f.ConfigVersion, f.Deliveries, f.Deleted = h.version, h.deliveries, !h.deleted.IsZero()
	f.HadToken = h.token
	if w := s.watch; w != nil && w.hook != "" {
		f.TaskMoved, f.Overdue = w.moved, w.overdue
	}
}
