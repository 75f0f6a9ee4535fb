package pcap

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
)

// passes runs the filter over a packet that begins at its network header.
func passes(t *testing.T, ports []uint16, packet []byte) bool {
	t.Helper()
	raw, err := ipFilter(ports)
	if err != nil {
		t.Fatal(err)
	}
	ops, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatal("the filter cannot be disassembled")
	}
	vm, err := bpf.NewVM(ops)
	if err != nil {
		t.Fatal(err)
	}
	n, err := vm.Run(packet)
	if err != nil {
		t.Fatal(err)
	}
	return n > 0
}

func tagged(etherType uint16, b []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0x40, 7}, etherType), b...)
}

func TestFilter(t *testing.T) {
	tcp := tcpBytes(pkt{from: 'c', flags: "A", data: "x"}) // 40000 to 80
	v4, v6 := ipv4('c', protoTCP, tcp), ipv6('c', protoTCP, tcp)
	options := append([]byte{}, v4...)
	options[0] = 0x46
	options = append(options[:20:20], append([]byte{1, 1, 1, 0}, tcp...)...)
	later := append([]byte{}, v4...)
	binary.BigEndian.PutUint16(later[6:], 100)
	firstOfMany := append([]byte{}, v4...)
	binary.BigEndian.PutUint16(firstOfMany[6:], 0x2000)
	hops := ipv6('c', 0, append([]byte{protoTCP, 0, 1, 4, 0, 0, 0, 0}, tcp...))

	for _, c := range []struct {
		name   string
		packet []byte
		hit    bool // with its port
		miss   bool // with another port
		all    bool // with no port
	}{
		{"IPv4", v4, true, false, true},
		{"IPv6", v6, true, false, true},
		{"IPv4 with options", options, true, false, true},
		{"first fragment", firstOfMany, true, false, true},
		{"later fragment", later, true, true, true},
		{"IPv6 with extension header", hops, true, true, true},
		{"tagged IPv4", tagged(etherIPv4, v4), true, false, true},
		{"tagged IPv6", tagged(etherIPv6, v6), true, false, true},
		{"UDP", ipv4('c', 17, tcp), false, false, false},
		{"UDP over IPv6", ipv6('c', 17, tcp), false, false, false},
		{"tagged ARP", tagged(0x0806, v4), false, false, false},
		{"cut in the IP header", v4[:15], false, false, true},
		{"cut in the TCP header", v4[:21], false, false, true},
		{"empty", nil, false, false, false},
	} {
		for _, side := range []uint16{80, 40000} {
			if got := passes(t, []uint16{7, side, 9001}, c.packet); got != c.hit {
				t.Errorf("%s, port %d: %v", c.name, side, got)
			}
		}
		if got := passes(t, []uint16{7, 9001}, c.packet); got != c.miss {
			t.Errorf("%s, other ports: %v", c.name, got)
		}
		if got := passes(t, nil, c.packet); got != c.all {
			t.Errorf("%s, every port: %v", c.name, got)
		}
	}
}

// TestFilterManyPorts: the largest list the kernel compares, in any order and
// with repetitions, and one more, which passes all TCP.
func TestFilterManyPorts(t *testing.T) {
	var ports []uint16
	for i := range maxFilterPorts {
		ports = append(ports, uint16(9000+maxFilterPorts-i), 9001)
	}
	tcp := tcpBytes(pkt{from: 's', port: 9001 + maxFilterPorts/2, flags: "A"})
	if !passes(t, ports, ipv4('s', protoTCP, tcp)) || !passes(t, ports, tagged(etherIPv6, ipv6('s', protoTCP, tcp))) {
		t.Error("a listed port does not pass")
	}
	other := ipv4('s', protoTCP, tcpBytes(pkt{from: 's', port: 8999, flags: "A"}))
	if passes(t, ports, other) {
		t.Error("a port that is not listed passes")
	}
	if !passes(t, append(ports, 1), other) {
		t.Error("with too many ports the filter must pass all TCP")
	}
	set := newPortSet(append(ports, 1, 65535))
	if set.has(8999) || !set.has(9001) || !set.has(1) || !set.has(65535) || !portSet(nil).has(5) {
		t.Error("the set of ports is wrong")
	}
}

func TestUntag(t *testing.T) {
	v4 := ipv4('c', protoTCP, tcpBytes(pkt{from: 'c', flags: "A", data: "x"}))
	binary.BigEndian.PutUint16(v4[10:], fold(sum16(0, v4[:20])))
	v6 := ipv6('c', protoTCP, tcpBytes(pkt{from: 'c', flags: "A", data: "x"}))
	padded := append(v4[:len(v4):len(v4)], 0, 0, 0, 0, 0)
	odd := ipv4('c', protoTCP, make([]byte, etherIPv4-20)) // its length looks like an EtherType
	for name, c := range map[string][2][]byte{
		"no tag":                     {v4, v4},
		"no tag, IPv6":               {v6, v6},
		"one tag left":               {tagged(etherIPv4, v4), v4},
		"two tags left":              {tagged(0x8100, tagged(etherIPv6, v6)), v6},
		"nothing that is understood": {tagged(0x0806, v4), tagged(0x0806, v4)},
		"cut behind the tag":         {tagged(etherIPv4, nil), tagged(etherIPv4, nil)},
		"padded":                     {padded, padded},
		"one tag left, padded":       {tagged(etherIPv4, padded), padded},
		"a length like an EtherType": {odd, odd},
	} {
		if got := untag(c[0]); string(got) != string(c[1]) {
			t.Errorf("%s: % x", name, got)
		}
	}
}
