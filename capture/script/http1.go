package script

import (
	"bytes"
	"strconv"
	"strings"

	"a2ascope/capture"
)

// framing says how an HTTP/1 body is delimited.
type framing uint8

const (
	asWritten   framing = iota // the head says it, or the close of the connection
	withLength                 // Content-Length is added
	chunked                    // the head says chunked
	withChunked                // Transfer-Encoding: chunked is added
)

// framing follows RFC 9112 section 6.3; what the head says is never contradicted.
func (m *message) framing(b *body) framing {
	if len(m.head) == 0 || m.head[0].raw {
		return asWritten
	}
	if te, ok := m.get("transfer-encoding"); ok {
		if i := strings.LastIndexByte(te, ','); strings.EqualFold(strings.TrimSpace(te[i+1:]), "chunked") {
			return chunked
		}
		return asWritten
	}
	if _, ok := m.get("content-length"); ok {
		return asWritten
	}
	empty := b.size == 0
	if m.from == capture.Server {
		method := ""
		if m.ex != nil {
			method = m.ex.method
		}
		if m.status < 200 || m.status == 204 || m.status == 304 || empty && (method == "HEAD" || method == "CONNECT" && m.status < 300) {
			return asWritten
		}
	}
	switch {
	case len(m.trailers) > 0:
		return withChunked
	case m.isStream():
		conn, _ := m.get("connection")
		if strings.EqualFold(conn, "close") || bytes.Contains(m.head[0].text, []byte("HTTP/1.0")) {
			return asWritten // it lasts until the connection is closed
		}
		return withChunked
	case m.from == capture.Client && empty && m.ex.method != "POST" && m.ex.method != "PUT" && m.ex.method != "PATCH":
		return asWritten
	}
	return withLength
}

// http1 returns the bytes of an act on an HTTP/1 connection.
func (e *encoder) http1(a *act) []byte {
	m := a.msg
	b := e.bodies[m]
	f := m.framing(b)
	var out []byte
	switch a.kind {
	case actHead:
		for _, pc := range m.head {
			out = append(out, pc.text...)
			if !pc.raw {
				out = append(out, "\r\n"...)
			}
		}
		if a.cut {
			return out
		}
		switch f {
		case withLength:
			out = append(out, "Content-Length: "+strconv.FormatInt(b.size, 10)+"\r\n"...)
		case withChunked:
			out = append(out, "Transfer-Encoding: chunked\r\n"...)
		}
		out = append(out, "\r\n"...)
	case actBody:
		part := b.parts[a.n]
		if f == chunked || f == withChunked {
			if len(part) > 0 { // an empty chunk would be the last
				out = append(out, strconv.FormatInt(int64(len(part)), 16)+"\r\n"...)
				out = append(append(out, part...), "\r\n"...)
			}
		} else {
			out = append(out, part...)
		}
	}
	if a.ends && (f == chunked || f == withChunked) {
		out = append(out, "0\r\n"...)
		for _, t := range m.trailers {
			out = append(out, t.name+": "+t.value+"\r\n"...)
		}
		out = append(out, "\r\n"...)
	}
	return out
}
