// Package child runs a program beside the tap: with an environment that leads
// its traffic there and makes it trust the tap's authority, or in a network of
// its own from which every connection is led there. It knows nothing of A2A.
//
//	Prepare ── plain:    find the program
//	        └─ isolated: a process of ours in a new user and network namespace:
//	                     lo up, every address local, TCP and DNS redirected,
//	                     listeners made there and handed out; other UDP is
//	                     refused by the kernel, and told (datagrams_linux.go)
//	Start   ── the program runs; its output goes to writers (a Ring for the screen)
//	Signal, Stop ── to its whole process group
//	Done, Code   ── how it ended
//	Close   ── nothing is left: no process of its group, no namespace
//
//	program ── connect() ─▶ redirect ─▶ listener ┐ namespace
//	                                             │ (the file descriptor crosses)
//	              Origin(conn) says where to ◀───┘ host: the tap accepts, and
//	                                               Dial reaches the real address
//
// Words: trust is the files that make runtimes accept the authority. The inside
// is our own process in the namespace: it starts the program, hands connections
// to servers of the program out, and ends with the program's exit code. A
// published port is one that the program listens on and that is open on the host
// as well.
//
// Invariants: the program never reads the terminal; it is in a session of its
// own, so that a key that means a signal reaches it once, from us. Every buffer
// is bounded. Done is closed exactly once, after the last output was written.
//
// Start reading at child.go; env.go and trust.go are what a proxy needs,
// isolate_linux.go and inside_linux.go are the two ends of a namespace.
package child
