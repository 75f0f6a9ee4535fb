package main

import (
	"encoding/binary"
	"fmt"
	"io"
)

const (
	mtuPayload = 1448                // Ethernet 1500 less IPv4 and TCP with timestamps
	start      = 1_764_454_201_000_0 // in units of 100 µs
)

// pcapFile writes TCP conversations as packets with growing timestamps.
type pcapFile struct {
	w       io.Writer
	n, pkts int64
	now     int64 // µs
	err     error
	buf     []byte
}

func (p *pcapFile) write(b []byte) {
	if p.err == nil {
		_, p.err = p.w.Write(b)
		p.n += int64(len(b))
	}
}

// tcp is one connection; seq by direction (0 client).
type tcp struct {
	p    *pcapFile
	ip   [2]uint32
	port [2]uint16
	seq  [2]uint32
}

func (p *pcapFile) connect(n int, serverPort uint16) *tcp {
	c := &tcp{p: p, ip: [2]uint32{0x0a000000 | uint32(n/50000+2), 0x0a010001}, port: [2]uint16{uint16(10000 + n%50000), serverPort}, seq: [2]uint32{uint32(n) * 7919, uint32(n) * 104729}}
	c.segment(0, 0x02, nil)
	c.seq[0]++
	c.segment(1, 0x12, nil)
	c.seq[1]++
	c.segment(0, 0x10, nil)
	return c
}

func (c *tcp) send(from int, data []byte) {
	for len(data) > 0 {
		n := min(len(data), mtuPayload)
		c.segment(from, 0x18, data[:n])
		c.seq[from] += uint32(n)
		data = data[n:]
	}
	c.segment(1-from, 0x10, nil)
}

func (c *tcp) close() {
	for from := range 2 {
		c.segment(from, 0x11, nil)
		c.seq[from]++
	}
	c.segment(0, 0x10, nil)
}

func (c *tcp) segment(from int, flags byte, data []byte) {
	p := c.p
	p.now += 20
	size := 14 + 20 + 32 + len(data)
	b := p.buf[:0]
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(p.now/1e6))
	b = le.AppendUint32(b, uint32(p.now%1e6))
	b = le.AppendUint32(b, uint32(size))
	b = le.AppendUint32(b, uint32(size))
	be := binary.BigEndian
	b = append(b, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0)
	b = append(b, 0x45, 0)
	b = be.AppendUint16(b, uint16(size-14))
	b = append(b, 0, 0, 0x40, 0, 64, 6, 0, 0)
	b = be.AppendUint32(b, c.ip[from])
	b = be.AppendUint32(b, c.ip[1-from])
	b = be.AppendUint16(b, c.port[from])
	b = be.AppendUint16(b, c.port[1-from])
	b = be.AppendUint32(b, c.seq[from])
	b = be.AppendUint32(b, c.seq[1-from])
	b = append(b, 0x80, flags, 0xff, 0xff, 0, 0, 0, 0, 1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0)
	b = append(b, data...)
	p.buf = b
	p.pkts++
	p.write(b)
}

// writePcap repeats a round of conversations with fresh addresses until size is reached.
func writePcap(w io.Writer, size int64) (counts, error) {
	p := &pcapFile{w: w, now: start * 100}
	p.write([]byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0})
	var c counts
	for conn := 0; p.n < size && p.err == nil; {
		conn = p.rpcRound(conn, &c)
		conn = p.sseRound(conn, &c)
		conn = p.grpcRound(conn, &c)
	}
	c.Exchanges = c.RPC + c.SSE + c.GRPC + c.GRPCStreams
	c.Bytes, c.Packets = p.n, p.pkts
	return c, p.err
}

// rpcRound is 16 keep-alive connections of 100 calls.
func (p *pcapFile) rpcRound(conn int, c *counts) int {
	for range 16 {
		conn++
		t := p.connect(conn, 7311)
		for range 100 {
			c.RPC++
			t.send(0, post(rpcRequest(c.RPC, "SendMessage"), ""))
			t.send(1, answer(rpcResponse(c.RPC)))
		}
		t.close()
	}
	return conn
}

// sseRound is 60 streams of 50 events, each event in a segment of its own.
func (p *pcapFile) sseRound(conn int, c *counts) int {
	for range 60 {
		conn++
		c.SSE++
		t := p.connect(conn, 7311)
		t.send(0, post(rpcRequest(c.SSE, "SendStreamingMessage"), "Accept: text/event-stream\r\n"))
		t.send(1, []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"))
		for _, e := range sseEvents(c.SSE, 50) {
			c.SSEEvents++
			line := "data: " + e + "\n\n"
			t.send(1, fmt.Appendf(nil, "%x\r\n%s\r\n", len(line), line))
		}
		t.send(1, []byte("0\r\n\r\n"))
		t.close()
	}
	return conn
}

// grpcRound is 8 connections of 100 unary calls and 5 streams of 50 messages.
func (p *pcapFile) grpcRound(conn int, c *counts) int {
	for range 8 {
		conn++
		t := p.connect(conn, 7313)
		cl, sv := newH2(true), newH2(false)
		stream := uint32(1)
		for range 100 {
			c.GRPC++
			cl.call(stream, "GetTask", fmt.Sprintf(`{"id":"task-%d"}`, c.GRPC))
			t.send(0, cl.take())
			for _, part := range sv.reply(stream, "GetTask", taskJSON(c.GRPC, "TASK_STATE_COMPLETED", 900)) {
				t.send(1, part)
			}
			stream += 2
		}
		for range 5 {
			c.GRPCStreams++
			cl.call(stream, "SendStreamingMessage", fmt.Sprintf(`{"message":{"messageId":"m-%d","role":"ROLE_USER","parts":[{"text":"%s"}]}}`, c.GRPCStreams, text(800)))
			t.send(0, cl.take())
			id := c.GRPCStreams
			bodies := []string{fmt.Sprintf(`{"task":{"id":"gtask-%d","contextId":"c","status":{"state":"TASK_STATE_SUBMITTED"}}}`, id)}
			for i := range 49 {
				state := "TASK_STATE_WORKING"
				if i == 48 {
					state = "TASK_STATE_COMPLETED"
				}
				bodies = append(bodies, fmt.Sprintf(`{"statusUpdate":{"taskId":"gtask-%d","contextId":"c","status":{"state":"%s"}}}`, id, state))
			}
			c.GRPCEvents += len(bodies)
			for _, part := range sv.reply(stream, "SendStreamingMessage", bodies...) {
				t.send(1, part)
			}
			stream += 2
		}
		t.close()
	}
	return conn
}
