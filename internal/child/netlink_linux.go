package child

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// attr appends a netlink attribute; nested ones are built first and given as data.
func attr(b []byte, typ uint16, data []byte) []byte {
	n := 4 + len(data)
	b = binary.NativeEndian.AppendUint16(b, uint16(n))
	b = binary.NativeEndian.AppendUint16(b, typ)
	b = append(b, data...)
	for ; n%4 != 0; n++ {
		b = append(b, 0)
	}
	return b
}

func nested(typ uint16, data []byte) []byte { return attr(nil, typ|unix.NLA_F_NESTED, data) }

func text(s string) []byte { return append([]byte(s), 0) }

func big16(n uint16) []byte { return binary.BigEndian.AppendUint16(nil, n) }
func big32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// netlinkMessage appends a whole message with its header.
func netlinkMessage(b []byte, typ, flags uint16, seq uint32, payload []byte) []byte {
	b = binary.NativeEndian.AppendUint32(b, uint32(unix.NLMSG_HDRLEN+len(payload)))
	b = binary.NativeEndian.AppendUint16(b, typ)
	b = binary.NativeEndian.AppendUint16(b, flags)
	b = binary.NativeEndian.AppendUint32(b, seq)
	b = binary.NativeEndian.AppendUint32(b, 0)
	return append(b, payload...)
}

// talk sends messages to a part of the kernel and waits until acks of them were
// acknowledged.
func talk(family int, messages []byte, acks int) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, family)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// An answer that does not come must not hang the start of a program.
	wait := unix.Timeval{Sec: 5}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait); err != nil {
		return err
	}
	if err := unix.Sendto(fd, messages, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	b := make([]byte, 16<<10)
	for acks > 0 {
		n, _, err := unix.Recvfrom(fd, b, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("no answer of the kernel: %w", err)
		}
		for in := b[:n]; len(in) >= unix.NLMSG_HDRLEN; {
			size := int(binary.NativeEndian.Uint32(in))
			if size < unix.NLMSG_HDRLEN || size > len(in) {
				return errors.New("an answer of the kernel that makes no sense")
			}
			if binary.NativeEndian.Uint16(in[4:]) == unix.NLMSG_ERROR && size >= unix.NLMSG_HDRLEN+4 {
				if no := int32(binary.NativeEndian.Uint32(in[unix.NLMSG_HDRLEN:])); no != 0 {
					return unix.Errno(-no)
				}
				acks--
			}
			in = in[min(len(in), (size+3)&^3):]
		}
	}
	return nil
}

// linkUp turns the loopback interface of this network on.
func linkUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, ifr); err != nil {
		return err
	}
	ifr.SetUint16(ifr.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr)
}

// loopback is the number of the interface lo, which every network has first.
const loopback = 1

// routeEverything makes every address of a family one of this machine, so that
// a connection to it finds a way: into the redirect.
func routeEverything(family uint8) error {
	b := []byte{family, 0, 0, 0, unix.RT_TABLE_LOCAL, unix.RTPROT_STATIC, unix.RT_SCOPE_HOST, unix.RTN_LOCAL, 0, 0, 0, 0}
	if family == unix.AF_INET6 {
		b[6] = unix.RT_SCOPE_UNIVERSE
	}
	b = attr(b, unix.RTA_OIF, binary.NativeEndian.AppendUint32(nil, loopback))
	m := netlinkMessage(nil, unix.RTM_NEWROUTE, unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE|unix.NLM_F_EXCL, 1, b)
	return talk(unix.NETLINK_ROUTE, m, 1)
}

// nativeWord appends a word as it lies in memory.
func nativeWord(b []byte, w uint32) []byte { return binary.NativeEndian.AppendUint32(b, w) }

// nativeHalf reads a number in network order that was read in that of the machine.
func nativeHalf(n uint16) uint16 {
	return binary.BigEndian.Uint16(binary.NativeEndian.AppendUint16(nil, n))
}
