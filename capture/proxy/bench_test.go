package proxy

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/capture"
)

// nobody takes everything and keeps nothing.
type nobody struct{}

func (nobody) Chunks([]capture.Chunk) error { return nil }
func (nobody) Events([]capture.Event) error { return nil }
func (nobody) Progress(capture.Progress)    {}

// The exchange of the benchmarks: JSON-RPC, about a kilobyte each way.
var (
	benchBody   = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"text":"` + strings.Repeat("x", 900) + `"}}`
	benchAnswer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Mon, 30 Nov 2026 01:39:06 GMT\r\nContent-Length: " + fmt.Sprint(len(benchBody)) + "\r\n\r\n" + benchBody
)

func benchRequest(host string) string {
	return "POST /rpc HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: bench\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\nAccept: application/json, text/event-stream\r\nContent-Length: " +
		fmt.Sprint(len(benchBody)) + "\r\n\r\n" + benchBody
}

// benchAgent answers each request of the bench with the same bytes; it reads as little as it can.
func benchAgent(b *testing.B) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var conns sync.WaitGroup
	b.Cleanup(func() {
		ln.Close()
		conns.Wait()
	})
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				defer c.Close()
				buf := make([]byte, 64<<10)
				have := 0
				for {
					n, err := c.Read(buf[have:])
					if err != nil {
						return
					}
					have += n
					i := strings.Index(string(buf[:have]), "\r\n\r\n")
					if i < 0 || have < i+4+len(benchBody) {
						continue
					}
					have = 0
					if _, err := io.WriteString(c, benchAnswer); err != nil {
						return
					}
				}
			})
		}
	}()
	return ln.Addr().String()
}

// anchors are what the relay is compared with, in the same run.
func anchors(b *testing.B, run func(b *testing.B, addr string)) {
	withAgent(b, benchAgent(b), run)
}

func withAgent(b *testing.B, agent string, run func(b *testing.B, addr string)) {
	withAgentOver(b, agent, nil, run)
}

func withAgentOver(b *testing.B, agent string, protocols *http.Protocols, run func(b *testing.B, addr string)) {
	b.Run("direct", func(b *testing.B) { run(b, agent) })
	b.Run("relay", func(b *testing.B) {
		p, err := Listen(Options{Target: agent, Now: time.Now})
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); p.Run(ctx, nobody{}) }()
		run(b, p.Addr())
		b.ReportMetric(float64(p.State().Queue.LostBytes), "lostB")
		cancel()
		<-done
	})
	b.Run("ReverseProxy", func(b *testing.B) {
		u, _ := url.Parse("http://" + agent)
		rp := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) }, FlushInterval: -1,
			Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true, Protocols: protocols}}
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).EnableFullDuplex()
			rp.ServeHTTP(w, r)
		}))
		s.Config.Protocols = protocols
		s.Start()
		defer s.Close()
		defer rp.Transport.(*http.Transport).CloseIdleConnections()
		run(b, strings.TrimPrefix(s.URL, "http://"))
	})
}

func benchCalls(b *testing.B, addr string, conns int) {
	req := []byte(benchRequest(addr))
	var wg sync.WaitGroup
	per := b.N/conns + 1
	b.ResetTimer()
	for range conns {
		wg.Go(func() {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				b.Error(err)
				return
			}
			defer c.Close()
			buf := make([]byte, 64<<10)
			for range per {
				if _, err := c.Write(req); err != nil {
					b.Error(err)
					return
				}
				have := 0
				for {
					n, err := c.Read(buf[have:])
					if err != nil {
						b.Error(err)
						return
					}
					have += n
					if i := strings.Index(string(buf[:have]), "\r\n\r\n"); i >= 0 && have >= i+4+len(benchBody) {
						break
					}
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkCalls(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprint("c", n), func(b *testing.B) {
			anchors(b, func(b *testing.B, addr string) { benchCalls(b, addr, n) })
		})
	}
}

// BenchmarkDownload moves one large body.
func BenchmarkDownload(b *testing.B) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer ln.Close()
	const size = 64 << 20
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				buf := make([]byte, 64<<10)
				c.Read(buf)
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size)
				for range size / len(buf) {
					if _, err := c.Write(buf); err != nil {
						return
					}
				}
			}()
		}
	}()
	load := func(b *testing.B, addr string) {
		b.SetBytes(size)
		for b.Loop() {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				b.Fatal(err)
			}
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: "+addr+"\r\n\r\n")
			if n, err := io.Copy(io.Discard, c); n < size || err != nil {
				b.Fatal(n, err)
			}
			c.Close()
		}
	}
	agent := ln.Addr().String()
	b.Run("direct", func(b *testing.B) { load(b, agent) })
	b.Run("relay", func(b *testing.B) {
		p, err := Listen(Options{Target: agent, Now: time.Now})
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); p.Run(ctx, nobody{}) }()
		load(b, p.Addr())
		cancel()
		<-done
	})
}

// BenchmarkEvents measures how late the events of 16 streams come: each carries when it was sent.
func BenchmarkEvents(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		f := w.(http.Flusher)
		for range 50 {
			fmt.Fprintf(w, "data: %d\n\n", time.Now().UnixNano())
			f.Flush()
			time.Sleep(time.Millisecond)
		}
	}))
	defer s.Close()
	run := func(b *testing.B, addr string) {
		var mu sync.Mutex
		var late []time.Duration
		for b.Loop() {
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(func() {
					c, err := net.Dial("tcp", addr)
					if err != nil {
						b.Error(err)
						return
					}
					defer c.Close()
					io.WriteString(c, "GET / HTTP/1.1\r\nHost: "+addr+"\r\nConnection: close\r\n\r\n")
					buf := make([]byte, 4096)
					var mine []time.Duration
					for {
						n, err := c.Read(buf)
						now := time.Now().UnixNano()
						for l := range strings.SplitSeq(string(buf[:n]), "\n") {
							var at int64
							if _, serr := fmt.Sscanf(l, "data: %d", &at); serr == nil {
								mine = append(mine, time.Duration(now-at))
							}
						}
						if err != nil {
							break
						}
					}
					mu.Lock()
					late = append(late, mine...)
					mu.Unlock()
				})
			}
			wg.Wait()
		}
		slices.Sort(late)
		b.ReportMetric(float64(late[len(late)/2].Microseconds()), "p50-µs")
		b.ReportMetric(float64(late[len(late)*99/100].Microseconds()), "p99-µs")
	}
	withAgent(b, strings.TrimPrefix(s.URL, "http://"), run)
}

// BenchmarkHTTP2Calls makes unary calls over HTTP/2 in clear, as gRPC does, from 16 callers on one connection.
func BenchmarkHTTP2Calls(b *testing.B) {
	h2c := new(http.Protocols)
	h2c.SetUnencryptedHTTP2(true)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		w.Write(body)
		w.Header().Set("Grpc-Status", "0")
	}))
	s.Config.Protocols = h2c
	s.Start()
	defer s.Close()
	run := func(b *testing.B, addr string) {
		tr := &http.Transport{Protocols: h2c}
		defer tr.CloseIdleConnections()
		c := &http.Client{Transport: tr}
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				for range b.N/16 + 1 {
					resp, err := c.Post("http://"+addr+"/lf.a2a.v1.A2AService/GetTask", "application/grpc", strings.NewReader(benchBody))
					if err != nil {
						b.Error(err)
						return
					}
					n, _ := io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					if int(n) != len(benchBody) || resp.Trailer.Get("Grpc-Status") != "0" {
						b.Errorf("%d bytes, %v", n, resp.Trailer)
						return
					}
				}
			})
		}
		wg.Wait()
	}
	withAgentOver(b, strings.TrimPrefix(s.URL, "http://"), h2c, run)
}
