package script

import (
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"a2ascope/capture"
)

// turn reads '= NAME[/LANE] [client ADDR] [server ADDR] [name HOST] [tls [1.2]] [midstream]'.
func (p *parser) turn(arg string) {
	words := strings.Fields(arg)
	if len(words) == 0 {
		p.fail(1, "the name of a connection expected, such as '= a' or '= a client 10.0.0.1:50000 server 10.0.0.2:443 tls'")
		return
	}
	p.seal(p.cur)
	name, laneName, _ := strings.Cut(words[0], "/")
	if name == "" {
		p.fail(strings.Index(p.text, words[0]), "a connection without a name")
		return
	}
	c := p.byName[name]
	if c == nil {
		c = p.connect(name)
		p.options(c, words[1:])
	} else if len(words) > 1 {
		p.fail(strings.Index(p.text, words[1]), "connection "+c.label()+" is there already; its addresses are said when it is named first")
	}
	p.cur = c.lane(laneName)
}

func (p *parser) options(c *conn, words []string) {
	port := false
	for i := 0; i < len(words); i++ {
		word := words[i]
		at := wordAt(p.text, i+2)
		next := func() string {
			if i+1 < len(words) {
				i++
				return words[i]
			}
			return ""
		}
		switch word {
		case "client", "server":
			a, err := netip.ParseAddrPort(next())
			if err != nil {
				p.fail(at, "an address with its port expected after '"+word+"', such as 10.0.0.1:8080 or [2001:db8::1]:8080")
				return
			}
			if word == "client" {
				c.client = a
			} else {
				c.server, port = a, true
			}
		case "name":
			if c.host = next(); c.host == "" {
				p.fail(at, "a host name expected after 'name'")
				return
			}
		case "tls":
			c.tls = "1.3"
			if i+1 < len(words) && (words[i+1] == "1.2" || words[i+1] == "1.3") {
				c.tls = next()
			}
			if !port {
				c.server = netip.AddrPortFrom(c.server.Addr(), 443)
			}
		case "midstream":
			c.midstream = true
		default:
			p.fail(at, "unknown word '"+word+"'; a connection takes client ADDR, server ADDR, name HOST, tls [1.2] and midstream")
			return
		}
	}
}

// wordAt returns the byte offset of the n-th word of the line, from 1 behind the mark.
func wordAt(line string, n int) int {
	in, count := false, 0
	for i := 1; i < len(line); i++ {
		blank := line[i] == ' ' || line[i] == '\t'
		if !blank && !in {
			if count++; count == n {
				return i
			}
		}
		in = !blank
	}
	return len(line)
}

// The addresses of connections that do not say theirs are of the range kept
// for documentation (RFC 5737).
func (p *parser) connect(name string) *conn {
	id := capture.ConnID(len(p.play.conns) + 1)
	c := &conn{
		id: id, name: name, lanes: map[string]*lane{},
		client: netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, 1}), uint16(49999+min(id, 15000))),
		server: netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, 2}), 80),
	}
	p.play.conns = append(p.play.conns, c)
	p.byName[name] = c
	return c
}

// here returns the lane that is spoken on; the first connection needs no name.
func (p *parser) here() *lane {
	if p.cur == nil {
		p.cur = p.connect("").lane("")
	}
	p.cur.conn.used = true
	return p.cur
}

func (c *conn) lane(name string) *lane {
	l := c.lanes[name]
	if l == nil {
		l = &lane{conn: c}
		c.lanes[name] = l
	}
	return l
}

// order returns the lanes in the order of their names.
func (c *conn) order() []*lane {
	var ls []*lane
	for _, name := range slices.Sorted(maps.Keys(c.lanes)) {
		ls = append(ls, c.lanes[name])
	}
	return ls
}

func (c *conn) label() string {
	if c.name == "" {
		return "1"
	}
	return c.name
}

func itoa(n int) string { return strconv.Itoa(n) }
