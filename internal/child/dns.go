package child

import (
	"context"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	domainPort   = 53
	maxServers   = 3   // as many as resolv.conf may name
	maxQuestions = 128 // at a time; further ones are dropped, and asked again
	maxDatagram  = 64 << 10
	questionWait = 4 * time.Second // of one server; clients wait five
)

// resolvers are the DNS servers of this machine.
func resolvers(file string) []string {
	var all []string
	b, _ := os.ReadFile(file)
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] != "nameserver" || len(all) >= maxServers {
			continue
		}
		if ip, err := netip.ParseAddr(f[1]); err == nil {
			all = append(all, netip.AddrPortFrom(ip, domainPort).String())
		}
	}
	if len(all) == 0 {
		all = []string{"127.0.0.1:53"} // what resolvers do without the file
	}
	return all
}

// answer passes the questions that arrive on pc to the servers, and their
// answers back, until pc is closed.
func answer(ctx context.Context, pc *net.UDPConn, servers []string) {
	var owned sync.WaitGroup
	defer owned.Wait()
	slots := make(chan struct{}, maxQuestions)
	b := make([]byte, maxDatagram)
	for {
		n, from, err := pc.ReadFromUDPAddrPort(b)
		if err != nil {
			if ctx.Err() != nil || n == 0 && !isPassing(err) {
				return
			}
			continue
		}
		q := append([]byte(nil), b[:n]...)
		select {
		case slots <- struct{}{}:
		default:
			continue
		}
		owned.Go(func() {
			defer func() { <-slots }()
			if a := ask(ctx, q, servers); a != nil {
				_, _ = pc.WriteToUDPAddrPort(a, from)
			}
		})
	}
}

// isPassing reports errors that a UDP socket has because of an earlier datagram.
func isPassing(err error) bool {
	ne, ok := err.(net.Error)
	return ok && !ne.Timeout() && strings.Contains(err.Error(), "refused")
}

// ask asks the servers in turn. Where none answers, the answer is SERVFAIL.
func ask(ctx context.Context, q []byte, servers []string) []byte {
	const head = 12
	if len(q) < head {
		return nil
	}
	for _, s := range servers {
		if a := askOne(ctx, q, s); a != nil {
			return a
		}
	}
	a := append([]byte(nil), q...)
	a[2] |= 0x80                // an answer (RFC 1035 4.1.1)
	a[3] = a[3]&0x70 | 0x80 | 2 // recursion available; server failure
	return a
}

func askOne(ctx context.Context, q []byte, server string) []byte {
	ctx, cancel := context.WithTimeout(ctx, questionWait)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "udp", server)
	if err != nil {
		return nil
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { _ = c.Close() }) // a deadline would need a clock
	defer stop()
	if _, err := c.Write(q); err != nil {
		return nil
	}
	b := make([]byte, maxDatagram)
	for {
		n, err := c.Read(b)
		if err != nil {
			return nil
		}
		if n >= 2 && b[0] == q[0] && b[1] == q[1] { // the answer to this question
			return b[:n]
		}
	}
}
