package child

// message is what the two ends of a namespace tell each other: one datagram
// each, JSON, with file descriptors beside it where they are named.
type message struct {
	Kind  kind     `json:"kind"`
	ID    int      `json:"id,omitempty"`    // dial, dialed
	Addr  string   `json:"addr,omitempty"`  // dial, refused
	Ports []string `json:"ports,omitempty"` // ports: addresses the program listens on
	TCP   int      `json:"tcp,omitempty"`   // ready: so many listeners,
	UDP   int      `json:"udp,omitempty"`   // and so many sockets for DNS
	Step  string   `json:"step,omitempty"`  // failed: what was tried
	Error string   `json:"error,omitempty"` // failed, dialed
}

type kind string

const (
	ready  kind = "ready"  // the network is there; with listeners
	failed kind = "failed" // it could not be made, or the program not run
	start  kind = "start"  // run the program
	dial   kind = "dial"   // connect to a server of the program
	dialed kind = "dialed" // with the connection
	ports  kind = "ports"  // what the program listens on has changed

	refused kind = "refused" // datagrams of the program to Addr went nowhere
)

// Bounds of a message.
const (
	maxMessage = 16 << 10
	maxFiles   = 4
	maxPorts   = 64
)
