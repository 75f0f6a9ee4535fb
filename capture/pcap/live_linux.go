package pcap

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"a2ascope/capture"
)

const (
	// liveBuffer bridges the time in which a busy machine does not let the
	// program run: some fifty milliseconds of the fastest loopback traffic, and
	// minutes of what agents send. The kernel takes only what it needs of it.
	liveBuffer = 32 << 20

	// liveRoom is more than a packet is long: loopback packets have 64 KiB,
	// merged ones of fast interfaces several times that.
	liveRoom = 512 << 10

	// waitStep is how long the kernel is asked to wait for a packet while
	// connections hold segments: their holes are given up by time.
	waitStep = 50 * time.Millisecond
)

// live is a packet socket. It delivers packets from their network header on,
// whatever the link layer of the interface is.
type live struct {
	name    string
	index   int // 0: all interfaces
	ports   portSet
	looping map[int]bool // loopback interfaces: each packet passes them twice

	mu               sync.Mutex // guards the rest
	fd, wake         int        // -1 when closed
	packets, dropped uint64
	ran              bool

	queue *capture.Queue
	went  atomic.Pointer[capture.Progress] // the newest

	asm  *assembler
	dec  *decoder
	out  *batch
	slab []byte // payload is kept here: packets are read into room again and again
	room []byte
	oob  []byte
	last time.Time     // of the last packet
	wait time.Duration // since then, as far as it was waited
	hurt []capture.Damage
}

// Live opens a capture on an interface of this machine. The kernel drops what
// the filter does not pass, from the first packet on.
func Live(o Options) (LiveSource, error) {
	l := &live{name: o.name(), fd: -1, wake: -1, ports: newPortSet(o.Ports), looping: map[int]bool{}, queue: capture.NewQueue(o.Queue)}
	all, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list the network interfaces: %w", err)
	}
	for _, i := range all {
		if i.Flags&net.FlagLoopback != 0 {
			l.looping[i.Index] = true
		}
		if i.Name == l.name {
			l.index = i.Index
		}
	}
	if l.name != allInterfaces && l.index == 0 {
		return nil, noInterface(l.name, all)
	}
	if err := l.open(o); err != nil {
		l.Close()
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
			program, perr := os.Executable()
			if perr != nil {
				program = "a2ascope"
			}
			return nil, notPermitted(o, program)
		}
		return nil, fmt.Errorf("capture on %s: %w", l.name, err)
	}
	return l, nil
}

func (l *live) open(o Options) (err error) {
	// Protocol 0 receives nothing, so no packet comes before the filter is there.
	l.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		l.fd = -1
		return err
	}
	if l.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		l.wake = -1
		return fmt.Errorf("make an event descriptor: %w", err)
	}
	raw, err := ipFilter(o.Ports)
	if err != nil {
		return err
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	if err := unix.SetsockoptSockFprog(l.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}); err != nil {
		return fmt.Errorf("attach the packet filter: %w", err)
	}
	if l.looping[l.index] {
		// Since Linux 4.20; before that the copies are left out in packet.
		_ = unix.SetsockoptInt(l.fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1)
	}
	size := o.BufferBytes
	if size <= 0 {
		size = liveBuffer
	}
	if unix.SetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, size) != nil {
		// Without CAP_NET_ADMIN the system's limit holds (net.core.rmem_max).
		_ = unix.SetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, size)
	}
	if err := unix.SetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1); err != nil {
		return fmt.Errorf("ask for the times of packets: %w", err)
	}
	return unix.Bind(l.fd, &unix.SockaddrLinklayer{Protocol: networkOrder(unix.ETH_P_ALL), Ifindex: l.index})
}

// networkOrder turns a number into one that lies big-endian in memory.
func networkOrder(v uint16) uint16 {
	return binary.BigEndian.Uint16(binary.NativeEndian.AppendUint16(nil, v))
}

// Counts reads the counters of the kernel, which begin anew with each reading.
func (l *live) Counts() (packets, dropped uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fd >= 0 {
		if s, err := unix.GetsockoptTpacketStats(l.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS); err == nil {
			l.packets += uint64(s.Packets)
			l.dropped += uint64(s.Drops)
		}
	}
	return l.packets, l.dropped
}

// Close closes the descriptors.
func (l *live) Close() error {
	l.Counts() // the last ones
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, fd := range []*int{&l.fd, &l.wake} {
		if *fd >= 0 {
			_ = unix.Close(*fd)
			*fd = -1
		}
	}
	return nil
}

// Run captures until ctx ends, the receiver is gone, or the interface is.
func (l *live) Run(ctx context.Context, to capture.Sink) (capture.Summary, error) {
	sum := capture.Summary{Format: "live"}
	l.mu.Lock()
	fd, wake, again := l.fd, l.wake, l.ran
	l.ran = true
	l.mu.Unlock()
	if again || fd < 0 {
		return sum, fmt.Errorf("the capture on %s is over", l.name)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(ctx) // also ended when the receiver is gone
	defer cancel()
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_, _ = unix.Write(wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
		close(woken)
	})
	defer func() {
		if !stop() {
			<-woken // it uses a descriptor that is closed next
		}
	}()

	// The end of ctx is the end of the capture, not of what was captured.
	l.out = &batch{ctx: context.WithoutCancel(ctx), to: (*offers)(l), in: &input{}}
	l.dec, l.asm = newDecoder(), newAssembler(l.out)
	l.asm.source = "live"
	l.room, l.oob = make([]byte, liveRoom), make([]byte, 256)
	var loopErr error
	var packets sync.WaitGroup
	packets.Go(func() {
		defer l.queue.Close()
		loopErr = l.loop(ctx, fd, wake)
		l.asm.end()
		if err := l.out.flush(); loopErr == nil {
			loopErr = err
		}
		l.out.report()
	})
	err := l.queue.Drain(&handing{to, l})
	cancel()
	packets.Wait()
	if err == nil {
		err = loopErr
	}
	l.handProgress(to)
	sum.Packets, sum.Connections = l.out.packets, int64(l.asm.conns)
	if packets, dropped := l.Counts(); dropped > 0 {
		l.hurt = append(l.hurt, capture.Damage{What: "dropped", Detail: fmt.Sprintf(
			"the kernel dropped %d of %s on %s because they came faster than they were read: capture fewer ports or with a larger buffer", dropped, count(int64(packets), "packet"), l.name)})
	}
	if lost := l.Lost(); lost > 0 {
		l.hurt = append(l.hurt, capture.Damage{What: "lost", Detail: fmt.Sprintf(
			"%d bytes came faster than they could be read and are missing where a gap is shown: capture fewer ports", lost)})
	}
	sum.Damage = append(append(l.hurt, l.dec.damage(l.out.packets)...), l.asm.damage()...)
	return sum, err
}

