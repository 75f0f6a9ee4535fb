package capture

import (
	"net/netip"
	"time"
)

// ConnID numbers connections from 1 in the order in which a source first saw them.
type ConnID uint64

// Side says which end of a connection sent something.
type Side uint8

// The two sides. In A2A words: the client and the agent.
const (
	Client Side = iota
	Server
)

// Other returns the opposite side.
func (s Side) Other() Side { return 1 - s }

func (s Side) String() string {
	if s == Client {
		return "client"
	}
	return "server"
}

// ChunkKind says what happened on the connection.
type ChunkKind uint8

const (
	Opened     ChunkKind = iota // the connection was seen to begin; Link is set
	Secured                     // the bytes that follow were decrypted; Link is set again
	Bytes                       // Data was sent
	Gap                         // Lost bytes are missing (-1: unknown how many)
	HalfClosed                  // From sends no more (FIN)
	Closed                      // the connection is over; Err is empty when orderly
	Noted                       // Note says what the tap changed in an exchange, or people said of it
	Summarized                  // Info is what a file has of the connection: it carried no HTTP, and its bytes were not kept
)

func (k ChunkKind) String() string {
	return [...]string{"opened", "secured", "bytes", "gap", "half-closed", "closed", "noted", "summarized"}[k]
}

// Chunk is what a byte source emits. Chunks of one connection come in order.
type Chunk struct {
	Conn ConnID
	Seq  uint64 // grows over all chunks of one source; orders events of different connections
	At   time.Time
	From Side
	Kind ChunkKind
	Data []byte // never changed after it was emitted
	Lost int64  // Gap: missing bytes, -1 when unknown
	Link *Link  // Opened, Secured, Summarized
	Err  string // Closed: Refused, "reset", "capture ended", Unreachable…; empty when orderly

	Note   *Note     // Noted: about the oldest exchange of the connection that From has not finished
	Info   *ConnInfo // Summarized
	Stream uint32    // Noted: the HTTP/2 stream it is about; 0 for HTTP/1
	Nth    int32     // Noted: the number of the exchange on its connection, from 1; OfConnection; 0: From and Stream tell which it is
}

// OfConnection is the Nth of a note on a connection without HTTP.
const OfConnection = -1

// Refused is the Err of a connection whose first packet was refused.
const Refused = "refused"

// Unreachable begins the Err of a connection that never came to be: what the
// client said is recorded, and the reason why nobody heard it.
const Unreachable = "unreachable: "

// Link is what is known of a connection.
type Link struct {
	Client, Server netip.AddrPort // zero when unknown (HAR)
	ServerName     string         // TLS server name, or the host of a HAR entry
	ALPN           string
	TLS            string // "", "1.2", "1.3", or "yes" when only that is known
	Source         string // "pcap", "har", "script", "proxy", "live"
	Midstream      bool   // the capture began after the connection did
}
