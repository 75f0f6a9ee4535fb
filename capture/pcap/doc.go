// Package pcap reads packets, from capture files and from the network, and
// writes capture files: packets in, ordered bytes of TCP connections out, and
// the other way round.
//
//	path ── Open ──┐                                        ┌─ Chunk ─▶ capture.Sink
//	               ├─▶ input ─▶ records ─▶ decoder ─▶ assembler
//	stdin ─ NewReader           (pcap,     (link, IP, (segments in order,
//	                             pcapng)    TCP)       gaps counted)
//	network ─ Live ─▶ filter ─▶ packets ─────▲
//
//	Chunk ─▶ Writer ─▶ pcapng
//
// input hands out bytes that stay where they are: a plain file is mapped into
// memory and is never unmapped, a stream is read into slabs that are never
// reused. Chunk.Data points into them; no payload is copied. The price: while
// the process lives, the file must not be shortened by others (on Unix a read
// behind the new end would stop the process), and one small chunk that is kept
// keeps its slab.
//
// records walks the file. Every length is checked before it is used. A record
// is one packet; what is broken ends the walk with a capture.Damage that names
// packet and byte, after all whole packets before it were delivered.
//
// decoder finds the TCP segment in a packet. Plain Ethernet, Linux cooked and
// raw IP headers are read in plain.go; everything else (loopback headers,
// tunnels, IPv6 extension headers) goes through gopacket's layers in
// layers.go. A test holds both to the same result on every packet they share.
// Lengths come from the IP header, never from the captured bytes: short frames
// are padded, and long ones are cut by the capture program.
//
// assembler puts segments into order. Words it introduces:
//
//   - half: one direction of a connection
//   - hole: bytes of a half that no packet brought yet
//   - held: a segment waits because of a hole before it, or because it
//     acknowledges bytes of the other half that were not seen yet (so a request
//     always comes before its response, also when the file has them swapped)
//   - lost: a hole that is given up; it becomes a Gap with the exact size
//
// Live captures on Linux without libpcap: a packet socket, with a filter for
// the kernel (bpf.go) that is attached before the first packet can come. The
// packets are taken from their network header on, so every kind of interface
// will do. Only payload is kept. What was found is handed over whenever there
// is no packet to read; while a connection has a hole, the time waited counts,
// so that a hole is given up although nothing more comes. Elsewhere Live says
// how to capture with another program.
//
// Writer makes up packets around the bytes of chunks: a handshake, segments,
// acknowledgements, the end. Reading them gives the same chunks with the same
// times; a gap is a hole that the other side acknowledges. What the capture did
// not see is not made up: a connection that was under way has no handshake, one
// that was not closed stays open. What TCP cannot say, that a connection was TLS
// or could not be made, what the tap did to an answer, and what people said of an
// exchange, are comments that are read back (mark.go). Annotate adds comments to
// a file that is complete.
//
// Invariants: nothing panics or grows without bound on any input (limits.go);
// no goroutine is started; no clock is read, time is that of the packets;
// connections are numbered in the order in which they were first seen; every
// Opened connection gets exactly one Closed unless Run of a file is cancelled.
//
// Start reading at open.go, then run.go, packets.go and assemble.go; for live
// packets at live_linux.go, for writing at write.go and write_conn.go.
package pcap
