package main

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"a2ascope/decode/schema"
)

// text is filler of a size, ASCII with spaces, so that bodies are about a kilobyte.
func text(n int) string {
	const words = "the order of the day is to look at what was sent and to say what it means "
	return strings.Repeat(words, n/len(words)+1)[:n]
}

func rpcRequest(id int, method string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","method":"%s","params":{"message":{"messageId":"m-%d","role":"ROLE_USER","parts":[{"text":"%s"}]}}}`, id, method, id, text(800))
}

func taskJSON(id int, state string, n int) string {
	return fmt.Sprintf(`{"id":"task-%d","contextId":"ctx-%d","status":{"state":"%s","timestamp":"2026-11-29T22:10:01.123Z"},"artifacts":[{"artifactId":"a1","parts":[{"text":"%s"}]}]}`, id, id/10, state, text(n))
}

func rpcResponse(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","result":{"task":%s}}`, id, taskJSON(id, "TASK_STATE_COMPLETED", 760))
}

func sseEvents(id, n int) []string {
	events := make([]string, n)
	for i := range events {
		result := fmt.Sprintf(`{"statusUpdate":{"taskId":"task-%d","contextId":"ctx-%d","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-29T22:10:01.123Z"},"metadata":{"step":%d}}}`, id, id, i)
		switch i {
		case 0:
			result = fmt.Sprintf(`{"task":{"id":"task-%d","contextId":"ctx-%d","status":{"state":"TASK_STATE_SUBMITTED"}}}`, id, id)
		case n - 1:
			result = fmt.Sprintf(`{"statusUpdate":{"taskId":"task-%d","contextId":"ctx-%d","status":{"state":"TASK_STATE_COMPLETED"}}}`, id, id)
		}
		events[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","result":%s}`, id, result)
	}
	return events
}

func post(body, extra string) []byte {
	return fmt.Appendf(nil, "POST / HTTP/1.1\r\nHost: 127.0.0.1:7311\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: %d\r\nA2a-Version: 1.0\r\nContent-Type: application/json\r\n%sAccept-Encoding: gzip\r\n\r\n%s", len(body), extra, body)
}

func answer(body string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Sun, 29 Nov 2026 22:10:01 GMT\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// h2 writes the frames of one side of an HTTP/2 connection.
type h2 struct {
	buf bytes.Buffer
	fr  *http2.Framer
	hb  bytes.Buffer
	enc *hpack.Encoder
}

func newH2(client bool) *h2 {
	h := &h2{}
	h.fr = http2.NewFramer(&h.buf, nil)
	h.enc = hpack.NewEncoder(&h.hb)
	if client {
		h.buf.WriteString(http2.ClientPreface)
	}
	must(h.fr.WriteSettings())
	return h
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// take returns what was written since the last call.
func (h *h2) take() []byte {
	b := bytes.Clone(h.buf.Bytes())
	h.buf.Reset()
	return b
}

func (h *h2) headers(stream uint32, end bool, fields ...string) {
	h.hb.Reset()
	for i := 0; i < len(fields); i += 2 {
		must(h.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}))
	}
	must(h.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: h.hb.Bytes(), EndHeaders: true, EndStream: end}))
}

func (h *h2) message(stream uint32, end bool, wire []byte) {
	b := append([]byte{0, byte(len(wire) >> 24), byte(len(wire) >> 16), byte(len(wire) >> 8), byte(len(wire))}, wire...)
	must(h.fr.WriteData(stream, end, b))
}

const service = "/lf.a2a.v1.A2AService/"

func encode(method string, response bool, body string) []byte {
	wire, err := schema.EncodeGRPC(service+method, response, []byte(body))
	must(err)
	return wire
}

func (h *h2) call(stream uint32, method, body string) {
	h.headers(stream, false, ":method", "POST", ":scheme", "http", ":path", service+method, ":authority", "127.0.0.1:7313",
		"content-type", "application/grpc", "user-agent", "grpc-go/1.85.0", "te", "trailers", "a2a-version", "1.0")
	h.message(stream, true, encode(method, false, body))
}

func (h *h2) reply(stream uint32, method string, bodies ...string) [][]byte {
	h.headers(stream, false, ":status", "200", "content-type", "application/grpc")
	var parts [][]byte
	for _, b := range bodies {
		h.message(stream, false, encode(method, true, b))
		parts = append(parts, h.take())
	}
	h.headers(stream, true, "grpc-status", "0", "grpc-message", "")
	return append(parts, h.take())
}
