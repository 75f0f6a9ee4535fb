package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	jsonrpc = "JSONRPC"
	rest    = "HTTP+JSON"
	grpc    = "GRPC"
)

// client is one of the four SDKs as a client.
type client struct {
	name     string
	argv     []string
	version  string
	bindings []string
	ops      []string
}

// server is one of the four SDKs as an agent, running.
type server struct {
	name     string
	version  string
	card     string            // base URL of its card
	endpoint map[string]string // by binding
}

// Operations that every client has: unary calls, streams, a stream that the
// client leaves, a task that is cancelled while it works, and errors.
var common = []string{"send:hello", "send:message:hi", "send:fail", "stream:hello", "get", "hookset", "hookget", "hookdelete",
	"get:unknown", "cancel:unknown", "subscribe:unknown", "sendnow:slow", "cancel", "streamcut:hello"}

func (l *lab) clients() []client {
	node := func(name string) []string { return []string{"node", l.peers + "/" + name + "/client.mjs"} }
	built := func(name string) []string { return []string{l.scratch + "/" + name} }
	all := []string{jsonrpc, rest, grpc}
	more := append(slices.Clone(common), "list", "extcard")
	return []client{
		{"go10", built("go10"), "1.0", all, more},
		{"js10", node("js10"), "1.0", all, append(slices.Clone(common), "list")},
		{"go03", built("go03"), "0.3", []string{jsonrpc, grpc}, append(slices.Clone(common), "extcard")},
		{"js03", node("js03"), "0.3", all, common},
	}
}

