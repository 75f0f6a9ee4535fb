// Package proxy is the live tap: it stands between clients and an agent, passes
// what they say to each other, and hands a copy of the plaintext on as chunks.
//
//	           one port of loopback                      recorded hop
//	client ──▶ sniff ─┬─ TLS ── opened with a leaf of ours ─┐  ║
//	                  ├─ CONNECT ── who speaks first? ──────┤  ║
//	                  ├─ HTTP/1 ── requests ──▶ Host ───────┼──╫─▶ agent
//	                  │            answers  ◀── card ───────┼──╫──
//	                  └─ HTTP/2 ── frames ◀──▶ :authority ──┘  ║
//	                                             card          ▼
//	                                              capture.Queue ──▶ Sink
//
// Reverse mode: a client is pointed at the tap instead of the agent. Only what
// would lead it past the tap, or show the agent a foreign name, is changed: the
// Host line or :authority (and :scheme), the addresses in the agent card, and
// the few header lines of a request for a card that would keep it from being
// changed. Every other origin of the card gets a port of its own. Forward mode:
// a client takes the tap for its proxy; then nothing is changed but the request
// line of a plain request.
//
// What is recorded is the hop between the tap and the agent: the bytes the agent
// was sent and the bytes it sent. Where the client got something else, a Noted
// chunk stands before the end of the exchange: its Note holds both versions
// (NoteCardRewritten), or says why the client may leave the tap (NoteCardLeft).
//
// Words: a leg is one TCP or TLS connection, a hop is two legs joined. A passer
// looks at one direction and says what is to be sent on. A cutter cuts HTTP/1
// into pieces; a splice is a stretch of bytes with changes. A visit is a client
// connection from its first byte to its last; a turn lets whole HTTP/2 frames be
// put between those that are relayed. On Linux a loop serves many hops of plain
// legs on one thread: a hop there is a ride, and its legs are sockets.
//
// How a command uses it:
//
//	p, err := proxy.Listen(proxy.Options{Target: "http://localhost:9999", Listen: "127.0.0.1:4100",
//		ConfigDir: dir, Now: time.Now, Notify: show})
//	// print p.Addr(); p.State() at any time; Hint.Text("en"), TrustHelp("en", …) for people
//	summary, err := p.Run(ctx, sink) // a capture.Source; returns when ctx has ended and all is handed over
//
// Invariants:
//   - The relay never waits for the reader: over budget, chunks become gaps.
//   - What was not understood passes as it came, and is said to have.
//   - Bytes are recorded before they are sent on: the order of chunks is one in
//     which the conversation can have happened.
//   - No deadline on a connection that is established. Half-closes, resets and
//     cut TLS are passed on as what they were.
//   - A connection that waits holds no buffer.
//   - A passer never waits: a loop would, and all it serves with it. What cannot
//     go on yet says so (passer.waits).
//   - The key of the authority never leaves its file and this process.
//   - Run owns every goroutine and waits for all of them.
//
// Start reading at proxy.go, then serve.go, relay.go, requests.go and answers.go;
// HTTP/2 begins at frames.go, cards at card.go, loops at loop_linux.go.
package proxy