// loop reads packets; when there is none it hands over what it has and waits.
func (l *live) loop(ctx context.Context, fd, wake int) error {
	p := packet{link: linkRaw}
	for n := 0; ; n++ {
		if n%tickPackets == 0 && ctx.Err() != nil {
			return nil
		}
		err := l.receive(fd, &p)
		switch {
		case err == nil:
			if l.out.full() {
				if err := l.out.flush(); err != nil {
					return err
				}
			}
		case errors.Is(err, unix.EAGAIN):
			if err := l.out.flush(); err != nil {
				return err
			}
			if l.out.told != l.out.in.pos() {
				l.out.report()
			}
			if err := l.pause(fd, wake); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return nil
			}
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ENETDOWN):
			if err := l.down(); err != nil {
				return err
			}
		default:
			return fmt.Errorf("capture on %s: %w", l.name, err)
		}
	}
}

// down is told once when the interface goes down; it may come up again, and
// then packets come again.
func (l *live) down() error {
	if _, err := net.InterfaceByIndex(l.index); err != nil && l.index != 0 {
		return fmt.Errorf("capture on %s: the interface is gone", l.name)
	}
	if len(l.hurt) == 0 {
		l.hurt = append(l.hurt, capture.Damage{What: "interface-down",
			Detail: fmt.Sprintf("%s went down during the capture, first after packet %d", l.name, l.out.packets)})
	}
	return nil
}

// pause waits for a packet or the end of ctx. While connections hold segments
// it wakes up to look at them: time goes on although no packet says so. The
// time is that of the last packet and what was waited since, so that a clock
// that is set does no harm.
func (l *live) pause(fd, wake int) error {
	timeout := -1
	if len(l.asm.waiting) > 0 {
		timeout = int(waitStep / time.Millisecond)
	}
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(wake), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, timeout)
	for errors.Is(err, unix.EINTR) { // by Go's own signals: it has not waited yet
		n, err = unix.Poll(fds, timeout)
	}
	if err != nil {
		return fmt.Errorf("capture on %s: wait for packets: %w", l.name, err)
	}
	if n == 0 {
		l.wait += waitStep
		l.asm.tick(l.last.Add(l.wait))
	}
	return nil
}

// receive reads one packet and gives its segment to the assembler.
func (l *live) receive(fd int, p *packet) error {
	n, oobn, _, from, err := unix.Recvmsg(fd, l.room, l.oob, unix.MSG_DONTWAIT)
	if err != nil {
		return err
	}
	at, ok := kernelTime(l.oob[:oobn])
	if !ok {
		at = l.last
	}
	l.last, l.wait = at, 0
	ll, _ := from.(*unix.SockaddrLinklayer)
	if ll != nil && ll.Pkttype == unix.PACKET_OUTGOING && l.looping[ll.Ifindex] {
		return nil // the same packet comes in again
	}
	l.out.packets++
	l.out.in.base += int64(n)
	data := untag(l.room[:n])
	p.n, p.at = l.out.packets, at
	var s segment
	if !plain(p.link, data, &s) {
		data = bytes.Clone(data) // a fragment is kept until the others come
	}
	p.data = data[:len(data):len(data)]
	if l.dec.decode(p, &s) && (l.ports.has(s.sport) || l.ports.has(s.dport)) {
		s.data = l.keep(s.data)
		l.asm.add(&s)
	}
	if l.out.packets%tickPackets == 0 {
		l.asm.tick(at)
	}
	return nil
}

// keep copies payload to where it stays. Only payload is kept, so that a chunk
// that lives long holds little else.
func (l *live) keep(b []byte) []byte {
	const slab = 64 << 10
	switch {
	case len(b) == 0:
		return nil
	case len(b) >= slab/4:
		return bytes.Clone(b)
	case len(b) > cap(l.slab)-len(l.slab):
		l.slab = make([]byte, 0, slab)
	}
	at := len(l.slab)
	l.slab = append(l.slab, b...)
	return l.slab[at:len(l.slab):len(l.slab)]
}

// kernelTime finds the time in the control messages of a packet.
func kernelTime(oob []byte) (time.Time, bool) {
	for len(oob) >= unix.SizeofCmsghdr {
		h, data, rest, err := unix.ParseOneSocketControlMessage(oob)
		if err != nil {
			break
		}
		if h.Level == unix.SOL_SOCKET && h.Type == unix.SO_TIMESTAMPNS && len(data) >= int(unsafe.Sizeof(unix.Timespec{})) {
			var ts unix.Timespec
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&ts)), unsafe.Sizeof(ts)), data)
			return time.Unix(ts.Unix()).UTC(), true
		}
		oob = rest
	}
	return time.Time{}, false
}