// servers starts the four agents.
func (l *lab) servers() ([]server, error) {
	var ports []int
	for range 9 {
		p, err := freePort("127.0.0.1")
		if err != nil {
			return nil, err
		}
		ports = append(ports, p)
	}
	text := func(i int) string { return fmt.Sprint(ports[i]) }
	url := func(i int, path string) string { return "http://127.0.0.1:" + text(i) + path }
	bare := func(i int) string { return "127.0.0.1:" + text(i) }
	all := []server{
		{"go10", "1.0", url(0, ""), map[string]string{jsonrpc: url(0, ""), rest: url(1, ""), grpc: bare(2)}},
		{"go03", "0.3", url(3, ""), map[string]string{jsonrpc: url(3, ""), grpc: bare(4)}},
		{"js10", "1.0", url(5, ""), map[string]string{jsonrpc: url(5, "/a2a/jsonrpc"), rest: url(5, "/a2a/rest"), grpc: bare(6)}},
		{"js03", "0.3", url(7, ""), map[string]string{jsonrpc: url(7, "/a2a/jsonrpc"), rest: url(7, "/a2a/rest"), grpc: bare(8)}},
	}
	const host = "127.0.0.1"
	for _, start := range []func() error{
		func() error {
			return l.serve("go10", host, ports[0:3], l.scratch+"/go10", "server", "-jsonrpc", text(0), "-rest", text(1), "-grpc", text(2))
		},
		func() error {
			return l.serve("go03", host, ports[3:5], l.scratch+"/go03", "server", "-jsonrpc", text(3), "-grpc", text(4))
		},
		func() error {
			return l.serve("js10", host, ports[5:7], "node", l.peers+"/js10/server.mjs", "--http", text(5), "--grpc", text(6))
		},
		func() error {
			return l.serve("js03", host, ports[7:9], "node", l.peers+"/js03/server.mjs", "--http", text(7), "--grpc", text(8))
		},
	} {
		if err := start(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// run is one client against one agent over one binding.
type run struct {
	client  client
	server  server
	binding string
	way     string // "card", "compat" (a card, read by the SDK's layer for 0.3) or "endpoint" (no card)
}

func (r run) String() string {
	return fmt.Sprintf("%s on %s, %s, %s", r.client.name, r.server.name, r.binding, r.way)
}

// runs lists what can be combined. A client of one version that reads the card
// of the other does not get as far as a call in most SDKs; without the card it
// does, and that is what the rules of the wire are about.
func runs(clients []client, servers []server) []run {
	var all []run
	for _, c := range clients {
		for _, s := range servers {
			for _, b := range c.bindings {
				if s.endpoint[b] == "" {
					continue
				}
				all = append(all, run{c, s, b, "card"})
				if c.version != s.version {
					all = append(all, run{c, s, b, "endpoint"})
				}
				if c.version == "1.0" && s.version == "0.3" {
					all = append(all, run{c, s, b, "compat"})
				}
			}
		}
	}
	return all
}

// flags returns the client's arguments.
func (r run) flags(card, endpoint string) []string {
	argv := slices.Clone(r.client.argv)
	if r.way == "endpoint" {
		argv = append(argv, "--endpoint", endpoint)
	} else {
		argv = append(argv, "--card", card)
	}
	if r.way == "compat" {
		argv = append(argv, "--compat")
	}
	return append(argv, "--binding", r.binding, "--ops", strings.Join(r.client.ops, ","))
}

// result is what a run gave.
type result struct {
	direct string // what the client said, without what differs from run to run
	lines  []line // what the tap saw
}

// do runs a client without and with the tap; what it says must be the same.
func (l *lab) do(r run) (result, error) {
	var res result
	direct, err := l.client(nil, r.flags(r.server.card, r.server.endpoint[r.binding])...)
	if err != nil {
		return res, err
	}
	res.direct = plain(direct)
	target, endpoint := r.server.card, r.server.endpoint[r.binding]
	if r.way == "endpoint" {
		target = origin(endpoint)
	}
	t, err := l.tapped(target)
	if err != nil {
		return res, err
	}
	tapped, cerr := l.client(nil, r.flags(t.url, through(endpoint, t.url))...)
	if res.lines, err = t.end(); err != nil {
		return res, err
	}
	if cerr != nil {
		return res, cerr
	}
	return res, same(res.direct, plain(tapped))
}

func same(direct, tapped string) error {
	if direct == tapped {
		return nil
	}
	return fmt.Errorf("the client says something else through the tap:\n%s", diff(direct, tapped))
}

// origin is an endpoint without its path.
func origin(endpoint string) string {
	if i := strings.Index(endpoint, "://"); i >= 0 {
		host, _, _ := strings.Cut(endpoint[i+3:], "/")
		return endpoint[:i+3] + host
	}
	return "http://" + endpoint
}

// through is an endpoint as it is called through the tap.
func through(endpoint, tap string) string {
	if strings.Contains(endpoint, "://") {
		return tap + strings.TrimPrefix(endpoint, origin(endpoint))
	}
	return strings.TrimPrefix(tap, "http://")
}

var (
	warner = regexp.MustCompile(`\(node:\d+\)`) // of warnings, with its process
	ids    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	times  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)|"(seconds|nanos)":"?\d+"?`)
	ports  = regexp.MustCompile(`\b\d+\.\d+\.\d+\.\d+:\d+`)
)

// plain takes out of a client's words what differs from run to run: ids keep
// their order of appearance, so that a mix-up still shows.
func plain(s string) string {
	seen := map[string]string{}
	s = ids.ReplaceAllStringFunc(s, func(id string) string {
		if seen[id] == "" {
			seen[id] = fmt.Sprintf("<id %d>", len(seen)+1)
		}
		return seen[id]
	})
	s = warner.ReplaceAllString(s, "(node)")
	return ports.ReplaceAllString(times.ReplaceAllString(s, "<time>"), "<address>")
}

// diff names the lines that differ.
func diff(want, got string) string {
	var b strings.Builder
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		var x, y string
		if i < len(w) {
			x = w[i]
		}
		if i < len(g) {
			y = g[i]
		}
		if x != y {
			fmt.Fprintf(&b, "-%s\n+%s\n", x, y)
		}
	}
	return b.String()
}
