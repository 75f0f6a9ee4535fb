package pcap

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"a2ascope/capture"
)

const corpus = "../../samples/captures"

func corpusFile(t testing.TB, name string) string {
	t.Helper()
	if _, err := os.Stat(corpus); os.IsNotExist(err) {
		t.Skip("the captures are not here")
	}
	return filepath.Join(corpus, name)
}

func corpusFiles(t testing.TB) []string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.pcap", "*.pcapng", "*.pcap.gz"} {
		n, err := filepath.Glob(corpusFile(t, pattern))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, n...)
	}
	if len(names) < 50 {
		t.Fatalf("only %d captures", len(names))
	}
	return names
}

func read(t testing.TB, name string) (*gather, capture.Summary) {
	t.Helper()
	s, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	g := &gather{}
	sum, err := s.Run(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return g, sum
}

// TestCorpus reads every capture: each connection is opened once and closed
// once, all that is known to be damaged is said, and nothing else.
func TestCorpus(t *testing.T) {
	damaged := map[string]string{
		"d09_truncated_row5.pcap":     "truncated",
		"d11_snap120_row1.pcap":       "snaplen",
		"d17_onlyresponses_row2.pcap": "one-way",
		"d18_empty.pcap":              "no-tcp",
	}
	gaps := map[string]int64{"d03_loss_sse.pcap": 545, "d11_snap120_row1.pcap": 2928, "d17_onlyresponses_row2.pcap": 1964}
	for _, name := range corpusFiles(t) {
		base := filepath.Base(name)
		g, sum := read(t, name)
		var what []string
		for _, d := range sum.Damage {
			what = append(what, d.What)
		}
		if got := strings.Join(what, " "); got != damaged[base] {
			t.Errorf("%s: damage %q: %v", base, got, sum.Damage)
		}
		state := map[capture.ConnID]capture.ChunkKind{}
		var lost int64
		for _, c := range g.chunks {
			last, seen := state[c.Conn]
			if seen != (c.Kind != capture.Opened) || last == capture.Closed {
				t.Fatalf("%s: %s after %s (%v)", base, c.Kind, last, seen)
			}
			state[c.Conn] = c.Kind
			if c.Kind == capture.Gap {
				lost += c.Lost
			}
			if c.Kind == capture.Opened && c.Link.Midstream != (base == "d01_midconn_http1.pcap") {
				t.Errorf("%s: midstream %v", base, c.Link.Midstream)
			}
		}
		if lost != gaps[base] {
			t.Errorf("%s: %d bytes missing", base, lost)
		}
		if int64(len(state)) != sum.Connections {
			t.Errorf("%s: %d connections, %d seen", base, sum.Connections, len(state))
		}
		for id, k := range state {
			if k != capture.Closed {
				t.Errorf("%s: connection %d ends with %s", base, id, k)
			}
		}
	}
}

// TestSides checks the roles on every capture with a cleartext HTTP/1 request.
func TestSides(t *testing.T) {
	requests := 0
	for _, name := range corpusFiles(t) {
		g, _ := read(t, name)
		for _, c := range g.chunks {
			side, ok := speaker(c.Data)
			if ok && c.From != side {
				t.Errorf("%s: %q from the %s", name, c.Data[:min(20, len(c.Data))], c.From)
			}
			if ok {
				requests++
			}
		}
	}
	if requests < 500 {
		t.Errorf("only %d heads seen", requests)
	}
}

// bytesOf joins the bytes of each connection and side, in the order of
// connections.
func bytesOf(g *gather, conns ...capture.ConnID) string {
	var b strings.Builder
	for _, id := range conns {
		for side := capture.Client; side <= capture.Server; side++ {
			for _, c := range g.chunks {
				if c.Conn == id && c.From == side {
					b.Write(c.Data)
				}
			}
			b.WriteString("\n====\n")
		}
	}
	return b.String()
}

// TestDamagedVariants compares captures that were changed on purpose with what
// they were made from.
func TestDamagedVariants(t *testing.T) {
	get := func(name string) *gather { g, _ := read(t, corpusFile(t, name)); return g }
	for _, c := range [][2]string{
		{"d07_duplicates_row4.pcap", "r04a_js03_on_go10_rest.pcap"},
		{"d13_row3_converted.pcapng", "r03a_v1names_on_go03_grpc.pcap"},
		{"d19_row12.pcap.gz", "r12a_go10_reads_go03_card.pcap"},
		{"d21_row2_vlan.pcap", "r02a_go03_on_go10_jsonrpc.pcap"},
	} {
		if a, b := text(get(c[0]).chunks), text(get(c[1]).chunks); a != b {
			t.Errorf("%s:\n%s\n%s:\n%s", c[0], a, c[1], b)
		}
	}
	// Overlapping retransmissions of the conversations that the merged capture has plain.
	if a, b := bytesOf(get("d23_overlap_row1.pcap"), 1, 2), bytesOf(get("d15_merged_sll2_eth.pcapng"), 1, 2); a != b {
		t.Errorf("overlap: %d bytes, plain %d", len(a), len(b))
	}
	// Handshake, card and first request are cut off: the tail of one of the
	// connections of the whole.
	whole, tail := get("x01_go10_js10_jsonrpc.pcap"), bytesOf(get("d01_midconn_http1.pcap"), 1)
	found := false
	for id := capture.ConnID(1); id <= 3; id++ {
		ws, ts := strings.Split(bytesOf(whole, id), "\n====\n"), strings.Split(tail, "\n====\n")
		found = found || strings.HasSuffix(ws[0], ts[0]) && strings.HasSuffix(ws[1], ts[1]) && len(ts[0]) > 1000 && len(ts[0]) < len(ws[0])
	}
	if !found {
		t.Errorf("midstream: no tail of the whole")
	}
	// Only the server's packets.
	a, b := get("d17_onlyresponses_row2.pcap"), get("r02a_go03_on_go10_jsonrpc.pcap")
	if x, y := strings.Split(bytesOf(a, 1), "\n====\n"), strings.Split(bytesOf(b, 1), "\n====\n"); x[1] != y[1] || x[0] != "" {
		t.Error("one direction: other bytes")
	}
	var lost int64
	for _, c := range a.chunks {
		lost += c.Lost
	}
	if sent := len(strings.Split(bytesOf(b, 1), "\n====\n")[0]); lost != int64(sent) {
		t.Errorf("one direction: %d bytes missing, %d were sent", lost, sent)
	}
	// Cut at 120 bytes: what is left plus the gaps is as long as before.
	a, b = get("d11_snap120_row1.pcap"), get("r01a_go10_on_go03_jsonrpc.pcap")
	var have, miss, all [2]int64
	for _, c := range a.chunks {
		have[c.From] += int64(len(c.Data))
		miss[c.From] += c.Lost
	}
	for _, c := range b.chunks {
		all[c.From] += int64(len(c.Data))
	}
	for side := range 2 {
		if have[side]+miss[side] != all[side] || miss[side] == 0 {
			t.Errorf("snaplen: side %d has %d and misses %d of %d", side, have[side], miss[side], all[side])
		}
	}
	// Cut in the middle: a prefix of the whole.
	a, b = get("d09_truncated_row5.pcap"), get("r05a_versions_js10_jsonrpc.pcap")
	if x, y := text(a.chunks), text(b.chunks); !strings.HasPrefix(y, x) || x == y {
		t.Error("truncated: no prefix of the whole")
	}
	// Swapped packets: every response comes after its request.
	var asked, answered int
	for _, c := range get("d05_outoforder_rest.pcap").chunks {
		if side, ok := speaker(c.Data); ok && side == capture.Client {
			asked++
		} else if ok {
			answered++
		}
		if answered > asked {
			t.Fatalf("response %d before its request", answered)
		}
	}
	if asked != answered || asked == 0 {
		t.Errorf("%d requests, %d responses", asked, answered)
	}
}

// TestPlainIsGeneral reads every packet of the corpus both ways, and checks
// the TCP header against gopacket's layer.
func TestPlainIsGeneral(t *testing.T) {
	both, plainOnly := 0, 0
	for _, name := range corpusFiles(t) {
		s, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		var p packet
		dec := newDecoder()
		for {
			if err := s.(*Source).records.next(&p); err != nil {
				if _, damaged := err.(*broken); err != io.EOF && !damaged {
					t.Fatal(err)
				}
				break
			}
			var a, b segment
			okA := plain(p.link, p.data, &a)
			okB := dec.general(&p, &b)
			if !okA {
				if okB {
					plainOnly++
				}
				continue
			}
			both++
			if !okB || a.src != b.src || a.dst != b.dst || a.sport != b.sport || a.dport != b.dport || a.flags != b.flags ||
				a.seq != b.seq || a.ack != b.ack || a.length != b.length || !bytes.Equal(a.data, b.data) {
				t.Fatalf("%s packet %d:\n%+v\n%+v", name, p.n, a, b)
			}
			checkTCP(t, name, &p, &a)
		}
	}
	if both < 1000 {
		t.Errorf("only %d packets compared, %d not plain", both, plainOnly)
	}
}

func checkTCP(t *testing.T, name string, p *packet, s *segment) {
	t.Helper()
	_, ip := network(p.link, p.data)
	first := gopacket.LayerType(layers.LayerTypeIPv4)
	if ip[0]>>4 == 6 {
		first = layers.LayerTypeIPv6
	}
	tcp, _ := gopacket.NewPacket(ip, first, gopacket.Default).Layer(layers.LayerTypeTCP).(*layers.TCP)
	if tcp == nil {
		t.Fatalf("%s packet %d: gopacket finds no TCP", name, p.n)
	}
	flags := uint8(binary.BigEndian.Uint16(tcp.Contents[12:]))
	if uint16(tcp.SrcPort) != s.sport || uint16(tcp.DstPort) != s.dport || tcp.Seq != s.seq || tcp.Ack != s.ack ||
		flags != s.flags || !bytes.Equal(tcp.Payload, s.data) {
		t.Fatalf("%s packet %d: %+v, gopacket %+v", name, p.n, s, tcp)
	}
}

// TestSecretsInCapture reads the secrets that a capture program put into it.
func TestSecretsInCapture(t *testing.T) {
	s, err := Open(corpusFile(t, "tls07_dsb_row5_tls12.pcapng"))
	if err != nil {
		t.Fatal(err)
	}
	early := 0
	g := &gather{onChunks: func() error { early = len(s.(*Source).Secrets()); return nil }}
	if _, err := s.Run(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	all := s.(*Source).Secrets()
	if len(all) == 0 || early == 0 || all[0].Type != SecretTLS || !bytes.HasPrefix(all[0].Data, []byte("CLIENT_RANDOM ")) {
		t.Errorf("%d secrets, %d of them while reading", len(all), early)
	}
}
