package child

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// mark is on connections that are ours and not to be redirected.
const mark = 0xa2a5c09e

// Words of nf_tables that x/sys does not name (linux/netfilter/nf_tables.h).
const (
	inetFamily     = 1 // NFPROTO_INET
	redirPortMin   = 1 // NFTA_REDIR_REG_PROTO_MIN
	payloadBase    = 2 // NFT_PAYLOAD_TRANSPORT_HEADER
	register       = unix.NFT_REG_1
	natPriority    = -100 // NF_IP_PRI_NAT_DST
	localOut       = 3    // NF_INET_LOCAL_OUT
	table, chain   = "a2ascope", "out"
	domain         = 53
	destPortOffset = 2
)

// expression is one step of a rule.
func expression(name string, data []byte) []byte {
	b := attr(nil, unix.NFTA_EXPR_NAME, text(name))
	b = append(b, nested(unix.NFTA_EXPR_DATA, data)...)
	return nested(unix.NFTA_LIST_ELEM, b)
}

// meta loads something about the packet.
func meta(key uint32) []byte {
	return expression("meta", append(attr(nil, unix.NFTA_META_DREG, big32(register)), attr(nil, unix.NFTA_META_KEY, big32(key))...))
}

// equals compares what was loaded.
func equals(value []byte) []byte {
	b := attr(nil, unix.NFTA_CMP_SREG, big32(register))
	b = attr(b, unix.NFTA_CMP_OP, big32(unix.NFT_CMP_EQ))
	b = append(b, nested(unix.NFTA_CMP_DATA, attr(nil, unix.NFTA_DATA_VALUE, value))...)
	return expression("cmp", b)
}

// destPort loads the port a datagram is for.
func destPort() []byte {
	b := attr(nil, unix.NFTA_PAYLOAD_DREG, big32(register))
	b = attr(b, unix.NFTA_PAYLOAD_BASE, big32(payloadBase))
	b = attr(b, unix.NFTA_PAYLOAD_OFFSET, big32(destPortOffset))
	b = attr(b, unix.NFTA_PAYLOAD_LEN, big32(2))
	return expression("payload", b)
}

// redirect sends the packet to a port of loopback.
func redirect(port uint16) []byte {
	b := attr(nil, unix.NFTA_IMMEDIATE_DREG, big32(register))
	b = append(b, nested(unix.NFTA_IMMEDIATE_DATA, attr(nil, unix.NFTA_DATA_VALUE, big16(port)))...)
	return append(expression("immediate", b), expression("redir", attr(nil, redirPortMin, big32(register)))...)
}

// accept lets the packet go where it wants.
func accept() []byte {
	verdict := nested(unix.NFTA_DATA_VERDICT, attr(nil, unix.NFTA_VERDICT_CODE, big32(1))) // NF_ACCEPT
	b := attr(nil, unix.NFTA_IMMEDIATE_DREG, big32(unix.NFT_REG_VERDICT))
	return expression("immediate", append(b, nested(unix.NFTA_IMMEDIATE_DATA, verdict)...))
}

func join(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// redirectAll has every TCP connection of this network, of both families, end at
// a port of loopback, and every question to a DNS server at another; our own
// connections go where they want.
//
//	meta mark ours accept
//	meta l4proto tcp redirect to :tcp
//	meta l4proto udp udp dport 53 redirect to :udp
func redirectAll(tcp, udp uint16) error {
	const create = unix.NLM_F_REQUEST | unix.NLM_F_ACK | unix.NLM_F_CREATE
	seq := uint32(0)
	var out []byte
	add := func(op int, flags uint16, body []byte) {
		seq++
		head := []byte{inetFamily, unix.NFNETLINK_V0, 0, 0}
		out = netlinkMessage(out, uint16(unix.NFNL_SUBSYS_NFTABLES<<8|op), flags, seq, append(head, body...))
	}
	batch := func(op uint16) {
		seq++
		out = netlinkMessage(out, op, unix.NLM_F_REQUEST, seq, []byte{unix.AF_UNSPEC, unix.NFNETLINK_V0, 0, unix.NFNL_SUBSYS_NFTABLES})
	}
	rule := func(steps ...[]byte) {
		b := attr(nil, unix.NFTA_RULE_TABLE, text(table))
		b = attr(b, unix.NFTA_RULE_CHAIN, text(chain))
		add(unix.NFT_MSG_NEWRULE, create|unix.NLM_F_APPEND, append(b, nested(unix.NFTA_RULE_EXPRESSIONS, join(steps...))...))
	}
	batch(unix.NFNL_MSG_BATCH_BEGIN)
	add(unix.NFT_MSG_NEWTABLE, create, attr(nil, unix.NFTA_TABLE_NAME, text(table)))
	prio := int32(natPriority)
	hook := append(attr(nil, unix.NFTA_HOOK_HOOKNUM, big32(localOut)), attr(nil, unix.NFTA_HOOK_PRIORITY, big32(uint32(prio)))...)
	b := attr(nil, unix.NFTA_CHAIN_TABLE, text(table))
	b = attr(b, unix.NFTA_CHAIN_NAME, text(chain))
	b = append(b, nested(unix.NFTA_CHAIN_HOOK, hook)...)
	add(unix.NFT_MSG_NEWCHAIN, create, attr(b, unix.NFTA_CHAIN_TYPE, text("nat")))
	rule(meta(unix.NFT_META_MARK), equals(binary.NativeEndian.AppendUint32(nil, mark)), accept())
	rule(meta(unix.NFT_META_L4PROTO), equals([]byte{unix.IPPROTO_TCP}), redirect(tcp))
	rule(meta(unix.NFT_META_L4PROTO), equals([]byte{unix.IPPROTO_UDP}), destPort(), equals(big16(domain)), redirect(udp))
	batch(unix.NFNL_MSG_BATCH_END)
	return talk(unix.NETLINK_NETFILTER, out, 5)
}
