package cli

import (
	"context"
	"os"
	"testing"

	"a2ascope/capture/script"
	"a2ascope/internal/session"
)

// readRows reads a capture as open does, with all rows compacted.
func readRows(tb testing.TB, file string) session.Rows {
	tb.Helper()
	set, err := ruleSet(nil)
	if err != nil {
		tb.Fatal(err)
	}
	env := Env{Stdin: os.Stdin}
	s := session.New(session.Options{NewEngine: engines(set)})
	if err := s.Run(context.Background(), env.inputs([]string{file}, script.Options{})); err != nil {
		tb.Fatal(err)
	}
	rows := s.View().Rows
	if rows.Len() == 0 {
		tb.Fatalf("%s gave no rows", file)
	}
	return rows
}

func matches(tb testing.TB, rows session.Rows, expr string) int {
	tb.Helper()
	f, err := compileFilter(expr)
	if err != nil {
		tb.Fatalf("%s: %v", expr, err)
	}
	n := 0
	for i := range rows.Len() {
		if f.Match(rows.At(i)) {
			n++
		}
	}
	return n
}

// A filter sees what the session did not keep: it is read again from the bytes.
func TestFilterReadsAgain(t *testing.T) {
	rows := readRows(t, "../../samples/captures/ss01_sse_keepalive_comments_go10.pcap")
	if c := rows.At(1).Call(); !c.Compacted || c.RequestDoc != nil {
		t.Fatal("the row is not compacted: nothing is tested")
	}
	for expr, want := range map[string]int{
		`call.stream.events > 5`:                                        2,
		`call . stream . events > 5`:                                    2,
		`call.binding == "JSONRPC" && call.stream.events > 5`:           1,
		`call.binding == "JSONRPC" || call.stream.events > 5`:           2,
		`"message" in call.params.members`:                              2,
		`call.http.request == "json"`:                                   2,
		`call.method == "x && call.stream" && call.stream.events > 5`:   0,
		`call.stream.events > 5 ? call.binding == "HTTP+JSON" : false`:  1,
		`(call.ok && call.stream.events > 5) && call.operation != ""`:   2,
		`call.stream.first == "task" && call.stream.last == "nonsense"`: 0,
	} {
		if got := matches(t, rows, expr); got != want {
			t.Errorf("%s: %d rows, want %d", expr, got, want)
		}
	}
}

// BenchmarkFilterRows filters 200,000 compacted rows: by a fact that is kept,
// by one that is read again, and by both, where the first spares the second.
//
//	go test ./internal/cli -bench FilterRows -benchtime 1x
func BenchmarkFilterRows(b *testing.B) {
	some := readRows(b, "../../samples/captures/h05_go10_go10_jsonrpc_mgmt.pcap")
	many := make([]*session.Row, 200_000)
	for i := range many {
		many[i] = some.At(i % some.Len())
	}
	rows := session.RowsOf(many)
	for name, expr := range map[string]string{
		"kept":  `call.fault.code == -32601 || call.http.status >= 500`,
		"words": `sendmessage 7311`,
		"both":  `call.operation == "CancelTask" && "id" in call.params.members`,
		"read":  `"id" in call.params.members`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				matches(b, rows, expr)
			}
		})
	}
}
