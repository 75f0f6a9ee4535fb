// Package events shows the answer of a stream: one row for each SSE event or
// gRPC message with its time, and below it the JSON of the chosen one.
//
//	 1  +30ms    +30ms   task            SUBMITTED            312 B
//	>2  +1.03s   +1.00s  statusUpdate    WORKING              180 B  looking it up
//	──────────────────────────────────────────────────────────────
//	{ "statusUpdate": { …
//
// The rows are virtual: a stream of 100,000 events costs what the window
// shows. enter moves the keys into the JSON, esc back to the rows.
//
// Start reading at events.go.
package events
