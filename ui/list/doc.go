// Package list is the pane of exchanges, one a row:
//
//	> 12 22:10:01.123 :53122→:7301 JSON-RPC 1.0  SendMessage  -32601  12.3ms  E 0.3 agent was called with 1.0 names
//
// Drawing costs what the window holds, not what the session holds: rows are
// made on demand and kept as long as their pointer stays the same. A column
// that does not fit is left out, the last one takes what is free.
//
// Start reading at list.go, then columns.go.
package list
