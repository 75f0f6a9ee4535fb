package pcap

import (
	"errors"
	"net"
	"strings"
	"testing"
)

// TestLiveAdvice holds the sentences that stand between a user and the packets.
func TestLiveAdvice(t *testing.T) {
	o := Options{Interface: "lo", Ports: []uint16{9001, 9002}}
	err := notPermitted(o, "/opt/a b/a2ascope")
	if !errors.Is(err, ErrNotPermitted) {
		t.Error("the error cannot be told apart")
	}
	want(t, err.Error(), `capture on lo: not permitted to capture packets: that needs CAP_NET_RAW. Give it to the program once:
  sudo setcap cap_net_raw+ep '/opt/a b/a2ascope'
or let tcpdump capture:
  sudo tcpdump -i lo -U --immediate-mode -B 32768 -s 70000 -w - port 9001 or port 9002 | a2ascope open -`)

	for system, line := range map[string]string{
		"linux":   "sudo tcpdump -i any -U --immediate-mode -B 32768 -s 70000 -w - tcp | a2ascope open -",
		"darwin":  "sudo tcpdump -i lo0 -U --immediate-mode -B 32768 -s 70000 -w - tcp | a2ascope open -",
		"windows": `dumpcap -q -i \Device\NPF_Loopback -f "tcp" -w - | a2ascope open -`,
	} {
		if got := PipeLine(Options{}, system); got != line {
			t.Errorf("%s: %s", system, got)
		}
	}

	err = noInterface("eth7", []net.Interface{
		{Name: "lo", Flags: net.FlagUp}, {Name: "eth0", Flags: net.FlagUp}, {Name: "wlan0"},
	})
	want(t, err.Error(), `there is no interface "eth7"; there are: eth0, lo, any (all of them); and, not up: wlan0`)
	if _, err := Live(Options{Interface: "no such thing"}); err == nil || !strings.Contains(err.Error(), "any (all of them)") && !errors.Is(err, ErrNoLive) {
		t.Errorf("an interface that is not there: %v", err)
	}
}
