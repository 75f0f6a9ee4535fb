package diagnose

import (
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// ReplacedFacts is whether a push configuration took the place of another one
// of the same task, because the agent gave both the same id.
type ReplacedFacts struct {
	Is     bool   `cel:"is"`
	ID     string `cel:"id"`  // the id both have
	URL    string `cel:"url"` // the webhook that had it before
	before int    // the exchange that stored it
}

// replacedFacts compares the answer to a create with what was stored before. A
// client that chose the id itself means to replace.
func (m *memory) replacedFacts(r *ReplacedFacts, c *decode.Call, s *seen) {
	if c.Operation != spec.CreatePushConfig || c.Outcome != spec.OK || c.Push == nil || c.Push.URL == "" || c.Push.ConfigID != "" {
		return
	}
	id, task := cut(storedConfigID(c)), cut(firstOf(c.Push.TaskID, c.TaskID))
	if id == "" || task == "" {
		return
	}
	own := hookKey(c.Push.URL)
	for key, h := range m.hooks.all() {
		if h.stored != 0 && h.stored != c.Exchange.ID && h.deleted.IsZero() && h.config == id && key != own &&
			h.task == (taskKey{m.agentOf(s), c.Tenant, task}) && int(h.stored) > r.before {
			r.Is, r.ID, r.URL, r.before = true, id, h.url, int(h.stored)
		}
	}
}
