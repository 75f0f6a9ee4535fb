package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// figures are what one load measured.
type figures struct {
	calls, events int
	wire          int64 // bytes both ways, of HTTP/1
	span          time.Duration
	times         []time.Duration // of calls, or how late events came
}

func (f *figures) add(o figures) {
	f.calls += o.calls
	f.events += o.events
	f.wire += o.wire
	f.times = append(f.times, o.times...)
}

func (f *figures) rate() float64 { return float64(f.calls) / f.span.Seconds() }

// at is the q-th part of the times, in microseconds.
func (f *figures) at(q float64) float64 {
	if len(f.times) == 0 {
		return 0
	}
	slices.Sort(f.times)
	return float64(f.times[min(int(q*float64(len(f.times))), len(f.times)-1)].Nanoseconds()) / 1000
}

// workers runs a load at a width and joins what it measured.
func workers(width int, span time.Duration, one func(id int, until time.Time) (figures, error)) (figures, error) {
	var all figures
	var mu sync.Mutex
	var first error
	var owned sync.WaitGroup
	begin := time.Now()
	for i := range width {
		owned.Go(func() {
			f, err := one(i, begin.Add(span))
			mu.Lock()
			defer mu.Unlock()
			all.add(f)
			if first == nil {
				first = err
			}
		})
	}
	owned.Wait()
	all.span = time.Since(begin)
	return all, first
}

func head(host, path, more string, body string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: bench\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\nAccept: application/json, text/event-stream\r\n" +
		more + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

// calls makes JSON-RPC calls, one after the other on each connection, and
// compares the id of every answer. The client is a plain loop over a socket: it
// takes little from what is measured.
func calls(addr string, width int, span time.Duration) (figures, error) {
	return workers(width, span, func(w int, until time.Time) (f figures, err error) {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			return f, err
		}
		defer c.Close()
		_ = c.SetDeadline(until.Add(30 * time.Second))
		buf := make([]byte, 64<<10)
		for time.Now().Before(until) {
			id := strconv.Itoa(w*1_000_000 + f.calls + 1)
			q := head(addr, "/rpc", "", `{"jsonrpc":"2.0","id":`+id+`,"method":"SendMessage","params":`+ask+`}`)
			begin := time.Now()
			if _, err := io.WriteString(c, q); err != nil {
				return f, err
			}
			n, err := readAnswer(c, buf)
			if err != nil {
				return f, err
			}
			f.times = append(f.times, time.Since(begin))
			if !bytes.Contains(buf[:n], []byte(`"id":`+id+`,"result":`+answer+`}`)) {
				return f, fmt.Errorf("the answer to %s is %q", id, buf[:n])
			}
			f.calls++
			f.wire += int64(len(q) + n)
		}
		return f, nil
	})
}

// readAnswer reads an answer that has a Content-Length.
func readAnswer(c net.Conn, buf []byte) (int, error) {
	have, want := 0, -1
	for {
		n, err := c.Read(buf[have:])
		have += n
		if err != nil {
			return have, err
		}
		if want < 0 {
			i := bytes.Index(buf[:have], []byte("\r\n\r\n"))
			if i < 0 {
				continue
			}
			_, rest, ok := strings.Cut(strings.ToLower(string(buf[:i])), "content-length: ")
			if !ok {
				return have, fmt.Errorf("an answer without Content-Length: %q", buf[:i])
			}
			digits, _, _ := strings.Cut(rest, "\r")
			length, err := strconv.Atoi(digits)
			if err != nil {
				return have, err
			}
			want = i + 4 + length
		}
		if have >= want {
			return have, nil
		}
	}
}

// sse reads streams of 50 events that are sent a millisecond apart, each on a
// connection of its own, and measures how late each event comes.
func sse(addr string, width int, span time.Duration) (figures, error) {
	return workers(width, span, func(w int, until time.Time) (f figures, err error) {
		for time.Now().Before(until) {
			late, err := oneStream(addr, 50, time.Millisecond)
			if err != nil {
				return f, err
			}
			f.calls++
			f.events += len(late)
			f.times = append(f.times, late...)
		}
		return f, nil
	})
}

func oneStream(addr string, events int, pause time.Duration) ([]time.Duration, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(60 * time.Second))
	more := fmt.Sprintf("Bench-Events: %d\r\nBench-Pause: %s\r\nConnection: close\r\n", events, pause)
	if _, err := io.WriteString(c, head(addr, "/rpc", more, `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":`+ask+`}`)); err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(bufio.NewReaderSize(c, 64<<10), nil)
	if err != nil {
		return nil, err
	}
	return readEvents(resp.Body, events)
}

