package pcap

import (
	"encoding/binary"
	"errors"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// What a packet turned out to be; other values are names of protocols.
const (
	kindTCP      = "TCP"
	kindFragment = "fragment"
	kindDamaged  = "damaged or cut before the TCP header"
	kindOther    = "other"
)

// layerParser reads packets of any shape with gopacket's layers: loopback
// headers, tunnels (GRE, IP in IP, EtherIP, VXLAN), IPv6 extension headers.
// With tunnels the innermost IP header counts.
//
// A parser of gopacket begins with one fixed layer, so there is one per link
// layer; they share the decoders, which hold what was read last.
type layerParser struct {
	parsers map[gopacket.LayerType]*gopacket.DecodingLayerParser
	decoded []gopacket.LayerType
	ip4     layers.IPv4
	ip6     ipv6Layer
	frag6   fragmentLayer
	tcp     tcpLayer
}

// layerSLL2 is gopacket's number for our own layer; 2000 and up are free for
// private use.
const layerSLL2 = gopacket.LayerType(2276)

func newLayerParser() *layerParser {
	l := &layerParser{parsers: map[gopacket.LayerType]*gopacket.DecodingLayerParser{}}
	l.frag6.ip = &l.ip6
	var shared gopacket.DecodingLayerContainer = gopacket.DecodingLayerSparse(nil)
	for _, d := range []gopacket.DecodingLayer{
		&layers.Ethernet{}, &layers.Dot1Q{}, &layers.LinuxSLL{}, &sll2Layer{}, &layers.Loopback{},
		&l.ip4, &l.ip6, &extensionLayer{ip: &l.ip6}, &l.frag6, &l.tcp,
		&layers.UDP{}, &layers.GRE{}, &layers.VXLAN{}, &layers.EtherIP{},
	} {
		shared = shared.Put(d)
	}
	for _, first := range []gopacket.LayerType{
		layers.LayerTypeEthernet, layers.LayerTypeLinuxSLL, layerSLL2,
		layers.LayerTypeLoopback, layers.LayerTypeIPv4, layers.LayerTypeIPv6,
	} {
		p := gopacket.NewDecodingLayerParser(first)
		p.SetDecodingLayerContainer(shared)
		l.parsers[first] = p
	}
	return l
}

// firstLayer is where reading a packet of a link type begins.
func firstLayer(link uint32, b []byte) (gopacket.LayerType, bool) {
	switch link {
	case linkEthernet:
		return layers.LayerTypeEthernet, true
	case linkSLL:
		return layers.LayerTypeLinuxSLL, true
	case linkSLL2:
		return layerSLL2, true
	case linkNull, linkLoop:
		return layers.LayerTypeLoopback, true
	case linkRaw, linkRawBSD, linkRawOpen, linkIPv4, linkIPv6:
		if len(b) > 0 && b[0]>>4 == 6 {
			return layers.LayerTypeIPv6, true
		}
		return layers.LayerTypeIPv4, true
	}
	return 0, false
}

// segment reads one packet and says what it is.
func (l *layerParser) segment(first gopacket.LayerType, b []byte, s *segment) string {
	// A panic in a layer comes back as an error.
	err := l.parsers[first].DecodeLayers(b, &l.decoded)
	var ip, before, last gopacket.LayerType
	for _, t := range l.decoded {
		switch t {
		case layers.LayerTypeIPv4, layers.LayerTypeIPv6:
			ip = t
		}
		before, last = last, t
	}
	switch {
	case ip == layers.LayerTypeIPv4 && last == layers.LayerTypeTCP && before == ip:
		head, total := int(l.ip4.IHL)*4, int(binary.BigEndian.Uint16(l.ip4.Contents[2:]))
		if total == 0 {
			total = head + len(l.tcp.all)
		}
		s.src, s.dst = addr4(l.ip4.SrcIP), addr4(l.ip4.DstIP)
		if s.tcp(l.tcp.all, total-head) {
			return kindTCP
		}
		return kindDamaged
	case ip == layers.LayerTypeIPv6 && last == layers.LayerTypeTCP:
		s.src, s.dst = addr16(l.ip6.SrcIP), addr16(l.ip6.DstIP)
		if s.tcp(l.tcp.all, l.ip6.rest) {
			return kindTCP
		}
		return kindDamaged
	case last == layers.LayerTypeIPv4 && (l.ip4.FragOffset != 0 || l.ip4.Flags&layers.IPv4MoreFragments != 0),
		ip == layers.LayerTypeIPv6 && last == layers.LayerTypeIPv6Fragment:
		return kindFragment
	case last == layers.LayerTypeTCP, last == layers.LayerTypeIPv6Fragment:
		return kindDamaged // headers of IPv6 in IPv4
	case last == layers.LayerTypeUDP:
		return "UDP"
	}
	var next gopacket.UnsupportedLayerType
	if errors.As(err, &next) && gopacket.LayerType(next) != gopacket.LayerTypeDecodeFailure && gopacket.LayerType(next) != gopacket.LayerTypeZero {
		return gopacket.LayerType(next).String()
	}
	if err != nil {
		return kindDamaged
	}
	return kindOther
}

// fragment describes the fragment that segment found.
func (l *layerParser) fragment() fragment {
	if l.decoded[len(l.decoded)-1] == layers.LayerTypeIPv6Fragment {
		f := l.frag6.fragment
		f.src, f.dst = addr16(l.ip6.SrcIP), addr16(l.ip6.DstIP)
		return f
	}
	head := int(l.ip4.IHL) * 4
	return fragment{
		src: addr4(l.ip4.SrcIP), dst: addr4(l.ip4.DstIP),
		id: uint32(l.ip4.Id), proto: uint8(l.ip4.Protocol),
		off: int(l.ip4.FragOffset) * 8, more: l.ip4.Flags&layers.IPv4MoreFragments != 0,
		data: l.ip4.Payload, length: int(l.ip4.Length) - head,
	}
}

// sll2Layer is the header of Linux cooked captures, version 2, which gopacket
// does not know (https://www.tcpdump.org/linktypes/LINKTYPE_LINUX_SLL2.html).
type sll2Layer struct {
	layers.BaseLayer
	next layers.EthernetType
}

func (l *sll2Layer) CanDecode() gopacket.LayerClass    { return layerSLL2 }
func (l *sll2Layer) NextLayerType() gopacket.LayerType { return l.next.LayerType() }
func (l *sll2Layer) DecodeFromBytes(b []byte, df gopacket.DecodeFeedback) error {
	if len(b) < 20 {
		df.SetTruncated()
		return errors.New("SLL2 header too short")
	}
	l.next = layers.EthernetType(binary.BigEndian.Uint16(b))
	l.BaseLayer = layers.BaseLayer{Contents: b[:20], Payload: b[20:]}
	return nil
}

// ipv6Layer is gopacket's layer that also counts how much of the packet's
// length is left behind the headers read so far: behind a hop-by-hop header
// gopacket's own payload is too long.
type ipv6Layer struct {
	layers.IPv6
	rest int
}

func (l *ipv6Layer) DecodeFromBytes(b []byte, df gopacket.DecodeFeedback) error {
	if err := l.IPv6.DecodeFromBytes(b, df); err != nil {
		return err
	}
	l.rest = int(l.Length)
	if l.rest == 0 { // a jumbogram (RFC 2675), whose end gopacket found
		l.rest = len(l.Payload)
	} else if l.HopByHop != nil {
		l.rest -= l.HopByHop.ActualLength
	}
	return nil
}

// extensionLayer passes over IPv6 extension headers.
type extensionLayer struct {
	layers.IPv6ExtensionSkipper
	ip *ipv6Layer
}

func (l *extensionLayer) DecodeFromBytes(b []byte, df gopacket.DecodeFeedback) error {
	if err := l.IPv6ExtensionSkipper.DecodeFromBytes(b, df); err != nil {
		return err
	}
	l.ip.rest -= len(l.Contents)
	return nil
}

// fragmentLayer is the IPv6 fragment header (RFC 8200 section 4.5), for which
// gopacket has no decoding layer.
type fragmentLayer struct {
	layers.BaseLayer
	ip *ipv6Layer
	fragment
}

func (l *fragmentLayer) CanDecode() gopacket.LayerClass { return layers.LayerTypeIPv6Fragment }
func (l *fragmentLayer) NextLayerType() gopacket.LayerType {
	if l.off == 0 && !l.more { // an atomic fragment is a whole packet, RFC 6946
		return layers.IPProtocol(l.proto).LayerType()
	}
	return gopacket.LayerTypeFragment
}
func (l *fragmentLayer) DecodeFromBytes(b []byte, df gopacket.DecodeFeedback) error {
	if len(b) < 8 {
		df.SetTruncated()
		return errors.New("IPv6 fragment header too short")
	}
	l.ip.rest -= 8
	where := binary.BigEndian.Uint16(b[2:])
	l.BaseLayer = layers.BaseLayer{Contents: b[:8], Payload: b[8:]}
	l.fragment = fragment{
		id: binary.BigEndian.Uint32(b[4:]), proto: b[0],
		off: int(where &^ 7), more: where&1 != 0,
		data: b[8:], length: l.ip.rest,
	}
	return nil
}

// tcpLayer keeps what follows the IP header; segment.tcp reads it.
type tcpLayer struct{ all []byte }

func (l *tcpLayer) CanDecode() gopacket.LayerClass    { return layers.LayerTypeTCP }
func (l *tcpLayer) NextLayerType() gopacket.LayerType { return gopacket.LayerTypeZero }
func (l *tcpLayer) LayerPayload() []byte              { return nil }
func (l *tcpLayer) DecodeFromBytes(b []byte, _ gopacket.DecodeFeedback) error {
	l.all = b
	return nil
}
