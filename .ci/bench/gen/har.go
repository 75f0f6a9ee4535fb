package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// writeHAR writes a HAR 1.2 of JSON-RPC, SSE text, base64 gRPC, large
// artifacts and errors until size is reached.
func writeHAR(w io.Writer, size int64) (counts, error) {
	h := &harFile{w: w, at: time.Date(2026, 11, 29, 22, 10, 1, 0, time.UTC)}
	h.print(`{"log":{"version":"1.2","creator":{"name":"gen","version":"1"},"pages":[],"entries":[`)
	var c counts
	for i := 0; h.n < size && h.err == nil; i++ {
		switch {
		case i%100 == 99: // a large artifact
			c.RPC++
			h.entry(rpcRequest(c.RPC, "GetTask"), "application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","result":%s}`, c.RPC, taskJSON(c.RPC, "TASK_STATE_COMPLETED", 200_000)), "", 200)
		case i%20 == 19:
			c.SSE++
			events := sseEvents(c.SSE, 50)
			c.SSEEvents += len(events)
			h.entry(rpcRequest(c.SSE, "SendStreamingMessage"), "text/event-stream", "data: "+strings.Join(events, "\n\ndata: ")+"\n\n", "", 200)
		case i%10 == 5:
			c.GRPC++
			h.grpc(c.GRPC)
		case i%50 == 7: // an error the client provoked
			c.RPC++
			h.entry(rpcRequest(c.RPC, "SendMessage"), "application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","error":{"code":-32001,"message":"task not found","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`, c.RPC), "", 200)
		default:
			c.RPC++
			h.entry(rpcRequest(c.RPC, "SendMessage"), "application/json", rpcResponse(c.RPC), "", 200)
		}
	}
	h.print("]}}\n")
	c.Exchanges = c.RPC + c.SSE + c.GRPC
	c.Bytes = h.n
	return c, h.err
}

type harFile struct {
	w     io.Writer
	n     int64
	err   error
	first bool
	at    time.Time
}

func (h *harFile) print(s string) {
	if h.err == nil {
		_, h.err = io.WriteString(h.w, s)
		h.n += int64(len(s))
	}
}

func quote(s string) string {
	b, err := json.Marshal(s)
	must(err)
	return string(b)
}

func (h *harFile) entry(req, mime, resp, encoding string, status int) {
	h.raw("http://127.0.0.1:7311/", `[{"name":"Content-Type","value":"application/json"},{"name":"A2A-Version","value":"1.0"}]`,
		fmt.Sprintf(`{"mimeType":"application/json","text":%s}`, quote(req)), mime, quote(resp), encoding, status, len(resp), "")
}

func (h *harFile) grpc(id int) {
	frame := func(b []byte) string {
		return base64.StdEncoding.EncodeToString(append([]byte{0, byte(len(b) >> 24), byte(len(b) >> 16), byte(len(b) >> 8), byte(len(b))}, b...))
	}
	req := frame(encode("GetTask", false, fmt.Sprintf(`{"id":"task-%d"}`, id)))
	resp := frame(encode("GetTask", true, taskJSON(id, "TASK_STATE_COMPLETED", 900)))
	h.raw("http://127.0.0.1:7313"+service+"GetTask", `[{"name":"content-type","value":"application/grpc"},{"name":"a2a-version","value":"1.0"}]`,
		fmt.Sprintf(`{"mimeType":"application/grpc","text":"%s","encoding":"base64"}`, req), "application/grpc", `"`+resp+`"`, "base64", 200, len(resp), `,"_trailers":[{"name":"grpc-status","value":"0"}]`)
}

func (h *harFile) raw(url, headers, post, mime, quoted, encoding string, status, size int, extra string) {
	if h.first {
		h.print(",\n")
	}
	h.first = true
	if encoding != "" {
		encoding = `,"encoding":"` + encoding + `"`
	}
	h.at = h.at.Add(5 * time.Millisecond)
	h.print(fmt.Sprintf(`{"startedDateTime":"%s","time":4.2,"request":{"method":"POST","url":"%s","httpVersion":"HTTP/1.1","cookies":[],"headers":%s,"queryString":[],"postData":%s,"headersSize":-1,"bodySize":-1},"response":{"status":%d,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"Content-Type","value":"%s"}],"content":{"size":%d,"mimeType":"%s","text":%s%s},"redirectURL":"","headersSize":-1,"bodySize":%d%s},"cache":{},"timings":{"send":0.1,"wait":3.9,"receive":0.2},"serverIPAddress":"127.0.0.1"}`,
		h.at.Format("2006-01-02T15:04:05.000Z"), url, headers, post, status, mime, size, mime, quoted, encoding, size, extra))
}
