package diagnose

import (
	"hash/maphash"
	"net/netip"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
)

// Limits of the memory. Each is far above what one capture point sees of real
// agents, and low enough that a port scan or a week of traffic costs little.
const (
	maxOrigins   = 1024
	maxPeers     = 4096
	maxClients   = 1024
	maxSessions  = 1024
	maxTasks     = 16384
	maxWebhooks  = 2048
	maxAlike     = 4096  // questions that may be asked again over another binding
	maxOpen      = 16384 // exchanges in progress
	maxEnded     = 2048  // exchanges that have ended and may be judged once more: a note of one takes 2 kB
	maxCards     = 8     // cards kept for an origin
	maxSigned    = 32    // signed cards kept to be met again in front of a hop
	maxNames     = 48    // names remembered of a peer, with the header value each was sent under
	maxValues    = 16    // declared values remembered of a peer
	maxSteps     = 64    // calls remembered of a session
	maxWatches   = 256   // exchanges whose consequences are waited for
	sessionGap   = 10 * time.Minute
	recoverSpan  = 60 * time.Second
	giveUpSpan   = 60 * time.Second
	repeatSpan   = 5 * time.Second
	maxWordBytes = 256 // a name or value longer than this is remembered cut
)

// memory is what has been learnt of agents, clients, tasks and webhooks. It
// belongs to the engine's goroutine.
//
// Credentials, tokens and bodies are remembered as hashes with a salt of this
// run only, and never become facts.
type memory struct {
	salt     maphash.Seed
	now      time.Time // of the traffic
	origins  *shelf[string, origin]
	peers    *shelf[peerKey, peer]
	clients  *shelf[clientKey, client]
	sessions *shelf[sessionKey, session]
	tasks    *shelf[taskKey, task]
	hooks    *shelf[string, webhook]
	hosts    *shelf[string, int] // exchanges by authority, of every kind
	open     *shelf[capture.ExchangeID, seen]
	ended    []capture.ExchangeID // a ring of those in open that have ended
	endedAt  int
	hops     *shelf[uint64, hop]
	walks    *shelf[walkKey, walk]
	alike    *shelf[alikeKey, alike]
	watches  []*watch
	missed   time.Time                      // up to which some of the traffic is not known
	servers  *shelf[netip.AddrPort, string] // the authority under which A2A was spoken to an address
	cards    int                            // grows with every card read: matches made before are stale
	refusals int                            // VersionNotSupported answers so far
	signed   []*card                        // the newest signed cards, oldest first
}

func newMemory() *memory {
	return &memory{
		salt:     maphash.MakeSeed(),
		origins:  newShelf[string, origin](maxOrigins),
		peers:    newShelf[peerKey, peer](maxPeers),
		clients:  newShelf[clientKey, client](maxClients),
		sessions: newShelf[sessionKey, session](maxSessions),
		tasks:    newShelf[taskKey, task](maxTasks),
		hooks:    newShelf[string, webhook](maxWebhooks),
		hosts:    newShelf[string, int](maxOrigins),
		alike:    newShelf[alikeKey, alike](maxAlike),
		hops:     newShelf[uint64, hop](maxHops),
		walks:    newShelf[walkKey, walk](maxWalks),
		servers:  newShelf[netip.AddrPort, string](maxOrigins),
		open:     newShelf[capture.ExchangeID, seen](maxOpen),
	}
}

// origin is an authority that A2A was spoken to, or that a card names.
type origin struct {
	authority string
	first     capture.ExchangeID
	home      string  // authority of the card that declares an url here; "" when none does
	cards     []*card // fetched here or declaring an url here, newest last
	peers     []peerKey
	gens      [2]bool  // generations its answers showed
	targets   []string // paths that a redirect led to
	calls     int
	failures  int
	moved     time.Time // a call that is no list last showed a new task, or a new state of one
	a2a       bool      // certain A2A traffic was seen
	mcp       []string  // paths, with a slash at the end, where a call of MCP was answered
}

// card is one version of an agent card as one client got it.
type card struct {
	card      *decode.AgentCard
	exchange  capture.ExchangeID
	at        time.Time
	started   time.Time // of the fetch
	answered  time.Time
	conn      capture.ConnID
	server    string
	authority string // it was fetched from
	path      string
	declared  string // A2A-Version of the fetch, "" when none
	reader    clientKey
	fetches   int // of this reader here, with the same A2A-Version
	hash      uint64
	groups    []group
	hasV10    bool
	hasV03    bool
	bindings  []string
}

