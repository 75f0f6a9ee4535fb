package decode

import (
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/internal/jsontree"
)

var benchRPC = rpcHead + `a2a-version: 1.0
host: agent.example.test
user-agent: Go-http-client/1.1
accept: application/json

{"jsonrpc":"2.0","id":"0192f1c2-7a54-7c1e-8d5e-2b1f6a7c8d90","method":"SendMessage","params":{"message":{"messageId":"0192f1c2-7a54-7c1e-8d5e-2b1f6a7c8d91","contextId":"c-1","role":"ROLE_USER","parts":[{"text":"What is the status of order 7? Please answer in one sentence."}]},"configuration":{"acceptedOutputModes":["text/plain"]}}}
---
200 OK
content-type: application/json
date: Mon, 30 Nov 2026 10:00:00 GMT

{"jsonrpc":"2.0","id":"0192f1c2-7a54-7c1e-8d5e-2b1f6a7c8d90","result":{"task":{"id":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-29T22:10:01.123Z"},"artifacts":[{"artifactId":"a","parts":[{"text":"Order 7 was shipped yesterday and will arrive tomorrow."}]}],"history":[{"messageId":"m","role":"ROLE_USER","parts":[{"text":"What is the status of order 7?"}]}]}}}`

// BenchmarkExchange reads one healthy exchange with all its checkpoints; the
// floor only parses its two bodies.
func BenchmarkExchange(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"jsonrpc", benchRPC},
		{"rest", strings.Replace(strings.Replace(benchRPC, "POST /a2a", "POST /v1/message:send", 1), `"params":{`, `"x":1,`, 1)},
		{"foreign", "GET /index.html\nhost: x\n\n---\n200\n\n<html>"},
	} {
		es := events(b, c.text)
		xs := make([]*capture.Exchange, len(es))
		var x *capture.Exchange
		for i := range es {
			x = x.Apply(&es[i])
			xs[i] = x
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := NewReader()
				for i := range es {
					r.Read(xs[i], &es[i])
				}
			}
		})
	}
	es := events(b, benchRPC)
	b.Run("floor-parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for i := range es {
				if f, ok := es[i].Body.(*capture.Frame); ok {
					jsontree.Parse(f.Data)
				}
			}
		}
	})
}

// BenchmarkStream reports the cost of one event in streams of different
// length: it must not grow.
func BenchmarkStream(b *testing.B) {
	event := "data: " + `{"jsonrpc":"2.0","id":1,"result":{"artifactUpdate":{"taskId":"t","contextId":"c","append":true,"artifact":{"artifactId":"a","parts":[{"text":"the next words"}]}}}}` + "\n\n"
	for _, n := range []int{100, 10000} {
		es := events(b, stream10+strings.Repeat(event, n)+last10)
		xs := make([]*capture.Exchange, len(es))
		var x *capture.Exchange
		for i := range es {
			x = x.Apply(&es[i])
			xs[i] = x
		}
		b.Run(itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := NewReader()
				for i := range es {
					r.Read(xs[i], &es[i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/event")
		})
	}
}

func BenchmarkGRPC(b *testing.B) {
	es := events(b, `grpc /lf.a2a.v1.A2AService/SendMessage
a2a-version: 1.0

{"message":{"messageId":"m","contextId":"c","role":"ROLE_USER","parts":[{"text":"What is the status of order 7?"}]}}
---
200
content-type: application/grpc

{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"Order 7 was shipped yesterday and will arrive tomorrow."}]}]}}
===
grpc-status: 0`)
	xs := make([]*capture.Exchange, len(es))
	var x *capture.Exchange
	for i := range es {
		x = x.Apply(&es[i])
		xs[i] = x
	}
	b.ReportAllocs()
	for b.Loop() {
		r := NewReader()
		for i := range es {
			r.Read(xs[i], &es[i])
		}
	}
}
