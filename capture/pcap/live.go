package pcap

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"a2ascope/capture"
)

// Options say what Live captures.
type Options struct {
	Interface string   // "any", or "", is all of them
	Ports     []uint16 // TCP ports of which either side has one; none: every port
	// BufferBytes is how much the kernel keeps while the program is busy; 0:
	// liveBuffer. What does not fit is dropped and counted.
	BufferBytes int
	Queue       capture.QueueOptions // what may wait for the reader
}

// LiveSource is a capture that runs. Run ends when ctx does, which is its
// orderly end: what is held is delivered, open connections are closed with
// Ended, and there is no error. Times are those the kernel gave the packets.
type LiveSource interface {
	capture.Lossy
	// Counts says how many packets passed the filter, and how many of them the
	// kernel dropped because the buffer was full. It may be called at any time.
	Counts() (packets, dropped uint64)
	// Close frees a source whose Run is never called. Run closes it too.
	Close() error
}

// ErrNotPermitted is in the error of Live when the process may not capture.
var ErrNotPermitted = errors.New("not permitted to capture packets")

// ErrNoLive is in the error of Live where live capture is not built in.
var ErrNoLive = errors.New("live capture is built in on Linux only")

// allInterfaces is the name that stands for every interface.
const allInterfaces = "any"

func (o *Options) name() string {
	if o.Interface == "" {
		return allInterfaces
	}
	return o.Interface
}

// PipeLine is the command that lets another program capture the same and
// reads from it. system is a runtime.GOOS.
func PipeLine(o Options, system string) string {
	filter := "tcp"
	if len(o.Ports) > 0 {
		var parts []string
		for _, p := range o.Ports {
			parts = append(parts, "port "+strconv.Itoa(int(p)))
		}
		filter = strings.Join(parts, " or ")
	}
	name := o.name()
	switch system {
	case "windows":
		if name == allInterfaces || name == "lo" {
			name = `\Device\NPF_Loopback`
		}
		return fmt.Sprintf(`dumpcap -q -i %s -f "%s" -w - | a2ascope open -`, quote(name, `"`), filter)
	case "darwin", "freebsd", "openbsd", "netbsd", "dragonfly":
		if name == allInterfaces || name == "lo" {
			name = "lo0"
		}
	}
	// Without --immediate-mode a short capture loses its end; with it and the
	// default snaplen the ring holds a handful of packets.
	return fmt.Sprintf("sudo tcpdump -i %s -U --immediate-mode -B 32768 -s 70000 -w - %s | a2ascope open -", quote(name, "'"), filter)
}

// quote puts a name into quotes where the shell would take it apart.
func quote(s, with string) string {
	if strings.ContainsAny(s, " \t\"'&|;<>()$`*?[]#~{}") {
		return with + s + with
	}
	return s
}

// notPermitted says what to do; program is the path of this one.
func notPermitted(o Options, program string) error {
	return fmt.Errorf("capture on %s: %w: that needs CAP_NET_RAW. Give it to the program once:\n"+
		"  sudo setcap cap_net_raw+ep %s\n"+
		"or let tcpdump capture:\n"+
		"  %s", o.name(), ErrNotPermitted, quote(program, "'"), PipeLine(o, "linux"))
}

// noInterface names the interfaces there are.
func noInterface(name string, all []net.Interface) error {
	var up, down []string
	for _, i := range all {
		if i.Flags&net.FlagUp != 0 {
			up = append(up, i.Name)
		} else {
			down = append(down, i.Name)
		}
	}
	slices.Sort(up)
	slices.Sort(down)
	text := strings.Join(append(up, allInterfaces+" (all of them)"), ", ")
	if len(down) > 0 {
		text += "; and, not up: " + strings.Join(down, ", ")
	}
	return fmt.Errorf("there is no interface %q; there are: %s", name, text)
}

// portSet is a set of TCP ports; nil holds every port.
type portSet []uint64

func newPortSet(ports []uint16) portSet {
	if len(ports) == 0 {
		return nil
	}
	s := make(portSet, 1<<16/64)
	for _, p := range ports {
		s[p/64] |= 1 << (p % 64)
	}
	return s
}

func (s portSet) has(p uint16) bool { return s == nil || s[p/64]&(1<<(p%64)) != 0 }
