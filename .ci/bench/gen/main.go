// Command gen makes the captures that the benchmarks read: A2A traffic of all
// three bindings with counts known beforehand.
//
//	go run ./.ci/bench/gen -kind pcap -mb 100 -o /tmp/m.pcap
//	go run ./.ci/bench/gen -kind har  -mb 100 -o /tmp/m.har
//
// It prints the counts as JSON: exchanges, JSON-RPC, SSE streams and events,
// gRPC unary and streams.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

// counts is the truth about a generated file.
type counts struct {
	Exchanges   int `json:"exchanges"`
	RPC         int `json:"jsonrpc_unary"`
	SSE         int `json:"sse_streams"`
	SSEEvents   int `json:"sse_events"`
	GRPC        int `json:"grpc_unary"`
	GRPCStreams int `json:"grpc_streams"`
	GRPCEvents  int `json:"grpc_events"`
	Bytes       int64
	Packets     int64
}

func main() {
	kind := flag.String("kind", "pcap", "pcap or har")
	mb := flag.Int64("mb", 100, "size to reach, in million bytes")
	out := flag.String("o", "", "file to write")
	flag.Parse()
	if err := run(*kind, *mb*1e6, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(kind string, size int64, name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	var c counts
	switch kind {
	case "pcap":
		c, err = writePcap(w, size)
	case "har":
		c, err = writeHAR(w, size)
	default:
		err = fmt.Errorf("unknown kind %q", kind)
	}
	if err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(c)
}
