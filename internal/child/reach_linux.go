package child

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// Origin says where a connection that arrived at one of Listeners was meant to go.
func (c *Child) Origin(conn *net.TCPConn) (netip.AddrPort, error) {
	local := conn.LocalAddr().(*net.TCPAddr).AddrPort()
	raw, err := conn.SyscallConn()
	if err != nil {
		return netip.AddrPort{}, err
	}
	var to netip.AddrPort
	cerr := raw.Control(func(fd uintptr) { to, err = originalDestination(int(fd), local.Addr().Is4()) })
	if cerr != nil {
		return to, cerr
	}
	if err != nil {
		return to, fmt.Errorf("the original destination: %w", err)
	}
	if to.Port() == local.Port() && to.Addr().IsLoopback() {
		return to, errors.New("it was meant for the redirect itself")
	}
	return to, nil
}

// originalDestination asks the connection tracker. The two options are those of
// linux/netfilter_ipv4.h and linux/netfilter_ipv6/ip6_tables.h; the types that
// x/sys offers for reading them have the right size and another meaning.
func originalDestination(fd int, four bool) (netip.AddrPort, error) {
	const option = 80
	if four {
		m, err := unix.GetsockoptIPv6Mreq(fd, unix.SOL_IP, option)
		if err != nil {
			return netip.AddrPort{}, err
		}
		b := m.Multiaddr // a sockaddr_in: family, port, address
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), uint16(b[2])<<8|uint16(b[3])), nil
	}
	m, err := unix.GetsockoptIPv6MTUInfo(fd, unix.SOL_IPV6, option)
	if err != nil {
		return netip.AddrPort{}, err
	}
	p := nativeHalf(m.Addr.Port)
	return netip.AddrPortFrom(netip.AddrFrom16(m.Addr.Addr).Unmap(), p), nil
}

// Dial connects to an address as the program sees the network: a server of the
// program first, where it is an address of this machine, then the host.
func (c *Child) Dial(ctx context.Context, addr string) (net.Conn, error) {
	to, err := netip.ParseAddrPort(addr)
	n := c.net
	if err != nil || n == nil {
		return dialHost(ctx, addr)
	}
	conn, err := n.reach(ctx, to)
	if err == nil {
		return conn, nil
	}
	// A client that is refused at one address of localhost takes the other. Ours
	// was not refused, since the redirect had to accept it: so we do it for him.
	other, ok := otherLocalhost(to)
	if !ok || !errors.Is(err, syscall.ECONNREFUSED) {
		return nil, err
	}
	conn, again := n.reach(ctx, other)
	if again != nil {
		return nil, err
	}
	if c.o.Instead != nil {
		c.o.Instead(to, other)
	}
	return conn, nil
}

func dialHost(ctx context.Context, addr string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", addr)
}

func (n *network) reach(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	ip := to.Addr().Unmap()
	if ip.IsLoopback() || slices.Contains(n.own, ip) {
		conn, err := n.dialInside(ctx, to)
		if err == nil {
			return conn, nil
		}
		if n.published(to.Port()) {
			return nil, syscall.ECONNREFUSED // the host's port leads here again
		}
	}
	return dialHost(ctx, to.String())
}

func otherLocalhost(a netip.AddrPort) (netip.AddrPort, bool) {
	v4 := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	switch a.Addr().Unmap() {
	case v4:
		return netip.AddrPortFrom(netip.IPv6Loopback(), a.Port()), true
	case netip.IPv6Loopback():
		return netip.AddrPortFrom(v4, a.Port()), true
	}
	return a, false
}

// dialInside asks our process in the namespace for a connection.
func (n *network) dialInside(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	w := make(chan reply, 1)
	n.mu.Lock()
	if n.waiting == nil || n.closed {
		n.mu.Unlock()
		return nil, errOver
	}
	n.asked++
	id := n.asked
	n.waiting[id] = w
	n.mu.Unlock()
	forget := func() {
		n.mu.Lock()
		delete(n.waiting, id)
		n.mu.Unlock()
	}
	if err := n.ctl.send(message{Kind: dial, ID: id, Addr: to.String()}); err != nil {
		forget()
		return nil, err
	}
	select {
	case r := <-w:
		if r.err != nil {
			return nil, r.err
		}
		return r.conn, nil
	case <-ctx.Done():
		forget()
		select { // it may have come meanwhile
		case r := <-w:
			if r.conn != nil {
				_ = r.conn.Close()
			}
		default:
		}
		return nil, ctx.Err()
	}
}

func (n *network) published(port uint16) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for a, ln := range n.open {
		if a.Port() == port && ln != nil {
			return true
		}
	}
	return false
}

// publish opens on the host what the program listens on, and closes the rest.
func (n *network) publish(list []string) {
	var now []netip.AddrPort
	for _, s := range list {
		if a, err := netip.ParseAddrPort(s); err == nil {
			now = append(now, a)
		}
	}
	var told []Port
	n.mu.Lock()
	if !n.closed {
		for a, ln := range n.open {
			if !slices.Contains(now, a) {
				delete(n.open, a)
				told = append(told, Port{Addr: a, Listener: ln, Gone: true})
			}
		}
		for _, a := range now {
			if _, known := n.open[a]; known {
				continue
			}
			ln, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(a))
			n.open[a] = ln
			told = append(told, Port{Addr: a, Listener: ln, Err: err})
		}
	}
	n.mu.Unlock()
	n.tell(told)
}

// tell passes on what changed; ports that are gone are closed.
func (n *network) tell(told []Port) {
	for _, p := range told {
		if n.c.o.Published != nil {
			n.c.o.Published(p)
		}
		if p.Listener != nil && (p.Gone || n.c.o.Published == nil) {
			_ = p.Listener.Close()
		}
	}
}
