package report

import (
	"net/netip"
	"testing"

	"a2ascope/capture"
	"a2ascope/internal/session"
)

// TestConnectionLine: of the two ends only what is known is named.
func TestConnectionLine(t *testing.T) {
	a, b := netip.MustParseAddrPort("127.0.0.1:4000"), netip.MustParseAddrPort("127.0.0.1:443")
	for _, c := range []struct {
		link *capture.Link
		want string
	}{
		{nil, "tls, text, 1 + 2 bytes"},
		{&capture.Link{}, "tls, text, 1 + 2 bytes"},
		{&capture.Link{Client: a}, "tls 127.0.0.1:4000, text, 1 + 2 bytes"},
		{&capture.Link{Client: a, ServerName: "agent.test"}, "tls 127.0.0.1:4000 → agent.test, text, 1 + 2 bytes"},
		{&capture.Link{Client: a, Server: b}, "tls 127.0.0.1:4000 → 127.0.0.1:443, text, 1 + 2 bytes"},
		{&capture.Link{Server: b, ServerName: "agent.test"}, "tls → 127.0.0.1:443 (agent.test), text, 1 + 2 bytes"},
	} {
		row := &session.Row{Conn: &capture.ConnInfo{Protocol: "tls", Sent: [2]int64{1, 2}, Text: "text"}, Link: c.link}
		if got := otherLine(row); got != c.want {
			t.Errorf("%+v: %q, want %q", c.link, got, c.want)
		}
	}
}