// group is what a card says of one url and binding: usually one entry, two
// where both generations share the url.
type group struct {
	address  address
	url      string // as written
	binding  string
	versions []string // Major.Minor, "" entries left out
	tenants  []string
	bare     bool // a 1.0 entry without a tenant is among them
	place    decode.Place
	index    int
	hasV10   bool
	hasV03   bool
}

func (g *group) declares(version string) bool {
	gen := generation(version)
	if gen == "" {
		return contains(g.versions, version)
	}
	return gen == "1.0" && g.hasV10 || gen == "0.3" && g.hasV03
}

func contains(list []string, v string) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// origin returns what is known of an authority, creating it.
func (m *memory) origin(authority string, x capture.ExchangeID) *origin {
	o, fresh := m.origins.take(authority)
	if fresh {
		o.authority, o.first = authority, x
	}
	return o
}

// learnCard takes a card in.
func (m *memory) learnCard(c *decode.Call, s *seen) {
	n := newCard(c, s, m)
	if len(n.groups) == 0 && c.Kind != "card" {
		return
	}
	m.cards++
	home := m.origin(n.authority, n.exchange)
	for _, k := range home.cards {
		if k.replacedBy(n) {
			n.fetches += k.fetches
		}
	}
	home.add(n)
	if n.card.Signatures > 0 {
		if len(m.signed) >= maxSigned {
			m.signed = append(m.signed[:0:0], m.signed[1:]...)
		}
		m.signed = append(m.signed, n)
	}
	for i := range n.groups {
		a := n.groups[i].address.authority
		if a == "" || a == n.authority {
			continue
		}
		o := m.origin(a, n.exchange)
		o.home = n.authority
		o.add(n)
	}
	m.watchCard(c, s, n)
}

// add keeps the card as the newest; the same card read again replaces the older reading.
func (o *origin) add(n *card) {
	keep := o.cards[:0:0]
	for _, k := range o.cards {
		if !k.replacedBy(n) {
			keep = append(keep, k)
		}
	}
	if len(keep) >= maxCards {
		keep = keep[1:]
	}
	o.cards = append(keep, n)
}

// replacedBy: n is a later reading of the same client from the same place.
func (k *card) replacedBy(n *card) bool {
	return k.authority == n.authority && k.path == n.path && k.declared == n.declared && k.reader == n.reader && k.card.Extended == n.card.Extended
}

func newCard(c *decode.Call, s *seen, m *memory) *card {
	n := &card{
		card: c.AgentCard, exchange: c.Exchange.ID, at: m.now, authority: s.authority,
		reader: s.client, declared: "", fetches: 1,
		started: c.Exchange.Started, answered: c.Exchange.Answered, conn: c.Exchange.Conn, server: serverOf(c.Exchange),
	}
	if c.Exchange.Request != nil {
		n.path = c.Exchange.Request.Path()
	}
	if c.Declared.Presence == "set" {
		n.declared = cut(c.Declared.Raw)
	}
	n.hash = maphash.Bytes(m.salt, c.AgentCard.Node.Raw())
	for i := range c.AgentCard.Interfaces {
		n.addEntry(&c.AgentCard.Interfaces[i], i)
	}
	return n
}

// addEntry sorts an entry into its group. A url without origin is read
// relative to the place the card came from.
func (n *card) addEntry(e *decode.Interface, index int) {
	a := parseAddress(e.URL)
	if a.authority == "" {
		a.authority = n.authority
	}
	b := bindingWord(e.Binding)
	if b == "GRPC" {
		a.path = "" // a gRPC channel has no path
	}
	v := e.Version
	if v == "" && n.card.Vocabulary != "1.0" && e.From != "supportedInterfaces" {
		v = "0.3" // the 0.3 vocabulary without a version is at most that
	}
	n.bindings = addOnce(n.bindings, b)
	var g *group
	for i := range n.groups {
		x := &n.groups[i]
		if x.binding == b && x.address.authority == a.authority && x.address.path == a.path {
			g = x
			break
		}
	}
	if g == nil {
		n.groups = append(n.groups, group{address: a, url: e.URL, binding: b, place: e.At, index: index})
		g = &n.groups[len(n.groups)-1]
	}
	g.versions = addOnce(g.versions, v)
	g.tenants = addOnce(g.tenants, e.Tenant)
	g.bare = g.bare || e.Tenant == "" && e.From == "supportedInterfaces" && generation(v) != "0.3"
	switch generation(v) {
	case "1.0":
		g.hasV10, n.hasV10 = true, true
	case "0.3":
		g.hasV03, n.hasV03 = true, true
	}
}

// cut bounds a word that is remembered.
func cut(s string) string {
	if len(s) > maxWordBytes {
		return s[:maxWordBytes]
	}
	return s
}
