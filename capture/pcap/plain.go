package pcap

import (
	"encoding/binary"
	"strconv"
)

// Link types that are read, https://www.tcpdump.org/linktypes.html.
const (
	linkNull     = 0
	linkEthernet = 1
	linkRawBSD   = 12 // LINKTYPE_RAW as some systems wrote it
	linkRawOpen  = 14
	linkRaw      = 101
	linkLoop     = 108
	linkSLL      = 113
	linkIPv4     = 228
	linkIPv6     = 229
	linkSLL2     = 276
)

// linkName names a link type for a message.
func linkName(link uint32) string {
	known := map[uint32]string{
		9: "PPP", 105: "IEEE 802.11", 127: "IEEE 802.11 with radiotap, a monitor mode capture",
		147: "USER0", 189: "USB", 192: "PPI", 195: "IEEE 802.15.4", 201: "Bluetooth", 220: "USB", 239: "NFLOG",
		249: "USBPcap", 252: "Wireshark upper PDU", 253: "netlink",
	}
	n := strconv.Itoa(int(link))
	if s, ok := known[link]; ok {
		n += " (" + s + ")"
	}
	return n
}

const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
	protoTCP  = 6
)

// network finds the network layer behind the usual link headers: Ethernet
// with any number of VLAN tags, Linux cooked (both versions), raw IP.
func network(link uint32, b []byte) (etherType uint16, rest []byte) {
	switch link {
	case linkEthernet:
		if len(b) < 14 {
			return 0, nil
		}
		etherType, rest = binary.BigEndian.Uint16(b[12:]), b[14:]
	case linkSLL:
		if len(b) < 16 {
			return 0, nil
		}
		etherType, rest = binary.BigEndian.Uint16(b[14:]), b[16:]
	case linkSLL2:
		if len(b) < 20 {
			return 0, nil
		}
		etherType, rest = binary.BigEndian.Uint16(b), b[20:]
	case linkRaw, linkRawBSD, linkRawOpen, linkIPv4, linkIPv6:
		if len(b) < 1 {
			return 0, nil
		}
		switch b[0] >> 4 {
		case 4:
			return etherIPv4, b
		case 6:
			return etherIPv6, b
		}
		return 0, nil
	}
	for isVLAN(etherType) && len(rest) >= 4 {
		etherType, rest = binary.BigEndian.Uint16(rest[2:]), rest[4:]
	}
	return etherType, rest
}

// isVLAN: IEEE 802.1Q, 802.1ad, and the tag that came before 802.1ad.
func isVLAN(t uint16) bool { return t == 0x8100 || t == 0x88a8 || t == 0x9100 }

// plain reads the segment of a packet whose headers are the usual ones, and
// leaves all others alone.
func plain(link uint32, b []byte, s *segment) bool {
	etherType, ip := network(link, b)
	switch etherType {
	case etherIPv4:
		if len(ip) < 20 || ip[0]>>4 != 4 || ip[9] != protoTCP {
			return false
		}
		head, total := int(ip[0]&15)*4, int(binary.BigEndian.Uint16(ip[2:]))
		if total == 0 {
			total = len(ip) // left to the network card, which cuts it into packets (TSO)
		}
		if head < 20 || head > total || head > len(ip) || binary.BigEndian.Uint16(ip[6:])&0x3fff != 0 {
			return false
		}
		s.src, s.dst = addr4(ip[12:]), addr4(ip[16:])
		return s.tcp(ip[head:], total-head)
	case etherIPv6:
		if len(ip) < 40 || ip[0]>>4 != 6 || ip[6] != protoTCP {
			return false
		}
		length := int(binary.BigEndian.Uint16(ip[4:]))
		if length == 0 {
			length = len(ip) - 40 // TSO
		}
		s.src, s.dst = addr16(ip[8:]), addr16(ip[24:])
		return s.tcp(ip[40:], length)
	}
	return false
}
