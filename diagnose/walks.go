package diagnose

import (
	"hash/maphash"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// Limits of what is remembered of walks: clients that page at the same time,
// and pages of one of them.
const (
	maxWalks = 512
	maxPages = 64
)

// walkKey names a walk: one client listing with the same filters at one agent.
type walkKey struct {
	client  clientKey
	agent   string
	tenant  string
	filters uint64
}

// walk is the pages of a list that a client read one after the other.
type walk struct {
	next  string // the token that leads on
	total string // totalSize of the newest page
	pages []page
}

// page of a walk.
type page struct {
	hash     uint64 // of the ids of its tasks, in order
	tasks    int
	exchange capture.ExchangeID
}

func (m *memory) walkOf(c *decode.Call, s *seen) walkKey {
	var h maphash.Hash
	h.SetSeed(m.salt)
	for _, name := range [...]string{"contextId", "status", "statusTimestampAfter", "pageSize"} {
		h.WriteString(askedFor(c, name))
		h.WriteByte(0)
	}
	return walkKey{s.client, m.agentOf(s), c.Tenant, h.Sum64()}
}

// pageOf reads a page of a ListTasks answer.
func (m *memory) pageOf(c *decode.Call) page {
	p := page{exchange: c.Exchange.ID}
	var h maphash.Hash
	h.SetSeed(m.salt)
	for t := range tasksOf(c) {
		h.Write(t.Get("id").Raw())
		h.WriteByte(0)
		p.tasks++
	}
	p.hash = h.Sum64()
	return p
}

func listed(c *decode.Call) bool {
	return c.Operation == spec.ListTasks && c.Kind == spec.KindCall && c.Outcome == spec.OK && c.Result.IsObject()
}

// walkFacts fills what the pages before tell of this one, and whose tasks it holds.
func (m *memory) walkFacts(l *ListFacts, c *decode.Call, s *seen) {
	if !listed(c) {
		return
	}
	m.foreignTasks(l, c, s)
	w := m.walks.find(m.walkOf(c, s))
	if w == nil || l.Token == "" || cut(l.Token) != w.next || w.total != c.Result.Get("totalSize").Text() {
		return
	}
	p := m.pageOf(c)
	for i := range w.pages {
		o := &w.pages[i]
		// A page of one task comes again when another task was added before it.
		if o.exchange != p.exchange && o.hash == p.hash && (p.tasks > 1 || p.tasks == 1 && l.SameToken) {
			l.Again = true
			return
		}
	}
}

// learnWalk takes a page in.
func (m *memory) learnWalk(c *decode.Call, s *seen) {
	if !listed(c) {
		return
	}
	var l ListFacts
	fillList(&l, c)
	w, _ := m.walks.take(m.walkOf(c, s))
	if l.Token == "" || cut(l.Token) != w.next {
		w.pages = w.pages[:0] // another walk
	}
	w.next, w.total = cut(c.Result.Get("nextPageToken").Str()), cut(c.Result.Get("totalSize").Text())
	if len(w.pages) < maxPages {
		w.pages = append(w.pages, m.pageOf(c))
	}
}

// foreignTasks counts the tasks that belong to another credential.
func (m *memory) foreignTasks(l *ListFacts, c *decode.Call, s *seen) {
	own := m.credential(c.Exchange)
	if own == 0 || l.Tasks == 0 {
		return
	}
	agent := m.agentOf(s)
	for n := range tasksOf(c) {
		id := n.Get("id")
		if t := m.tasks.items[taskKey{agent, c.Tenant, cut(id.Str())}]; t != nil && t.value.madeBy != 0 && t.value.madeBy != own && !t.value.shared {
			if l.Foreign++; l.Foreign == 1 {
				l.ForeignAt = l.place(c, id)
			}
		}
	}
}
