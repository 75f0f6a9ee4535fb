package diagnose

import (
	"strings"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// Limits of what is remembered of one webhook url.
const (
	maxHookConfigs    = 64 // configurations that name it
	maxHookDeliveries = 64 // deliveries to it
	maxSchemes        = 8
)

// hookLog is what is known of a webhook beyond its last configuration: clients
// use one url for many tasks.
type hookLog struct {
	configs    []hookConfig // oldest first
	deliveries []delivery   // oldest first
	dropped    bool         // configurations had to be forgotten
}

// hookConfig is one configuration with this url. The token and the credentials
// are kept as hashes, or as being there.
type hookConfig struct {
	exchange   capture.ExchangeID
	agent      string
	task       string // "" while nobody said it
	id         string
	version    string // generation of the call that made it
	token      uint64 // 0 for none
	schemes    []string
	credential bool
	stored     bool // the agent took it
	deleted    time.Time
}

// delivery is one POST to the webhook.
type delivery struct {
	exchange capture.ExchangeID
	at       time.Time
	hash     uint64
	ok       bool
}

// noteConfig takes in a configuration when it is asked for, since deliveries
// may come before the answer of a call that waits, and completes or drops it
// when the answer is there.
func (m *memory) noteConfig(h *webhook, c *decode.Call, s *seen, ended bool) {
	if h.log == nil {
		h.log = &hookLog{}
	}
	l := h.log
	at := -1
	for i := len(l.configs) - 1; i >= 0; i-- {
		if l.configs[i].exchange == c.Exchange.ID {
			at = i
			break
		}
	}
	if at < 0 {
		if len(l.configs) >= maxHookConfigs {
			l.configs = append(l.configs[:0], l.configs[1:]...)
			l.dropped = true
		}
		l.configs = append(l.configs, hookConfig{exchange: c.Exchange.ID, agent: m.agentOf(s)})
		at = len(l.configs) - 1
		m.secrets(&l.configs[at], hookNode(c))
	}
	k := &l.configs[at]
	k.version = generation(string(requestGeneration(c)))
	k.task = firstOf(cut(firstOf(c.Push.TaskID, c.TaskID, answeredTask(c))), k.task)
	k.id = firstOf(cut(firstOf(storedConfigID(c), c.Push.ConfigID)), k.id)
	switch {
	case !ended:
	case c.Outcome == spec.OK:
		k.stored = true
	default:
		l.configs = append(l.configs[:at], l.configs[at+1:]...)
	}
}

// secrets notes what a delivery has to authenticate itself with.
func (m *memory) secrets(k *hookConfig, n jsontree.Node) {
	if t := n.Get("token"); t.Str() != "" {
		k.token = hashString(m.salt, t.Str()) | 1
	}
	auth := n.Get("authentication")
	k.credential = auth.Get("credentials").Str() != ""
	if one := auth.Get("scheme"); one.IsString() {
		k.schemes = addOnce(k.schemes, cut(one.Str()))
	}
	for one := range auth.Get("schemes").Children() {
		if len(k.schemes) == maxSchemes {
			break
		}
		k.schemes = addOnce(k.schemes, cut(one.Str()))
	}
}

// hookNode is the webhook configuration in a request: the object that holds its url.
func hookNode(c *decode.Call) jsontree.Node {
	if c.Push == nil || c.Push.URL == "" {
		return jsontree.Node{}
	}
	p := c.Params
	if c.Operation != spec.CreatePushConfig {
		p = p.Get("configuration")
		for k := range p.Children() {
			if in := innerHook(k); in.Exists() {
				return in
			}
		}
		return c.Params.Get("pushNotification") // 0.1
	}
	if p.Get("url").IsString() {
		return p
	}
	for k := range p.Children() {
		if in := innerHook(k); in.Exists() {
			return in
		}
	}
	return jsontree.Node{}
}

// innerHook is the configuration inside a member, which some dialects wrap once more.
func innerHook(n jsontree.Node) jsontree.Node {
	if n.Get("url").IsString() {
		return n
	}
	for _, name := range [...]string{"pushNotificationConfig", "push_notification_config"} {
		if in := n.Get(name); in.Get("url").IsString() {
			return in
		}
	}
	return jsontree.Node{}
}

// answeredTask is the task an answer to a send is about, bare or wrapped.
func answeredTask(c *decode.Call) string {
	if t := eventTask(c); t != "" {
		return t
	}
	r := c.Result
	switch {
	case r.Get("status").IsObject():
		return r.Get("id").Str()
	case r.Get("message").IsObject():
		r = r.Get("message")
	}
	return firstOf(r.Get("taskId").Str(), r.Get("task_id").Str())
}

// forget notes that a configuration was deleted.
func (h *webhook) forget(agent, task, id string, at time.Time) {
	if h.log == nil {
		return
	}
	for i := range h.log.configs {
		if k := &h.log.configs[i]; k.agent == agent && k.id == id && (task == "" || k.task == task) && k.deleted.IsZero() {
			k.deleted = at
		}
	}
}

// noteDelivery remembers a delivery by the hash of its body.
func (m *memory) noteDelivery(h *webhook, c *decode.Call) {
	if h.log == nil {
		h.log = &hookLog{}
	}
	l := h.log
	if len(l.deliveries) >= maxHookDeliveries {
		l.deliveries = append(l.deliveries[:0], l.deliveries[1:]...)
	}
	l.deliveries = append(l.deliveries, delivery{c.Exchange.ID, c.Exchange.Started, m.requestHash(c.Exchange), c.Outcome == spec.OK})
}

// of returns the configurations that may be the ones a delivery is made for: those of
// its task, else those whose task nobody said, else all.
func (l *hookLog) of(task string) (list []*hookConfig, exact bool) {
	var open, all []*hookConfig
	for i := range l.configs {
		k := &l.configs[i]
		switch all = append(all, k); {
		case task != "" && k.task == task:
			list = append(list, k)
		case k.task == "":
			open = append(open, k)
		}
	}
	switch {
	case len(list) > 0:
		return list, true
	case len(open) > 0:
		return open, false
	}
	return all, false
}

// sameWord compares names of authentication schemes, which have no case (RFC 9110 §11.1).
func sameWord(a, b string) bool { return strings.EqualFold(a, b) }
