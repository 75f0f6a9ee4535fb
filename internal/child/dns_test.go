package child

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

func TestResolvers(t *testing.T) {
	f := filepath.Join(t.TempDir(), "resolv.conf")
	text := "# nameserver 9.9.9.9\nsearch x\nnameserver 10.0.0.2\nnameserver nonsense\nnameserver fe80::1%eth0\nnameserver 10.0.0.3\nnameserver 10.0.0.4\n"
	if err := os.WriteFile(f, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := resolvers(f); !slices.Equal(got, []string{"10.0.0.2:53", "[fe80::1%eth0]:53", "10.0.0.3:53"}) {
		t.Errorf("got %v", got)
	}
	if got := resolvers(f + "x"); !slices.Equal(got, []string{"127.0.0.1:53"}) {
		t.Errorf("without a file: %v", got)
	}
}

// nameServer answers every question for an address with 192.0.2.7, every other
// with nothing, until the test ends.
func nameServer(t *testing.T) string {
	t.Helper()
	pc, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	var owned sync.WaitGroup
	owned.Go(func() {
		b := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFromUDPAddrPort(b)
			if err != nil {
				return
			}
			q := b[:n]
			end := 12
			for end < n && q[end] != 0 {
				end += int(q[end]) + 1
			}
			end += 5
			a := append([]byte(nil), q[:end]...)
			a[2], a[3] = 0x81, 0x80
			copy(a[6:], []byte{0, 0, 0, 0, 0, 0})
			if q[end-3] == 1 { // an A record
				a[7] = 1
				a = append(a, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7)
			}
			_, _ = pc.WriteToUDPAddrPort(a, from)
		}
	})
	t.Cleanup(func() { pc.Close(); owned.Wait() })
	return pc.LocalAddr().String()
}

func TestAsk(t *testing.T) {
	q := []byte{1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 'a', 0, 0, 1, 0, 1}
	deaf, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	nobody := deaf.LocalAddr().String()
	deaf.Close()
	// A server that is not there is passed over; without any, the client is told.
	if a := ask(t.Context(), q, []string{nobody, nameServer(t)}); len(a) < 4 || a[0] != 1 || a[1] != 2 || a[3]&15 != 0 || a[7] != 1 {
		t.Errorf("got % x", a)
	}
	if a := ask(t.Context(), q, []string{nobody}); len(a) != len(q) || a[2]&0x80 == 0 || a[3]&15 != 2 {
		t.Errorf("without a server: % x", a)
	}
	if a := ask(t.Context(), q[:5], nil); a != nil {
		t.Errorf("half a question is answered: % x", a)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a := ask(ctx, q, []string{nobody}); a[3]&15 != 2 {
		t.Errorf("after the end: % x", a)
	}
}
