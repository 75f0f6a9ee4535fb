package pcap

import (
	"encoding/binary"
	"fmt"
	"slices"

	"golang.org/x/net/bpf"
)

// maxFilterPorts is how many ports the kernel's filter compares: its
// conditional jumps reach 255 instructions. With more the kernel passes all
// TCP and the ports are compared here.
const maxFilterPorts = 60

// ipFilter is the program that the kernel runs over each packet, which begins
// with its IP header, or with what is left of a VLAN tag (two bytes of tag, two
// of EtherType) where there was more than one. It passes, whole:
//   - TCP segments with one of the ports on either side (none given: all),
//   - later fragments of IPv4 packets with TCP, which have no ports,
//   - IPv6 packets with extension headers; what is behind them is looked at later.
func ipFilter(ports []uint16) ([]bpf.RawInstruction, error) {
	ports = slices.Compact(slices.Sorted(slices.Values(ports)))
	if len(ports) > maxFilterPorts {
		ports = nil
	}
	var p program
	p.add(bpf.LoadAbsolute{Off: 0, Size: 1})
	p.add(bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf0})
	p.when(bpf.JumpEqual, 0x40, "v4", "")
	p.when(bpf.JumpEqual, 0x60, "v6", "tagged")
	p.tcp4("v4", 0, "tagged", len(ports) > 0)
	p.tcp6("v6", 0, "tagged", len(ports) > 0)

	p.label("tagged")
	p.add(bpf.LoadAbsolute{Off: 2, Size: 2})
	p.when(bpf.JumpEqual, etherIPv4, "tagged4", "")
	p.when(bpf.JumpEqual, etherIPv6, "tagged6", "drop")
	p.tcp4("tagged4", 4, "drop", len(ports) > 0)
	p.tcp6("tagged6", 4, "drop", len(ports) > 0)

	// X is where the TCP header begins.
	p.label("ports")
	for _, off := range []uint32{0, 2} {
		if len(ports) > 0 {
			p.add(bpf.LoadIndirect{Off: off, Size: 2})
		}
		for _, port := range ports {
			p.when(bpf.JumpEqual, uint32(port), "pass", "")
		}
	}
	p.label("drop")
	p.add(bpf.RetConstant{Val: 0})
	p.label("pass")
	p.add(bpf.RetConstant{Val: maxPacket})
	return p.assemble()
}

// program is a filter whose jumps name their targets.
type program struct {
	steps  []step
	labels map[string]int
}

// step is an instruction, or a jump when yes or no are set; "" goes on.
type step struct {
	op      bpf.Instruction
	yes, no string
}

func (p *program) add(op bpf.Instruction) { p.steps = append(p.steps, step{op: op}) }

func (p *program) when(cond bpf.JumpTest, val uint32, yes, no string) {
	p.steps = append(p.steps, step{bpf.JumpIf{Cond: cond, Val: val}, yes, no})
}

func (p *program) jump(to string) { p.steps = append(p.steps, step{op: bpf.Jump{}, yes: to}) }

func (p *program) label(name string) {
	if p.labels == nil {
		p.labels = map[string]int{}
	}
	p.labels[name] = len(p.steps)
}

// tcp4 is the block for an IPv4 header at off.
func (p *program) tcp4(name string, off uint32, fail string, ports bool) {
	p.label(name)
	p.add(bpf.LoadAbsolute{Off: off + 9, Size: 1})
	p.when(bpf.JumpEqual, protoTCP, "", fail)
	if !ports {
		p.jump("pass")
		return
	}
	p.add(bpf.LoadAbsolute{Off: off + 6, Size: 2})
	p.when(bpf.JumpBitsSet, 0x1fff, "pass", "") // fragment offset, RFC 791 section 3.1
	p.add(bpf.LoadMemShift{Off: off})
	p.add(bpf.TXA{})
	p.add(bpf.ALUOpConstant{Op: bpf.ALUOpAdd, Val: off})
	p.add(bpf.TAX{})
	p.jump("ports")
}

// tcp6 is the block for an IPv6 header at off.
func (p *program) tcp6(name string, off uint32, fail string, ports bool) {
	p.label(name)
	p.add(bpf.LoadAbsolute{Off: off + 6, Size: 1})
	for _, extension := range []uint32{0, 43, 44, 60} { // RFC 8200 section 4
		p.when(bpf.JumpEqual, extension, "pass", "")
	}
	p.when(bpf.JumpEqual, protoTCP, "", fail)
	if !ports {
		p.jump("pass")
		return
	}
	p.add(bpf.LoadConstant{Dst: bpf.RegX, Val: off + 40})
	p.jump("ports")
}

// instructions replaces the names of targets by distances.
func (p *program) instructions() ([]bpf.Instruction, error) {
	out := make([]bpf.Instruction, len(p.steps))
	for i, s := range p.steps {
		far := func(name string) int {
			if name == "" {
				return 0
			}
			return p.labels[name] - i - 1
		}
		yes, no := far(s.yes), far(s.no)
		switch op := s.op.(type) {
		case bpf.Jump:
			op.Skip = uint32(yes)
			out[i] = op
		case bpf.JumpIf:
			if yes < 0 || no < 0 || yes > 255 || no > 255 {
				return nil, fmt.Errorf("packet filter: the jump in step %d is too far (%d, %d)", i, yes, no)
			}
			op.SkipTrue, op.SkipFalse = uint8(yes), uint8(no)
			out[i] = op
		default:
			out[i] = op
		}
	}
	return out, nil
}

func (p *program) assemble() ([]bpf.RawInstruction, error) {
	ops, err := p.instructions()
	if err != nil {
		return nil, err
	}
	return bpf.Assemble(ops)
}

// untag takes what is left of VLAN tags away. The kernel takes one tag off
// itself; of a second one the last two bytes and the EtherType stand before the
// IP header, and the protocol it names with the packet may be either.
func untag(b []byte) []byte {
	for rest := b; len(rest) >= 4 && !isIP(rest); {
		t := binary.BigEndian.Uint16(rest[2:])
		rest = rest[4:]
		switch {
		case isVLAN(t):
		case isIP(rest) && (t == etherIPv4 || t == etherIPv6):
			return rest
		default:
			return b
		}
	}
	return b
}

// isIP says that an IP packet begins here: its length fits, and the checksum of
// its header is right where it has one. Behind it may be padding.
func isIP(b []byte) bool {
	switch {
	case len(b) >= 20 && b[0]>>4 == 4:
		head := int(b[0]&15) * 4
		return head >= 20 && head <= len(b) && int(binary.BigEndian.Uint16(b[2:])) <= len(b) && fold(sum16(0, b[:head])) == 0
	case len(b) >= 40 && b[0]>>4 == 6:
		return int(binary.BigEndian.Uint16(b[4:]))+40 <= len(b)
	}
	return false
}
