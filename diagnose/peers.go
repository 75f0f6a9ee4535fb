package diagnose

import (
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// peerKey is what rules call a peer: authority, base path and binding.
type peerKey struct{ authority, base, binding string }

// peer is how an address really answered.
type peer struct {
	key      peerKey
	calls    int
	failed   int
	answered [5]int  // successful answers by version, index of versionIndex
	erred    [2]bool // generations that only error answers showed: some 0.3 servers write errors the 1.0 way
	ok       [2]bool // answered ok to a call of the generation (0.3, 1.0)
	turned   [2]bool // refused a call of the generation as an unknown name, route or version
	accepted []string
	refused  []string
	names    []named
	packages [2]bool // a2a.v1, lf.a2a.v1: an A2A handler answered
	unimpl   int     // calls that ended UNIMPLEMENTED without an A2A error
	others   int     // calls that ended otherwise
	foreign  int     // calls that something else than an A2A handler answered: 404 and its like
	v1Served bool    // answered ok in 0.3 below /v1
	plain    bool    // answered ok without a prefix
	deadEnd  bool    // a call without a prefix was answered by no A2A handler
	slash    bool    // a slash for the colon was answered ok
	colon    bool
	verbs    []string // verbs that subscribed
	deaf     []string // verbs that were refused

	wrapped, bare bool                       // streams with and without the envelope of JSON-RPC were seen
	cuts          [len(roundTimeouts)]uint16 // streams that were cut after such a silence
	did, lacks    [2]bool                    // served and refused: streaming, push configurations
	alone         []string                   // extensions that were confirmed when asked for alone

	toldMissing  bool // answered TaskNotFound for an id that nobody was shown
	forbadeOther bool // forbade a task that another credential was shown
}

// named is a method name and the declared value it was sent under.
type named struct {
	name, declared string
	key            string // spelling of the header's name
	ok             bool
	gen            string  // generation the call was made in
	why            refusal // of one that is not ok
}

// versionIndex places a version in a histogram, -1 for mixed and none.
func versionIndex(v spec.Version) int {
	switch v {
	case spec.V01:
		return 0
	case spec.V02:
		return 1
	case spec.V03:
		return 2
	case spec.V10Draft:
		return 3
	case spec.V10:
		return 4
	}
	return -1
}

var histogramVersions = [5]spec.Version{spec.V01, spec.V02, spec.V03, spec.V10Draft, spec.V10}

// genIndex places a version in a pair of generations.
func genIndex(v string) int {
	switch generation(v) {
	case "0.3":
		return 0
	case "1.0":
		return 1
	}
	return -1
}

// gens says which generations a pair of flags stands for.
func gens(flags [2]bool) string {
	switch flags {
	case [2]bool{true, true}:
		return "both"
	case [2]bool{true, false}:
		return "0.3"
	case [2]bool{false, true}:
		return "1.0"
	}
	return ""
}

// shown folds the histogram of a peer into generations.
func (p *peer) shown() [2]bool {
	return [2]bool{p.answered[0]+p.answered[1]+p.answered[2] > 0, p.answered[3]+p.answered[4] > 0}
}

// keyOf names the peer of a call.
func (m *memory) keyOf(c *decode.Call, s *seen) peerKey {
	k := peerKey{authority: s.authority, binding: string(c.Binding)}
	switch {
	case c.Binding == spec.GRPC:
	case s.match.group != nil:
		k.base = s.match.group.address.path
	case c.Binding == spec.HTTPJSON && c.Path.Template != "":
		// The same address with and without the prefix of 0.3 is one peer.
		k.base = strings.TrimSuffix(s.before, "/v1")
	default:
		k.base = s.path
	}
	return k
}

// peerOf returns the peer of a call, creating it.
func (m *memory) peerOf(c *decode.Call, s *seen) *peer {
	if s.peer != nil {
		return s.peer
	}
	k := m.keyOf(c, s)
	p, fresh := m.peers.take(k)
	if fresh {
		p.key = k
		o := m.origin(s.authority, c.Exchange.ID)
		if len(o.peers) < maxPeers/64 {
			o.peers = append(o.peers, k)
		}
	}
	s.peer = p
	return p
}

// declaredWord names the declared value the way accepted and refused values are
// kept; "" where it is unknown.
func declaredWord(d *decode.Declared) string {
	switch d.Presence {
	case "set":
		return cut(d.Raw)
	case "unknown":
		return ""
	case "empty":
		return "empty"
	}
	return "absent"
}

// learnPeer takes the end of a call in.
func (m *memory) learnPeer(c *decode.Call, s *seen) {
	p := m.peerOf(c, s)
	p.calls++
	o := m.origin(s.authority, c.Exchange.ID)
	o.calls++
	o.a2a = o.a2a || c.Sure == decode.Certain
	failed := c.Outcome != spec.OK
	if failed {
		p.failed++
		o.failures++
	}
	if c.Outcome == spec.ForeignError {
		p.foreign++
	}
	if c.Response.Sure == decode.Certain || c.Response.Sure == decode.Likely {
		i := versionIndex(c.Response.Value)
		switch {
		case i < 0:
		case failed:
			p.erred[genIndex(string(c.Response.Value))] = true
		default:
			p.answered[i]++
			o.gens[genIndex(string(c.Response.Value))] = true
		}
	}
	word := declaredWord(&c.Declared)
	switch {
	case !failed:
		p.accepted = addBounded(p.accepted, word)
		if i := genIndex(string(requestGeneration(c))); i >= 0 {
			p.ok[i] = true
		}
	case c.Fault != nil && c.Fault.A2A == "VersionNotSupportedError":
		p.refused = addBounded(p.refused, word)
		m.refusals++
	}
	if c.Method != "" && word != "" && len(p.names) < maxNames {
		n := named{cut(c.Method), word, versionKey(c.Exchange), !failed, generation(string(requestGeneration(c))), refusalOf(c)}
		if !hasNamed(p.names, n) {
			p.names = append(p.names, n)
		}
	}
	if i := turnedAway(c); i >= 0 {
		p.turned[i] = true
	}
	switch c.Binding {
	case spec.GRPC:
		p.learnGRPC(c)
	case spec.HTTPJSON:
		p.learnREST(c, s)
	}
}

func (p *peer) learnGRPC(c *decode.Call) {
	if c.GRPC.Status == 12 && (c.Fault == nil || !c.Fault.HasInfo) {
		p.unimpl++
		return
	}
	if c.GRPC.Status < 0 {
		return
	}
	p.others++
	if c.Outcome == spec.OK || c.Fault != nil && c.Fault.A2A != "" {
		if i := packageIndex(c.GRPC.Package); i >= 0 {
			p.packages[i] = true
		}
	}
}

func packageIndex(pkg string) int {
	switch pkg {
	case "a2a.v1":
		return 0
	case "lf.a2a.v1":
		return 1
	}
	return -1
}

func (p *peer) learnREST(c *decode.Call, s *seen) {
	foreign := c.Fault != nil && c.Fault.Shape == "foreign"
	verb := ""
	if r := c.Exchange.Request; r != nil {
		verb = r.Method
	}
	p.deadEnd = p.deadEnd || foreign && s.before == p.key.base
	if c.Outcome == spec.OK {
		if strings.HasSuffix(s.before, "/v1") && generation(string(c.Response.Value)) != "1.0" && generation(string(requestGeneration(c))) != "1.0" {
			p.v1Served = true
		}
		if s.before == p.key.base {
			p.plain = true
		}
		if slashForColon(s.path) {
			p.slash = true
		} else {
			p.colon = true
		}
	}
	if c.Operation != spec.SubscribeToTask {
		return
	}
	switch {
	case c.Outcome == spec.OK:
		p.verbs = addBounded(p.verbs, verb)
	case foreign || idHasVerb(c):
		p.deaf = addBounded(p.deaf, verb)
	}
}

// requestGeneration is the version a server was asked in: by the name of the
// call where name and body disagree (classify 3.3).
func requestGeneration(c *decode.Call) spec.Version {
	if c.Request.Value == spec.Mixed {
		return c.Request.Call
	}
	return c.Request.Value
}

// versionKey returns how the client spelled the name of the version header.
func versionKey(x *capture.Exchange) string {
	if x.Request == nil {
		return ""
	}
	for i := range x.Request.Fields {
		if n := x.Request.Fields[i].Name; len(n) == len("a2a-version") && strings.EqualFold(n, "a2a-version") {
			return n
		}
	}
	return ""
}

func hasNamed(list []named, n named) bool {
	for i := range list {
		if list[i] == n {
			return true
		}
	}
	return false
}

func addBounded(list []string, v string) []string {
	if len(list) >= maxValues {
		return list
	}
	return addOnce(list, v)
}
