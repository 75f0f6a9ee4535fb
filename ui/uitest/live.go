package uitest

import (
	"context"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"a2ascope/capture"
	"a2ascope/decode/spec"
	"a2ascope/diagnose"
	"a2ascope/internal/session"
	"a2ascope/ui"
)

// Live makes the options those of a live session. Its Save has no disk: there
// is a file exists.har already, and no folder named denied.
func Live(o ui.Options) ui.Options {
	o.Live, o.Mode, o.Address, o.SaveName = true, "proxy", "http://127.0.0.1:4100", "a2ascope.har"
	o.Save = func(_ context.Context, q ui.SaveRequest) (string, error) {
		switch {
		case q.Name == "exists.har" && !q.Overwrite:
			return "", &fs.PathError{Op: "save", Path: q.Name, Err: fs.ErrExist}
		case strings.HasPrefix(q.Name, "denied/"):
			return "", &fs.PathError{Op: "save", Path: q.Name, Err: fs.ErrPermission}
		}
		n := 0
		for i := range q.View.Rows.Len() {
			if q.View.Rows.At(i).HasCall() {
				n++
			}
		}
		what := strconv.Itoa(n) + " exchanges"
		for _, note := range q.Notes {
			if note.Comment != "" {
				what += ", with the comment: " + note.Comment
			}
		}
		return what, nil
	}
	return o
}

// live is a session of the proxy that has n rows so far, at most nine.
func live(n int) *session.View {
	v := Talk()
	var rows []*session.Row
	for i := range v.Rows.Len() {
		rows = append(rows, v.Rows.At(i))
	}
	m := &maker{rows: rows, at: Start.Add(6 * time.Second)}
	c := m.exchange(600*time.Microsecond, request("POST", "/", "Host", "127.0.0.1:7301"), `{"jsonrpc":"2.0","id":9,"method":"GetTask","params":{"id":"task-51"}}`, nil)
	c.Binding, c.Operation, c.Method = spec.JSONRPC, spec.GetTask, "GetTask"
	c.Outcome = spec.TransportError
	c.Exchange.End = &capture.End{Kind: capture.EndUnreachable, Text: "dial tcp 127.0.0.1:7301: connect: connection refused"}
	m.find(&diagnose.Finding{Rule: notA2A404, FoldedInto: &m.rows[4].Findings[0].Key, Evidence: []diagnose.Evidence{{Place: "response/line", Absent: true}}})
	m.last().Worst = diagnose.Error
	m.rows = append(m.rows, &session.Row{Index: len(m.rows), ConnNo: len(m.rows) + 1, Link: m.last().Link, At: m.at,
		Conn: &capture.ConnInfo{Protocol: "refused", Text: "the client refused the tap's certificate: remote error: tls: unknown certificate authority"}})
	m.rows = m.rows[:n]
	v = m.view()
	v.Done = false
	v.Files[0] = session.File{Name: "127.0.0.1:4100 → 127.0.0.1:7301", Format: "proxy", Conns: n, Exchanges: min(n, 7)}
	v.Conns, v.OpenConns = n, min(n, 2)
	return v
}

// full is a live session that has something to say of everything in the status line.
func full() *session.View {
	v := live(9)
	v.Lost, v.Memory, v.Budget, v.Spilled, v.Forgotten = 12_300, 492_000_000, 512_000_000, 2_400_000_000, 3
	return v
}