// readEvents reads a body of stamped events to its end.
func readEvents(r io.Reader, want int) ([]time.Duration, error) {
	var late []time.Duration
	in := bufio.NewScanner(r)
	for in.Scan() {
		now := time.Now().UnixNano()
		if at := stampOf(in.Text()); at != 0 {
			late = append(late, time.Duration(now-at))
		}
	}
	if err := in.Err(); err != nil {
		return late, err
	}
	if len(late) != want {
		return late, fmt.Errorf("a stream of %d events has %d", want, len(late))
	}
	return late, nil
}

// cut reads short streams over kept connections and counts those that end early.
func cut(addr string, width, streams int) (broken int, err error) {
	tr := &http.Transport{MaxIdleConnsPerHost: width}
	defer tr.CloseIdleConnections()
	c := &http.Client{Transport: tr, Timeout: 60 * time.Second}
	var left, lost atomic.Int64
	left.Store(int64(streams))
	_, err = workers(width, 0, func(int, time.Time) (f figures, err error) {
		for left.Add(-1) >= 0 {
			q, err := http.NewRequest("POST", "http://"+addr+"/rpc", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":`+ask+`}`))
			if err != nil {
				return f, err
			}
			q.Header.Set("Content-Type", "application/json")
			q.Header.Set("A2A-Version", "1.0")
			q.Header.Set("Bench-Events", "10")
			resp, err := c.Do(q)
			if err != nil {
				lost.Add(1)
				continue
			}
			if _, err := readEvents(resp.Body, 10); err != nil {
				lost.Add(1)
			}
			_ = resp.Body.Close()
		}
		return f, nil
	})
	return int(lost.Load()), err
}

// grpc makes gRPC calls over HTTP/2 in clear, all on one connection as the
// libraries do: unary, or streams of 50 messages a millisecond apart.
func grpc(addr string, width int, span time.Duration, path string) (figures, error) {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	tr := &http.Transport{Protocols: p}
	defer tr.CloseIdleConnections()
	c := &http.Client{Transport: tr, Timeout: span + 60*time.Second}
	message, reply := framed(path, false, ask), framed(unaryPath, true, answer)
	return workers(width, span, func(w int, until time.Time) (f figures, err error) {
		for time.Now().Before(until) {
			q, err := http.NewRequest("POST", "http://"+addr+path, bytes.NewReader(message))
			if err != nil {
				return f, err
			}
			q.Header = http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"}, "A2a-Version": {"1.0"}, "Bench-Events": {"50"}, "Bench-Pause": {"1ms"}}
			begin := time.Now()
			resp, err := c.Do(q)
			if err != nil {
				return f, err
			}
			if path == unaryPath {
				b, rerr := io.ReadAll(resp.Body)
				f.times = append(f.times, time.Since(begin))
				if rerr == nil && !bytes.Equal(b, reply) {
					rerr = fmt.Errorf("an answer of %d bytes, want %d", len(b), len(reply))
				}
				err = rerr
			} else {
				err = f.messages(resp.Body, 50)
			}
			_ = resp.Body.Close()
			if err == nil && resp.Trailer.Get("Grpc-Status") != "0" {
				err = errors.New("the trailers did not come")
			}
			if err != nil {
				return f, err
			}
			f.calls++
		}
		return f, nil
	})
}

// messages reads gRPC messages and how late each comes.
func (f *figures) messages(r io.Reader, want int) error {
	in := bufio.NewReader(r)
	for n := 0; ; n++ {
		var prefix [5]byte
		if _, err := io.ReadFull(in, prefix[:]); err == io.EOF && n == want {
			return nil
		} else if err != nil {
			return fmt.Errorf("after %d of %d messages: %w", n, want, err)
		}
		b := make([]byte, int(prefix[3])<<8|int(prefix[4]))
		if _, err := io.ReadFull(in, b); err != nil {
			return err
		}
		at := stampOf(string(b))
		if at == 0 {
			return fmt.Errorf("message %d carries no time", n)
		}
		f.times = append(f.times, time.Duration(time.Now().UnixNano()-at))
		f.events++
	}
}

// hold opens connections with a stream on each that says one thing and waits.
func hold(addr string, n int) (release func(), err error) {
	conns := make([]net.Conn, 0, n)
	release = func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}
	for range n {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			return release, err
		}
		conns = append(conns, c)
		_ = c.SetDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.WriteString(c, head(addr, "/idle", "", `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":`+ask+`}`)); err != nil {
			return release, err
		}
		in := bufio.NewReaderSize(c, 1<<10)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return release, err
			}
			if strings.Contains(line, "at-") {
				break
			}
		}
	}
	return release, nil
}
