package diagnose

import (
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// watch waits for what follows an exchange: whether a client that read a card
// called, whether a webhook was used, whether a client failed over an answer.
type watch struct {
	call     *decode.Call
	due      time.Time
	card     *card  // of a card fetch
	missed   string // of a fetch that brought no card: the authority that was asked
	hook     string // of a stored configuration: its key
	hookTask taskKey
	reader   clientKey
	message  uint64 // of an answer to a send: hashes of the message it answered
	words    uint64
	calls    int
	ok       int
	listed   int        // calls to an entry of the card
	answered int        // calls that got an answer of whatever kind
	reach    reachWatch // of a connection, a preflight or a redirect
	gens     [2]bool
	okGens   [2]bool
	touched  bool // the reader sent something else than A2A to an url of the card
	fetched  bool // the reader fetched a card of this agent again
	repeated bool // the client sent the identical request again, or fell back
	moved    bool // the task changed after the configuration was stored
	overdue  bool // and giveUpSpan has passed since: a delivery had time to come
	matured  bool
}

// watchCard begins to wait for calls of the reader of a card.
func (m *memory) watchCard(c *decode.Call, s *seen, k *card) {
	if c.Kind != spec.KindCard || c.Exchange.Request == nil {
		return // who asked for it, and how, is not known
	}
	for _, w := range m.watches {
		if w.card != nil && w.reader == s.client && w.card.authority == k.authority || w.missed != "" && w.missed == k.authority && w.reader.address == s.client.address {
			w.fetched = true
		}
	}
	m.watchFor(s, &watch{call: c, due: m.now.Add(giveUpSpan), card: k, reader: s.client})
}

// watchMiss begins to wait for what a client does that looked for a card in vain.
func (m *memory) watchMiss(c *decode.Call, s *seen) {
	m.watchFor(s, &watch{call: c, due: m.now.Add(giveUpSpan), missed: s.authority, reader: s.client})
}

// watchHook begins to wait for deliveries.
func (m *memory) watchHook(c *decode.Call, s *seen, h *webhook) {
	m.watchFor(s, &watch{call: c, hook: hookKey(h.url), hookTask: h.task, reader: s.client})
}

// watchAnswer begins to wait for signs that the client could not use an answer.
func (m *memory) watchAnswer(c *decode.Call, s *seen) {
	w := &watch{call: c.Compact(), due: m.now.Add(repeatSpan), reader: s.client}
	if sends(c.Operation) {
		w.message, w.words = m.messageHashes(c)
	}
	m.watchFor(s, w)
}

// watchForm begins to wait in the same way for an answer whose form a rule remarked on.
func (m *memory) watchForm(c *decode.Call) {
	s := m.see(c)
	if w := s.watch; w == nil || w.card != nil || w.hook != "" || w.call.Exchange.ID != c.Exchange.ID {
		m.watchAnswer(c, s)
	}
}

// asksAgain reports whether a call over another binding asks for what an answer
// was given to: another message is no second try.
func (m *memory) asksAgain(w *watch, c *decode.Call) bool {
	if !sends(c.Operation) {
		return true
	}
	id, words := m.messageHashes(c)
	return id != 0 && id == w.message || words != 0 && words == w.words
}

// polls reports whether clients send an operation again and again as it is, to
// see what has changed.
func polls(op spec.Operation) bool {
	switch op {
	case spec.GetTask, spec.ListTasks, spec.GetPushConfig, spec.ListPushConfigs, spec.GetExtendedAgentCard:
		return true
	}
	return false
}

// watchFor adds a watch; when there are too many, the oldest is given up: no
// claim is made about it.
func (m *memory) watchFor(s *seen, w *watch) {
	if len(m.watches) >= maxWatches {
		copy(m.watches, m.watches[1:])
		m.watches = m.watches[:maxWatches-1]
	}
	m.watches = append(m.watches, w)
	s.watch = w
}

// waitsWith reports whether an exchange has a watch, which has its call.
func (m *memory) waitsWith(id capture.ExchangeID) bool {
	x := m.open.items[id]
	return x != nil && x.value.watch != nil
}

// follow lets the watches see a call that ended.
func (m *memory) follow(c *decode.Call, s *seen) {
	if len(m.watches) == 0 || c.Kind != spec.KindCall {
		return
	}
	ok := c.Outcome == spec.OK
	gi := genIndex(string(requestGeneration(c)))
	for _, w := range m.watches {
		switch {
		case w.card != nil || w.missed != "":
			if w.reader.address != s.client.address || w.missed != "" && w.missed != s.authority || w.card != nil && !w.card.reaches(s.authority) {
				continue
			}
			w.calls++
			if s.match.level == "exact" {
				w.listed++
			}
			if c.Outcome != spec.TransportError && c.Outcome != spec.NoResponse {
				w.answered++
			}
			if ok {
				w.ok++
			}
			if gi >= 0 {
				w.gens[gi] = true
				w.okGens[gi] = w.okGens[gi] || ok
			}
		case w.hook != "", w.reach.kind != "":
		default:
			x := w.call.Exchange
			if x.ID != c.Exchange.ID && w.reader == s.client && c.Exchange.Started.After(x.Started) &&
				c.Operation == w.call.Operation && c.TaskID == w.call.TaskID &&
				(!polls(c.Operation) && s.hash != 0 && s.hash == m.hashOf(x.ID) || ok && c.Binding != w.call.Binding && m.asksAgain(w, c)) {
				w.repeated = true
			}
		}
	}
}

// touch lets the watches see that a client sent something else than A2A to an
// url of the card: it did not stop at the card.
func (m *memory) touch(c *decode.Call, s *seen) {
	if len(m.watches) == 0 || c.Exchange.Request == nil || c.Exchange.Request.Method != "POST" {
		return
	}
	for _, w := range m.watches {
		if w.card == nil || w.touched || w.reader.address != s.client.address {
			continue
		}
		for i := range w.card.groups {
			a := &w.card.groups[i].address
			w.touched = w.touched || a.authority == s.authority && a.path == s.path
		}
	}
}

// reaches reports whether a card was fetched from, or names, an authority.
func (k *card) reaches(authority string) bool {
	if k.authority == authority {
		return true
	}
	for i := range k.groups {
		if k.groups[i].address.authority == authority {
			return true
		}
	}
	return false
}

// quiet returns the exchanges about which enough time has passed, or the
// session has ended, to judge what followed them; each once, to be judged at
// checkpoint silent. now is the time of the traffic.
func (m *memory) quiet(now time.Time, ended bool) []*decode.Call {
	if len(m.watches) == 0 {
		return nil
	}
	var ripe []*decode.Call
	keep := m.watches[:0]
	for _, w := range m.watches {
		m.hookMoved(w)
		if !ended && (w.due.IsZero() || now.Before(w.due)) {
			keep = append(keep, w)
			continue
		}
		if m.missed.After(w.call.Exchange.Started) && !w.repeated {
			continue // what did not come may have been what is missing: no claim is made
		}
		w.matured = true
		w.overdue = w.moved && !now.Before(w.due)
		s, fresh := m.open.take(w.call.Exchange.ID)
		if fresh {
			s.authority, s.client, s.step = authorityOf(w.call.Exchange), clientOf(w.call.Exchange), -1
			s.asked, s.learned, s.card = true, true, true
			if w.call.Kind == spec.KindConnection {
				s.authority = m.dialled(w.call.Exchange, s.authority)
			}
		}
		s.watch = w
		if w.repeated || w.call.Streaming && w.call.Exchange.EndedBy == capture.Client { // its texts may be told anew
			w.call = w.call.Full()
		}
		ripe = append(ripe, w.call)
	}
	clear(m.watches[len(keep):])
	m.watches = keep
	return ripe
}

// learnLoss takes in when the capture missed bytes of an exchange.
func (m *memory) learnLoss(x *capture.Exchange) {
	for i := range x.Breaches {
		if b := &x.Breaches[i]; b.V.V.Code == capture.BreachLost && b.At.After(m.missed) {
			m.missed = b.At
		}
	}
}

// hookMoved starts the clock of a webhook watch once its task changed.
func (m *memory) hookMoved(w *watch) {
	if w.hook == "" || w.moved {
		return
	}
	t := m.tasks.find(w.hookTask)
	if t == nil || !t.changed.After(w.call.Exchange.Started) {
		return
	}
	h := m.hooks.find(w.hook)
	if h == nil || !t.changed.After(h.at) {
		return
	}
	w.moved = true
	w.due = t.changed.Add(giveUpSpan)
}
