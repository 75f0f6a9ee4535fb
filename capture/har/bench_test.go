package har

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"a2ascope/capture"
)

// counting is a sink that keeps nothing.
type counting struct {
	heads, frames, ends int
	bytes               int64
}

func (c *counting) Chunks([]capture.Chunk) error { return nil }
func (c *counting) Progress(capture.Progress)    {}
func (c *counting) Events(es []capture.Event) error {
	for i := range es {
		switch b := es[i].Body.(type) {
		case *capture.Head:
			c.heads++
		case *capture.Frame:
			c.frames++
			c.bytes += int64(len(b.Data))
		case *capture.End:
			c.ends++
		}
	}
	return nil
}

// bigHAR writes a HAR of at least size bytes as a browser would: JSON-RPC
// calls, streams, gRPC bodies in base64 and large artifacts, indented.
func bigHAR(size int) (text []byte, entries int) {
	type nv struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	headers := func(media string) []nv {
		hs := []nv{{":authority", "agent.example.test"}, {"content-type", media}}
		for i := range 14 {
			hs = append(hs, nv{fmt.Sprintf("x-header-%d", i), strings.Repeat("value ", 1+i%5)})
		}
		return hs
	}
	rpc := func(n int, text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"task":{"id":"task-%d","contextId":"ctx-%d","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-29T12:00:00.000Z"},"artifacts":[{"artifactId":"a1","parts":[{"text":%q}]}]}}}`, n, n, n, text)
	}
	var b bytes.Buffer
	b.WriteString("{\n  \"log\": {\n    \"version\": \"1.2\",\n    \"creator\": {\"name\": \"WebInspector\", \"version\": \"537.36\"},\n    \"entries\": [\n")
	for ; b.Len() < size; entries++ {
		if entries > 0 {
			b.WriteString(",\n")
		}
		media, body, encoding := "application/json", "", ""
		switch entries % 8 {
		case 0, 1, 2, 3:
			body = rpc(entries, strings.Repeat("an answer of some words. ", 40))
		case 4:
			media = "text/event-stream"
			for k := range 50 {
				body += "data: " + rpc(k, "a step of the work") + "\n\n"
			}
		case 5:
			media, encoding = "application/grpc", "base64"
			msg := bytes.Repeat([]byte("\x0a\x10message of bytes"), 200)
			frame := append([]byte{0, 0, 0, byte(len(msg) >> 8), byte(len(msg))}, msg...)
			body = base64.StdEncoding.EncodeToString(bytes.Repeat(frame, 3))
		case 6:
			body = rpc(entries, strings.Repeat("a large artifact, lorem ipsum dolor sit amet. ", 1000))
		case 7:
			body = `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}`
		}
		e := map[string]any{
			"startedDateTime": "2026-11-29T22:25:15.829Z", "time": 37,
			"request": map[string]any{"method": "POST", "url": "https://agent.example.test/a2a/jsonrpc", "httpVersion": "h2",
				"headers": headers("application/json"), "cookies": []any{}, "queryString": []any{}, "headersSize": -1, "bodySize": 159,
				"postData": map[string]any{"mimeType": "application/json", "text": `{"jsonrpc":"2.0","method":"SendMessage","params":{"message":{"messageId":"c-1","role":"ROLE_USER","parts":[{"text":"hello"}]}},"id":1}`}},
			"response": map[string]any{"status": 200, "statusText": "", "httpVersion": "h2", "headers": headers(media), "cookies": []any{},
				"content": map[string]any{"size": len(body), "mimeType": media, "text": body, "encoding": encoding}, "redirectURL": "", "headersSize": -1, "bodySize": -1},
			"cache": map[string]any{}, "timings": map[string]any{"blocked": -1, "send": 0, "wait": 33, "receive": 4}, "serverIPAddress": "192.0.2.7"}
		j, err := json.MarshalIndent(e, "      ", "  ")
		if err != nil {
			panic(err)
		}
		b.WriteString("      ")
		b.Write(j)
	}
	b.WriteString("\n    ]\n  }\n}\n")
	return b.Bytes(), entries
}

func bigFile(b *testing.B) (path string, size int64, entries int) {
	b.Helper()
	text, entries := bigHAR(64 << 20)
	path = filepath.Join(b.TempDir(), "big.har")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	return path, int64(len(text)), entries
}

// BenchmarkHAR reads a HAR of 64 MB; "decoder" is the floor, encoding/json
// going entry by entry over the same file.
func BenchmarkHAR(b *testing.B) {
	path, size, entries := bigFile(b)
	read := func(b *testing.B, open func() (capture.Source, error)) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			src, err := open()
			if err != nil {
				b.Fatal(err)
			}
			var sink counting
			if _, err := src.Run(context.Background(), &sink); err != nil {
				b.Fatal(err)
			}
			if sink.ends != entries {
				b.Fatalf("%d exchanges, want %d", sink.ends, entries)
			}
		}
	}
	b.Run("file", func(b *testing.B) {
		read(b, func() (capture.Source, error) { return Open(path) })
	})
	b.Run("stream", func(b *testing.B) {
		read(b, func() (capture.Source, error) {
			f, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			b.Cleanup(func() { f.Close() })
			return NewReader("big.har", f)
		})
	})
	b.Run("split", func(b *testing.B) {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(size)
		for b.Loop() {
			n := 0
			s := &splitter{buf: text, emit: func(x *batch) error { n += len(x.spans); return nil }}
			if err := s.run(); err != nil || n != entries {
				b.Fatal(err, n)
			}
		}
	})
	b.Run("decoder", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			f, err := os.Open(path)
			if err != nil {
				b.Fatal(err)
			}
			d := json.NewDecoder(f)
			for range 11 { // { log { version 1.2 creator { name X version Y } entries
				if _, err := d.Token(); err != nil {
					b.Fatal(err)
				}
			}
			for tok, _ := d.Token(); tok != json.Delim('['); tok, _ = d.Token() {
			}
			n := 0
			for ; d.More(); n++ {
				var e struct {
					Request  struct{ Method, URL string }
					Response struct {
						Status  int
						Content struct{ Text string }
					}
				}
				if err := d.Decode(&e); err != nil {
					b.Fatal(err)
				}
			}
			f.Close()
			if n != entries {
				b.Fatal(n)
			}
		}
	})
}
