// Package har reads and writes HAR files (HTTP Archive 1.2). It reads them as
// the producers write them: browsers, proxies and recorders, each with its own
// spelling. A HAR has messages and no bytes, so the source emits Events.
//
//	file ─▶ splitter ─batch─▶ worker ─▶ run ─▶ Sink.Events
//	       where does each    members    in the order
//	       entry begin, end?  to events  of the file
//
//	*Exchange ─▶ Writer ─▶ file
//	             masks what Redactor says
//
// The splitter passes over the text once and looks only at strings and
// brackets. Workers read the few members that matter of each entry and jump
// over the rest. Run gives the results to the sink in order and waits for all
// goroutines before it returns.
//
// Words: a batch is a run of entries decoded as one piece of work. A text is a
// JSON string as it stands between its quotes; most are never unescaped. A
// dialect is what one producer does differently; every dialect known here has
// an entry in dialect_test.go.
//
// What an entry becomes:
//   - Every entry is a connection of its own with one exchange; its ConnID is
//     the number of the entry in the file, from 1, skipped entries included.
//   - Entries come in the order of the file, and Seq grows with it. Times come
//     from startedDateTime and timings; files of some producers are not in the
//     order of time. The events of a stream have the time of its end, unless
//     the producer kept a time for each (Chrome: _eventSourceMessages).
//   - Bodies in a HAR are decoded already, so Content-Encoding is reported as
//     Frame.Coding and not applied again. A body the file does not hold is a
//     Breach "bytes-lost", never an empty body.
//   - Header fields keep spelling and order as stored; HTTP/2 pseudo-fields are
//     used and left out. The authority is the one that was sent (":authority",
//     "Host"), the link has the host of the URL.
//   - An entry that Writer wrote, and nobody has changed since, becomes the
//     exchange that was written: gaps, end, trailers and the time of each frame
//     included (own.go). Written again it is the same text.
//   - WebSocket connections, CONNECT tunnels and URLs that are not HTTP are
//     counted in Summary.Damage and not read.
//
// Invariants: one bad entry costs that entry, and is named with its number and
// byte; a file that was cut gives every whole entry before the cut. Memory does
// not grow with the file beyond what the events hold. A file of 8 MiB or more
// is mapped where the system can: bodies without escapes then refer to the
// file, which must not be shortened while the program runs, and the mapping
// stays until the program ends.
//
// Run cannot interrupt a Read that blocks: after its context ended it returns
// when the reader does.
//
// Start reading at open.go, then split.go, entry.go and exchange.go; for
// writing at write.go.
package har
