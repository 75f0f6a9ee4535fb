package diagnose

import (
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// taskKey names a task of an agent.
type taskKey struct{ agent, tenant, id string }

// task is what was seen of it.
type task struct {
	context  string
	state    string // as last seen
	changed  time.Time
	terminal bool
	waiting  bool // interrupted
	version  string
	binding  string
	peer     *peer
	owner    uint64 // credential of the call that showed it first
	madeBy   uint64 // credential of the send that made it, 0 when that was not seen or carried none
	shared   bool   // a call with another credential was shown it by its id
	found    int
	missing  int
	flips    int
	last     int8 // 1 found, -1 missing
	belowV1  bool // first shown by a call below an undeclared /v1
	isConfig bool // the agent returned this id as a config id
	life     life
	flows    []flow // finished streams of it
	poller   clientKey
	polled   time.Time // the last GetTask
	polls    int       // GetTask calls in a row
}

// webhook is a delivery address.
type webhook struct {
	url        string
	config     string
	task       taskKey
	version    string // of the call that stored it
	token      bool
	asked      bool               // a request named it
	stored     capture.ExchangeID // the call that stored it, 0 when none was seen
	at         time.Time
	deleted    time.Time
	deliveries int
	delivered  time.Time // the last delivery
	log        *hookLog
}

// taskOf names the task a call is about.
func (m *memory) taskOf(c *decode.Call, s *seen) taskKey {
	return taskKey{m.agentOf(s), c.Tenant, cut(c.TaskID)}
}

// learnTasks takes in what an answer (or the newest stream events) says of tasks.
func (m *memory) learnTasks(c *decode.Call, s *seen, ended bool) {
	for ; s.states < len(c.Events); s.states++ {
		e := &c.Events[s.states]
		if s.states > 0 && repeats(e, &c.Events[s.states-1]) {
			continue
		}
		if e.Fault == nil && e.TaskID != "" {
			m.showTask(c, s, e.TaskID, e.ContextID, e.State, e.Node.Path("status", "timestamp").Str())
		}
	}
	if !ended {
		return
	}
	if c.Fault != nil && c.Fault.A2A == "TaskNotFoundError" && c.TaskID != "" {
		t, _ := m.tasks.take(m.taskOf(c, s))
		t.missing++
		t.turn(-1)
		m.lifeMissed(t, c, s)
		return
	}
	if c.Outcome != spec.OK || !c.Result.Exists() {
		return
	}
	switch c.Operation {
	case spec.SendMessage, spec.SendStreamingMessage, spec.GetTask, spec.CancelTask, spec.SubscribeToTask:
		r := c.Result
		if t := r.Get("task"); t.IsObject() {
			r = t
		}
		if st := r.Get("status"); st.IsObject() {
			ctx := r.Get("contextId").Str()
			if ctx == "" {
				ctx = r.Get("context_id").Str()
			}
			m.showTask(c, s, r.Get("id").Str(), ctx, st.Get("state").Text(), st.Get("timestamp").Str())
		}
	case spec.ListTasks:
		n := 0
		for t := range c.Result.Get("tasks").Children() {
			if n++; n > 200 {
				break
			}
			st := t.Get("status")
			m.showTask(c, s, t.Get("id").Str(), t.Get("contextId").Str(), st.Get("state").Text(), st.Get("timestamp").Str())
		}
	}
}

// repeats reports whether an event shows nothing of its task that the event
// before did not show.
func repeats(e, before *decode.StreamEvent) bool {
	return e.TaskID == before.TaskID && e.ContextID == before.ContextID && before.Fault == nil && e.Fault == nil &&
		(e.State == "" || e.State == before.State)
}

// showTask notes that the agent showed a task.
func (m *memory) showTask(c *decode.Call, s *seen, id, context, state, stamp string) {
	if id == "" {
		return
	}
	t, _ := m.tasks.take(taskKey{m.agentOf(s), c.Tenant, cut(id)})
	if t.found == 0 {
		t.version, t.binding, t.peer = string(requestGeneration(c)), string(c.Binding), m.peerOf(c, s)
		t.owner = m.credential(c.Exchange)
		t.belowV1 = c.Binding == spec.HTTPJSON && v1Foreign(c, s)
		if sends(c.Operation) {
			t.madeBy = t.owner
		}
	} else if t.madeBy != 0 && !t.shared && c.Operation != spec.ListTasks {
		t.shared = m.credential(c.Exchange) != t.madeBy
	}
	t.found++
	t.turn(1)
	m.lifeShown(t, c, s, stamp)
	if context != "" {
		t.context = cut(context)
	}
	if state != "" && state != t.state {
		t.state, t.changed = cut(state), m.now
		if c.Operation != spec.ListTasks {
			m.origin(m.agentOf(s), c.Exchange.ID).moved = m.now
		}
		if w, _, ok := spec.StateByWord(state); ok {
			t.terminal, t.waiting = w.Terminal, w.Interrupted
		} else {
			t.terminal, t.waiting = false, false
		}
	}
}

func (t *task) turn(to int8) {
	if t.last != 0 && t.last != to {
		t.flips++
	}
	t.last = to
}

// learnPush takes in configurations that were asked for, stored, deleted and used.
func (m *memory) learnPush(c *decode.Call, s *seen, ended bool) {
	if c.Kind == spec.KindPush {
		if ended { // whatever the receiver said: an attempt is a delivery
			h, _ := m.hooks.take(hookKey(deliveryURL(c, s)))
			h.deliveries++
			h.delivered = m.now
			m.noteDelivery(h, c)
		}
		return
	}
	switch c.Operation {
	case spec.CreatePushConfig, spec.SendMessage, spec.SendStreamingMessage:
		if c.Push == nil || c.Push.URL == "" {
			return
		}
		h, _ := m.hooks.take(hookKey(c.Push.URL))
		h.asked = true
		m.noteConfig(h, c, s, ended)
		if ended && c.Outcome == spec.OK {
			m.storeHook(h, c, s)
		}
		return
	}
	if !ended || c.Outcome != spec.OK {
		return
	}
	switch c.Operation {
	case spec.DeletePushConfig:
		id := c.Params.Get("id").Str()
		if c.Push != nil && c.Push.ConfigID != "" {
			id = c.Push.ConfigID
		}
		if id == "" {
			return
		}
		for _, h := range m.hooks.all() {
			h.forget(m.agentOf(s), c.TaskID, id, m.now)
			if h.task.agent == m.agentOf(s) && h.config == id && (c.TaskID == "" || h.task.id == c.TaskID) {
				h.deleted = m.now
			}
		}
	case spec.ListPushConfigs, spec.GetPushConfig:
		for k := range configsOf(c) {
			if id := k.Get("id").Str(); id != "" {
				m.markConfig(c, s, id)
			}
		}
	}
}

// storeHook notes that the agent took a configuration.
func (m *memory) storeHook(h *webhook, c *decode.Call, s *seen) {
	n := webhook{asked: true, url: cut(c.Push.URL), config: cut(firstOf(storedConfigID(c), c.Push.ConfigID)),
		task:    taskKey{m.agentOf(s), c.Tenant, cut(firstOf(c.Push.TaskID, c.TaskID, eventTask(c)))},
		version: string(requestGeneration(c)), token: c.Push.Token, stored: c.Exchange.ID, at: m.now, log: h.log}
	if !h.delivered.Before(c.Exchange.Started) { // a call that waits for its task is answered after the first deliveries
		n.deliveries, n.delivered = h.deliveries, h.delivered
	}
	*h = n
	if h.config != "" {
		m.markConfig(c, s, h.config)
	}
	m.watchHook(c, s, h)
}

// markConfig notes that the agent itself uses an id for a configuration.
func (m *memory) markConfig(c *decode.Call, s *seen, id string) {
	if t := m.tasks.find(taskKey{m.agentOf(s), c.Tenant, cut(id)}); t != nil {
		t.isConfig = true
	}
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// eventTask is the task a stream is about.
func eventTask(c *decode.Call) string {
	for i := range c.Events {
		if c.Events[i].TaskID != "" {
			return c.Events[i].TaskID
		}
	}
	if t := c.Result.Get("task").Get("id").Str(); t != "" {
		return t
	}
	return ""
}

// hookKey makes webhook urls comparable: authority, path and query.
func hookKey(raw string) string {
	a := parseAddress(raw)
	q := ""
	for i := 0; i < len(raw); i++ {
		if raw[i] == '?' {
			q = raw[i:]
			break
		}
	}
	return a.authority + a.path + q
}

// deliveryURL is the address a delivery was sent to.
func deliveryURL(c *decode.Call, s *seen) string {
	u := s.authority + s.path
	if r := c.Exchange.Request; r != nil {
		if q := r.Query(); q != "" {
			u += "?" + q
		}
	}
	return "http://" + u
}
