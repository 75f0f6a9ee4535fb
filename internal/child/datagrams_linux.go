package child

import (
	"encoding/binary"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Datagrams other than questions to DNS go nowhere: in a network of its own
// every address is this machine, and nobody listens on the port. The kernel says
// so with "port unreachable", from which clients learn at once that HTTP/3 does
// not work here. Those messages are read, so that it can be told.

// maxRefused bounds the addresses that are told of.
const maxRefused = 16

// refusals opens sockets that hear what is unreachable. Where that is not
// allowed there are none, and nothing is told.
func refusals() (all []net.PacketConn) {
	for _, network := range []string{"ip4:icmp", "ip6:ipv6-icmp"} {
		if pc, err := net.ListenPacket(network, ""); err == nil {
			all = append(all, pc)
		}
	}
	return all
}

// refuse tells the other end once of each address to which datagrams were
// refused, until pc is closed.
func (in *inside) refuse(pc net.PacketConn) {
	told := map[netip.AddrPort]bool{}
	b := make([]byte, maxMessage)
	for {
		n, _, err := pc.ReadFrom(b)
		if err != nil {
			return
		}
		to, ok := unreachable(b[:n])
		if !ok || told[to] || len(told) >= maxRefused {
			continue
		}
		told[to] = true
		if in.ctl.send(message{Kind: refused, Addr: to.String()}) != nil {
			return
		}
	}
}

// unreachable reads where the datagram was to go that a "port unreachable"
// quotes (RFC 792, RFC 4443 section 3.1).
func unreachable(b []byte) (to netip.AddrPort, ok bool) {
	const head, udpHead = 8, 8
	if len(b) < head+20 {
		return to, false
	}
	ip := b[head:]
	var dst []byte
	var udp int
	switch {
	case b[0] == 3 && b[1] == 3 && ip[0]>>4 == 4 && ip[9] == unix.IPPROTO_UDP:
		dst, udp = ip[16:20], int(ip[0]&15)*4
	case b[0] == 1 && b[1] == 4 && ip[0]>>4 == 6 && len(ip) >= 40 && ip[6] == unix.IPPROTO_UDP:
		dst, udp = ip[24:40], 40
	default:
		return to, false
	}
	if len(ip) < udp+udpHead {
		return to, false
	}
	a, _ := netip.AddrFromSlice(dst)
	return netip.AddrPortFrom(a, binary.BigEndian.Uint16(ip[udp+2:])), true
}
