package script

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"strings"
	"time"

	"a2ascope/capture"
)

// encoder turns the acts of one performance into chunks.
type encoder struct {
	play   *Play
	start  time.Time
	grpc   func(path string, response bool, json []byte) ([]byte, error)
	seq    uint64
	states map[*conn]*state
	bodies map[*message]*body
	out    []capture.Chunk
}

// state is what a connection remembers while it is played.
type state struct {
	opened bool
	h2     *h2conn
}

// body is the encoded body of a message.
type body struct {
	parts [][]byte
	size  int64 // of all parts, with the bytes that gaps took
}

// prepare encodes every body, so that a play that cannot be encoded says so
// before it begins.
func (e *encoder) prepare() error {
	for i := range e.play.acts {
		m := e.play.acts[i].msg
		if m == nil || e.bodies[m] != nil {
			continue
		}
		b := &body{size: m.lost}
		var err error
		switch {
		case m.grpc:
			b.parts, err = e.messages(m)
		case m.isGzip():
			b.parts = m.zipped()
		default:
			for _, g := range m.parts {
				b.parts = append(b.parts, groupBytes(g, m.isStream()))
			}
		}
		if err != nil {
			return err
		}
		for _, p := range b.parts {
			b.size += int64(len(p))
		}
		e.bodies[m] = b
	}
	return nil
}

// messages encodes gRPC messages, each with its prefix: a flag and the length.
func (e *encoder) messages(m *message) (parts [][]byte, err error) {
	coding, _ := m.get("grpc-encoding")
	for _, g := range m.parts {
		pc := g[0]
		data, flag := pc.text, byte(0)
		if !pc.raw {
			if e.grpc == nil {
				return nil, &Error{e.play.name, pc.line, 3, "a gRPC message in JSON needs the schema to be encoded, and none was given"}
			}
			data, err = e.grpc(m.ex.path, m.from == capture.Server, pc.text)
			if err != nil {
				return nil, &Error{e.play.name, pc.line, 3, err.Error()}
			}
			if strings.EqualFold(coding, "gzip") {
				data, flag = gzipped(data), 1
			}
		}
		part := append([]byte{flag}, binary.BigEndian.AppendUint32(nil, uint32(len(data)))...)
		parts = append(parts, append(part, data...))
	}
	return parts, nil
}

// isGzip reports whether the body is to be compressed: its head says gzip and
// all of it is written as text. Bytes that are written as such stay as they are.
func (m *message) isGzip() bool {
	if v, _ := m.get("content-encoding"); !strings.EqualFold(v, "gzip") {
		return false
	}
	for _, g := range m.parts {
		for _, pc := range g {
			if pc.raw {
				return false
			}
		}
	}
	return len(m.parts) > 0
}

// zipped compresses the body as one stream; every part can be read when it arrives.
func (m *message) zipped() (parts [][]byte) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for i, g := range m.parts {
		_, _ = z.Write(groupBytes(g, m.isStream())) // a Buffer takes everything
		if i+1 < len(m.parts) {
			_ = z.Flush()
		} else {
			_ = z.Close()
		}
		parts = append(parts, bytes.Clone(b.Bytes()))
		b.Reset()
	}
	return parts
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data)
	_ = z.Close()
	return b.Bytes()
}

// act appends the chunks of one act.
func (e *encoder) act(a *act) {
	st := e.states[a.conn]
	if st == nil {
		st = &state{}
		e.states[a.conn] = st
	}
	if !st.opened {
		st.opened = true
		e.open(a)
	}
	var data []byte
	switch a.kind {
	case actGap:
		e.chunk(a, capture.Chunk{Kind: capture.Gap, Lost: a.n})
		return
	case actHalf:
		e.chunk(a, capture.Chunk{Kind: capture.HalfClosed})
		return
	case actClose:
		e.chunk(a, capture.Chunk{Kind: capture.Closed, Err: a.text})
		return
	}
	if a.conn.proto == speaksHTTP2 {
		if st.h2 == nil {
			st.h2 = e.startHTTP2(a)
		}
		data = st.h2.act(e, a)
	} else {
		data = e.http1(a)
	}
	if len(data) > 0 {
		e.chunk(a, capture.Chunk{Kind: capture.Bytes, Data: data})
	}
}

func (e *encoder) chunk(a *act, c capture.Chunk) {
	e.seq++
	c.Conn, c.Seq, c.At = a.conn.id, e.seq, e.start.Add(a.at)
	if c.Kind != capture.Opened && c.Kind != capture.Secured {
		c.From = a.from
	}
	e.out = append(e.out, c)
}

// open emits that the connection was opened, and secured when it is TLS.
func (e *encoder) open(a *act) {
	c := a.conn
	l := capture.Link{Client: c.client, Server: c.server, Source: "script", Midstream: c.midstream}
	plain := l
	e.chunk(a, capture.Chunk{Kind: capture.Opened, Link: &plain})
	if c.tls == "" || a.kind == actClose && a.text == "refused" {
		return
	}
	l.TLS, l.ServerName, l.ALPN = c.tls, c.host, "http/1.1"
	if c.proto == speaksHTTP2 {
		l.ALPN = "h2"
	}
	e.chunk(a, capture.Chunk{Kind: capture.Secured, Link: &l})
}
