// Command floor reads a HAR with Go's json.Decoder, entry by entry, and counts
// the entries: the plain way that the HAR reader is measured against.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type entry struct {
	StartedDateTime string
	Time            float64
	Request         struct {
		Method, URL string
		Headers     []struct{ Name, Value string }
		PostData    struct{ Text string }
	}
	Response struct {
		Status  int
		Headers []struct{ Name, Value string }
		Content struct{ Text string }
	}
}

func main() {
	f, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	d := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for {
		t, err := d.Token()
		if err != nil {
			panic(err)
		}
		if t == "entries" {
			break
		}
	}
	if _, err := d.Token(); err != nil {
		panic(err)
	}
	n := 0
	for d.More() {
		var e entry
		if err := d.Decode(&e); err != nil {
			panic(err)
		}
		n++
	}
	fmt.Println(n)
}
