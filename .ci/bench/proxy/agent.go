package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strconv"
	"strings"
	"time"

	"a2ascope/decode/schema"
)

// The agent is an ordinary Go server that speaks A2A 1.0 over JSON-RPC and
// gRPC on one port, HTTP/1.1 and HTTP/2 in clear.
const (
	unaryPath  = "/lf.a2a.v1.A2AService/SendMessage"
	streamPath = "/lf.a2a.v1.A2AService/SendStreamingMessage"
	card       = `{"name":"bench","description":"answers","version":"1","supportedInterfaces":[{"url":"http://%[1]s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"%[1]s","protocolBinding":"GRPC","protocolVersion":"1.0"}],"capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"s","description":"s","tags":["t"]}]}`
)

var (
	words  = strings.Repeat("words ", 150)
	answer = `{"task":{"id":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-30T00:00:00.000Z"},"artifacts":[{"artifactId":"a","parts":[{"text":"` + words + `"}]}]}}`
	ask    = `{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"` + words + `"}]}}`
)

// stamp is where an event carries the moment it was sent; it has a fixed width,
// so that an encoded message can be stamped in place.
const stamp = "at-0000000000000000000"

// event is what a stream says: when it is the last, the task is completed.
func event(last bool) string {
	state := "WORKING"
	if last {
		state = "COMPLETED"
	}
	return `{"statusUpdate":{"taskId":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_` + state + `","timestamp":"2026-11-30T00:00:00.000Z","message":{"messageId":"` + stamp + `","role":"ROLE_AGENT","parts":[{"text":"some words of the answer"}]}}}}`
}

func stamped(b []byte, at int) []byte {
	copy(b[at:], fmt.Appendf(nil, "at-%019d", time.Now().UnixNano()))
	return b
}

// stampOf returns the moment a piece of a stream carries, or 0.
func stampOf(b string) int64 {
	_, rest, ok := strings.Cut(b, `at-`)
	if !ok || len(rest) < 19 {
		return 0
	}
	n, err := strconv.ParseInt(rest[:19], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// framed is a gRPC message with its prefix.
func framed(path string, response bool, text string) []byte {
	m, err := schema.EncodeGRPC(path, response, []byte(text))
	if err != nil {
		log.Fatal(err)
	}
	b := make([]byte, 5, 5+len(m))
	binary.BigEndian.PutUint32(b[1:], uint32(len(m)))
	return append(b, m...)
}

func serveAgent(addr string) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, card, addr)
	})
	mux.HandleFunc("POST /rpc", func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     json.Number
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if q.Method == "SendMessage" {
			w.Header().Set("Content-Type", "application/json")
			b := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, answer)
			w.Header().Set("Content-Length", strconv.Itoa(len(b)))
			_, _ = w.Write(b)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		stream(w, r, func(last bool) []byte {
			return fmt.Appendf(nil, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", q.ID, event(last))
		})
	})
	reply := framed(unaryPath, true, answer)
	mux.HandleFunc("POST "+unaryPath, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		_, _ = w.Write(reply)
		w.Header().Set("Grpc-Status", "0")
	})
	working, done := framed(streamPath, true, event(false)), framed(streamPath, true, event(true))
	mux.HandleFunc("POST "+streamPath, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		stream(w, r, func(last bool) []byte {
			if last {
				return append([]byte(nil), done...)
			}
			return append([]byte(nil), working...)
		})
		w.Header().Set("Grpc-Status", "0")
	})
	// A stream that says one thing and waits.
	mux.HandleFunc("POST /idle", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}\n\n", event(false))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	s := &http.Server{Addr: addr, Handler: mux, Protocols: new(http.Protocols)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	log.Fatal(s.ListenAndServe())
}

// stream sends as many events as the request wants, with pauses, each stamped.
func stream(w http.ResponseWriter, r *http.Request, next func(last bool) []byte) {
	n, _ := strconv.Atoi(r.Header.Get("Bench-Events"))
	pause, _ := time.ParseDuration(r.Header.Get("Bench-Pause"))
	for i := range n {
		b := next(i == n-1)
		_, _ = w.Write(stamped(b, strings.Index(string(b), "at-0")))
		w.(http.Flusher).Flush()
		if pause > 0 {
			time.Sleep(pause)
		}
	}
}
