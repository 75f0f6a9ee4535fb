package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"a2ascope/capture"
)

// benchTalk feeds a talk again and again on one connection that stays open and
// reports exchanges; floor is the same bytes counted by the standard library.
func benchTalk(b *testing.B, begin, round talk, exchanges int) {
	var size int64
	for _, ch := range round {
		size += int64(len(ch.Data))
	}
	b.Run("read", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		c := NewConn(1)
		feedAll(c, begin)
		var out []capture.Event
		events := 0
		for b.Loop() {
			out = out[:0]
			for i := range round {
				out = c.Feed(&round[i], out)
			}
			events += len(out)
		}
		if events == 0 {
			b.Fatal("nothing was read")
		}
		b.ReportMetric(float64(exchanges)*float64(b.N)/b.Elapsed().Seconds(), "exchanges/s")
	})
	b.Run("floor", func(b *testing.B) {
		b.SetBytes(size)
		n := 0
		for b.Loop() {
			for i := range round {
				n += bytes.Count(round[i].Data, []byte{'\n'})
			}
		}
		if n < 0 {
			b.Fatal(n)
		}
	})
}

func rpc(n int) (string, string) {
	body := func(kind string) string {
		s := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,%s"text":"`, kind)
		return s + strings.Repeat("x", n-len(s)-2) + `"}`
	}
	q, a := body(`"method":"message/send",`), body(`"result":{},`)
	return fmt.Sprintf("POST /a2a HTTP/1.1\r\nHost: agent.test:9001\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: %d\r\nA2a-Version: 1.0\r\nContent-Type: application/json\r\nAccept-Encoding: identity\r\n\r\n%s", len(q), q),
		fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Sun, 29 Nov 2026 22:18:54 GMT\r\nContent-Length: %d\r\n\r\n%s", len(a), a)
}

func BenchmarkHTTP1(b *testing.B) {
	for _, n := range []int{1 << 10, 16 << 10} {
		q, a := rpc(n)
		b.Run(fmt.Sprintf("%dKB", n>>10), func(b *testing.B) { benchTalk(b, nil, talk{cl(q), sv(a)}, 1) })
	}
}

func BenchmarkSSE(b *testing.B) {
	event := `data: {"jsonrpc":"2.0","id":2,"result":{"kind":"status-update","taskId":"task-1","contextId":"ctx-1","status":{"state":"working"},"final":false}}` + "\n\n"
	chunked := fmt.Sprintf("%x\r\n%s\r\n", len(event), event)
	begin := talk{cl(get), sv("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")}
	b.Run("one-chunk-an-event", func(b *testing.B) { benchTalk(b, begin, talk{sv(chunked)}, 0) })
	b.Run("in-segments", func(b *testing.B) {
		var round talk
		for all := strings.Repeat(chunked, 100); all != ""; {
			n := min(len(all), 1448)
			round = append(round, sv(all[:n]))
			all = all[n:]
		}
		benchTalk(b, begin, round, 0)
	})
	b.Run("gzip", func(b *testing.B) {
		var parts []string
		for range 200 {
			parts = append(parts, event)
		}
		body := pack("gzip", parts...)
		benchTalk(b, nil, talk{cl(get), sv(resp("Content-Type: text/event-stream\r\nContent-Encoding: gzip", body))}, 1)
	})
}

func BenchmarkHTTP2(b *testing.B) {
	// One connection; stream numbers are written into the frames of each round.
	c, s := newH2Side(), newH2Side()
	begin := talk{cl(preface + c.settings().headers(1, true, grpcReq("/lf.a2a.v1.A2AService/SendMessage")...).take()),
		sv(s.settings().headers(1, false, ":status=200", "content-type=application/grpc").headers(1, true, "grpc-status=0", "grpc-message=").take())}
	body := msg(0, strings.Repeat("m", 1024))
	q := c.headers(3, false, grpcReq("/lf.a2a.v1.A2AService/SendMessage")...).data(3, true, body).take()
	a := s.headers(3, false, ":status=200", "content-type=application/grpc").data(3, false, body).headers(3, true, "grpc-status=0", "grpc-message=").take()
	size := int64(len(q) + len(a))
	b.Run("grpc/read", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		cn := NewConn(1)
		feedAll(cn, begin)
		var out []capture.Event
		id := uint32(3)
		qb, ab := []byte(q), []byte(a)
		offs := func(p []byte) (at []int) {
			for i := 0; i < len(p); i += frameHead + int(p[i])<<16 + int(p[i+1])<<8 + int(p[i+2]) {
				at = append(at, i+5)
			}
			return at
		}
		qo, ao := offs(qb), offs(ab)
		set := func(p []byte, at []int) {
			for _, i := range at {
				p[i], p[i+1], p[i+2], p[i+3] = byte(id>>24), byte(id>>16), byte(id>>8), byte(id)
			}
		}
		done := 0
		for b.Loop() {
			set(qb, qo)
			set(ab, ao)
			q, a := capture.Chunk{Kind: capture.Bytes, Data: qb}, capture.Chunk{Kind: capture.Bytes, From: capture.Server, Data: ab}
			out = cn.Feed(&a, cn.Feed(&q, out[:0]))
			done += len(out)
			if id += 2; id > 1<<30 {
				b.Fatal("too many rounds for one connection")
			}
		}
		if done != 8*b.N {
			b.Fatalf("%d events in %d rounds", done, b.N)
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "exchanges/s")
	})
	b.Run("grpc/floor", func(b *testing.B) {
		b.SetBytes(size)
		both := []byte(q + a)
		for b.Loop() {
			if bytes.Count(both, []byte{'\n'}) < 0 {
				b.Fatal()
			}
		}
	})
}

func BenchmarkGzipBody(b *testing.B) {
	body := strings.Repeat(`{"jsonrpc":"2.0","id":1,"result":{"kind":"message","role":"agent","parts":[{"kind":"text","text":"hello"}]}}`, 150)
	benchTalk(b, nil, talk{cl(get), sv(resp("Content-Encoding: gzip", pack("gzip", body)))}, 1)
}
