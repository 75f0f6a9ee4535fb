package diagnose

import (
	"strings"
	"time"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// DeliveryFacts is a delivery to a webhook, held against the configurations
// that were seen with its url (1.0 §4.3.3, 0.3 §9.5).
type DeliveryFacts struct {
	Payload  string `cel:"payload"`   // wrapped (one member of StreamResponse), bare (the object of 0.3), several, none, envelope (JSON-RPC)
	Members  string `cel:"members"`   // names of the members at the top
	At       string `cel:"at"`        // place of the body
	ReadAs   string `cel:"read_as"`   // the receiver's refusal: it names members of StreamResponse ("members") or the header of the token ("token")
	TaskSeen bool   `cel:"task_seen"` // the task was shown by the agent of a configuration with this url

	ConfigVersion string `cel:"config_version"` // generation of the call that made the configuration it is for; "" where that is not clear
	ConfigCall    int    `cel:"config_call"`    // the exchange that made it
	Token         string `cel:"token"`          // the configured token: "" none configured or authentication besides it, ok, missing, different, renamed (under A2A-Notification-Token alone), moved (in Authorization)
	TokenHeader   string `cel:"token_header"`   // header that carries a token, in lower case
	Auth          string `cel:"auth"`           // the configured credentials: "" none, or of a scheme that is no HTTP authentication, ok, missing, scheme (another one)
	Scheme        string `cel:"scheme"`         // the scheme, or schemes, configured
	SentScheme    string `cel:"sent_scheme"`    // the scheme of the delivery's Authorization

	UnknownTask   bool `cel:"unknown_task"`    // configurations with this url were seen, none for this task
	AfterDeleteMS int  `cel:"after_delete_ms"` // time since the only configuration for this task was deleted; 0 where it was not, or the same body was delivered before
	Repeats       bool `cel:"repeats"`         // the same body was delivered to this url before
	RepeatMS      int  `cel:"repeat_ms"`       // time since the newest of those
	RetryOf       bool `cel:"retry_of"`        // and the receiver had not acknowledged it
}

func (m *memory) deliveryFacts(f *DeliveryFacts, c *decode.Call, s *seen) {
	if c.Kind != spec.KindPush {
		return
	}
	f.body(c)
	m.authFacts(f, c, nil)
	if c.Fault != nil {
		f.ReadAs = readAs(c.Fault.Message)
	}
	h := m.hooks.find(hookKey(deliveryURL(c, s)))
	if h == nil || h.log == nil {
		return
	}
	l := h.log
	f.repeats(l, c, m.requestHash(c.Exchange))
	if len(l.configs) == 0 {
		return
	}
	task := cut(c.TaskID)
	list, exact := l.of(task)
	f.ConfigVersion, f.ConfigCall = list[0].version, int(list[len(list)-1].exchange)
	for _, k := range list[1:] {
		if k.version != list[0].version {
			f.ConfigVersion = ""
		}
	}
	m.authFacts(f, c, list)
	last := list[0].deleted
	for _, k := range list {
		if k.deleted.IsZero() {
			last = time.Time{}
			break
		}
		if k.deleted.After(last) {
			last = k.deleted
		}
	}
	if exact && !last.IsZero() && !f.Repeats && !l.undecided() {
		f.AfterDeleteMS = max(0, int(c.Exchange.Started.Sub(last).Milliseconds()))
	}
	if task != "" && !exact && !l.dropped && !l.undecided() {
		f.UnknownTask = true
		t := m.tasks.find(taskKey{list[0].agent, c.Tenant, task})
		f.TaskSeen = t != nil && t.found > 0
	}
}

// undecided: a configuration of this url is for a task that nobody named yet.
func (l *hookLog) undecided() bool {
	for i := range l.configs {
		if l.configs[i].task == "" || !l.configs[i].stored {
			return true
		}
	}
	return false
}

// body tells what the body of a delivery is.
func (f *DeliveryFacts) body(c *decode.Call) {
	f.At = string(c.ParamsAt)
	root := c.Params
	if !root.IsObject() {
		return
	}
	members, wraps := 0, 0
	var names []string
	for k := range root.Children() {
		members++
		name := k.Key()
		if len(names) < maxMembers {
			names = append(names, name)
		}
		switch name {
		case "task", "message", "statusUpdate", "artifactUpdate", "status_update", "artifact_update":
			wraps++
		}
	}
	f.Members = strings.Join(names, ", ")
	switch {
	case root.Has("jsonrpc") && (root.Has("result") || root.Has("error") || root.Has("method")):
		f.Payload = "envelope"
	case wraps > 1:
		f.Payload = "several"
	case wraps == 1 && c.Push != nil && !c.Push.Bare:
		f.Payload = "wrapped"
	case c.Push != nil && c.Push.Kind != "other" && c.Push.Kind != "empty":
		f.Payload = "bare"
	default:
		f.Payload = "none"
	}
}

// readAs tells from the words of a receiver what it looked for. The words alone make no finding.
func readAs(message string) string {
	m := lower(message)
	switch {
	case strings.Contains(m, "notification-token"), strings.Contains(m, "notification token"):
		return "token"
	case strings.Contains(m, "statusupdate"), strings.Contains(m, "artifactupdate"), strings.Contains(m, "status_update"), strings.Contains(m, "streamresponse"):
		return "members"
	}
	return ""
}

// repeats looks for the same body among the deliveries before.
func (f *DeliveryFacts) repeats(l *hookLog, c *decode.Call, hash uint64) {
	for i := len(l.deliveries) - 1; i >= 0; i-- {
		d := &l.deliveries[i]
		if d.hash == hash && d.exchange != c.Exchange.ID && !d.at.After(c.Exchange.Started) {
			f.Repeats, f.RetryOf = true, !d.ok
			f.RepeatMS = int(c.Exchange.Started.Sub(d.at).Milliseconds())
			return
		}
	}
}

// httpSchemes are the schemes of HTTP authentication that a delivery can be held
// to; others are names of the client's own (an API key in a header of its choice).
var httpSchemes = [...]string{"basic", "bearer", "digest", "dpop", "hoba", "mutual", "negotiate", "oauth", "vapid"}

func httpScheme(name string) bool {
	for _, s := range httpSchemes {
		if sameWord(s, name) {
			return true
		}
	}
	return false
}

// authFacts holds the headers of a delivery against what the configurations
// it may be for ask of it. What suits one of them is right.
func (m *memory) authFacts(f *DeliveryFacts, c *decode.Call, list []*hookConfig) {
	r := c.Exchange.Request
	if r == nil {
		return
	}
	long, hasLong := r.Fields.Lookup("X-A2A-Notification-Token")
	short, hasShort := r.Fields.Lookup("A2A-Notification-Token")
	authorization, hasAuth := r.Fields.Lookup("Authorization")
	scheme, rest, _ := strings.Cut(strings.TrimSpace(authorization), " ")
	if hasAuth && rest != "" {
		f.SentScheme = cut(scheme)
	}
	switch {
	case hasLong:
		f.TokenHeader = "x-a2a-notification-token"
	case hasShort:
		f.TokenHeader = "a2a-notification-token"
	}
	is := func(value string, has bool, want uint64) bool { return has && hashString(m.salt, value)|1 == want }
	for i, k := range list {
		var token, auth string
		judged := len(k.schemes) > 0 && k.credential
		for _, s := range k.schemes {
			judged = judged && httpScheme(s)
		}
		switch {
		case !judged:
		case !hasAuth:
			auth = "missing"
		case schemeAmong(k.schemes, scheme):
			auth = "ok"
		default:
			auth = "scheme"
		}
		switch {
		case k.token == 0 || len(k.schemes) > 0: // authentication besides it: some agents send that alone
		case is(long, hasLong, k.token):
			token = "ok"
		case is(short, hasShort, k.token) && !hasLong:
			token = "renamed"
		case is(rest, hasAuth, k.token) || is(authorization, hasAuth, k.token):
			token = "moved"
		case hasLong || hasShort:
			token = "different"
		default:
			token = "missing"
		}
		f.Token = better(i == 0, f.Token, token, "", "ok", "renamed", "moved", "different", "missing")
		if a := better(i == 0, f.Auth, auth, "", "ok", "scheme", "missing"); a != f.Auth || i == 0 {
			f.Auth, f.Scheme = a, strings.Join(k.schemes, ", ")
		}
	}
}

func schemeAmong(list []string, scheme string) bool {
	for _, s := range list {
		if sameWord(s, scheme) {
			return true
		}
	}
	return false
}

// better returns the one of two words that stands first in the order.
func better(only bool, a, b string, order ...string) string {
	if only {
		return b
	}
	for _, w := range order {
		if a == w || b == w {
			return w
		}
	}
	return a
}
