package capture

import (
	"strings"
	"time"
)

// ExchangeID names an exchange: ConnID<<24 | number of the exchange on its connection, from 1.
// (A HAR has messages and no bytes: there every entry is a connection of its own.)
type ExchangeID uint64

// NewExchangeID builds the id of the n-th exchange of a connection.
func NewExchangeID(c ConnID, n int) ExchangeID { return ExchangeID(uint64(c)<<24 | uint64(n)) }

// Conn returns the connection on which the exchange runs.
func (id ExchangeID) Conn() ConnID { return ConnID(id >> 24) }

// Event is what the wire parsers (or the HAR reader) emit.
type Event struct {
	Exchange ExchangeID // 0: about the connection, not about an exchange (Body is *ConnInfo)
	Conn     ConnID
	Seq      uint64 // Seq of the chunk that completed it
	At       time.Time
	From     Side
	Link     *Link // set on the first event of each exchange and with *ConnInfo
	Body     EventBody
}

// EventBody is one of *Head, *Frame, *Trailer, *BodyEnd, *End, *Breach, *Note, *ConnInfo.
type EventBody interface{ eventBody() }

// Field is one header or trailer line, spelled as on the wire.
type Field struct {
	Name, Value string
	Unknown     bool // HPACK index inserted before the capture began: Name or Value is a stable placeholder
}

// Fields keeps order and duplicates.
type Fields []Field

// Get returns the first value of the field, compared without case, or "".
func (f Fields) Get(name string) string {
	v, _ := f.Lookup(name)
	return v
}

// Lookup returns the first value of the field and whether it is there.
func (f Fields) Lookup(name string) (string, bool) {
	for i := range f {
		if len(f[i].Name) == len(name) && strings.EqualFold(f[i].Name, name) {
			return f[i].Value, true
		}
	}
	return "", false
}

// Unknown reports whether the content of a field is not known: what is absent
// from such a list may have been there all the same.
func (f Fields) Unknown() bool {
	for i := range f {
		if f[i].Unknown {
			return true
		}
	}
	return false
}

// Values returns every value of the field in order.
func (f Fields) Values(name string) []string {
	var vs []string
	for i := range f {
		if len(f[i].Name) == len(name) && strings.EqualFold(f[i].Name, name) {
			vs = append(vs, f[i].Value)
		}
	}
	return vs
}

// Head is the start of a request or of a response. 1xx heads are events of
// their own before the final head.
type Head struct {
	Proto     string // "HTTP/1.0", "HTTP/1.1", "HTTP/2"
	Method    string // request
	Scheme    string // request; "http" or "https", from :scheme, TLS or the HAR URL
	Authority string // request; Host or :authority
	Target    string // request; path and query as sent (absolute-form kept as sent)
	Status    int    // response
	Reason    string // response, HTTP/1
	Fields    Fields // without HTTP/2 pseudo-fields
	Raw       []byte // HTTP/1: the exact bytes of the head, final blank line included
	Stream    uint32 // HTTP/2 stream id
	Torn      bool   // a part of it is not in the capture, or refers to what is not: more fields may have been there
}

// IsRequest reports whether the head starts a request.
func (h *Head) IsRequest() bool { return h.Status == 0 }

// Path returns the target without query and, for absolute-form, without origin.
func (h *Head) Path() string {
	p, _, _ := strings.Cut(h.originForm(), "?")
	return p
}

// Query returns the raw query without '?'.
func (h *Head) Query() string {
	_, q, _ := strings.Cut(h.originForm(), "?")
	return q
}

func (h *Head) originForm() string {
	t := h.Target
	if i := strings.Index(t, "://"); i > 0 && !strings.HasPrefix(t, "/") {
		if j := strings.IndexByte(t[i+3:], '/'); j >= 0 {
			return t[i+3+j:]
		}
		return "/"
	}
	return t
}

// MediaType returns the lower-case media type without parameters, or "".
func (h *Head) MediaType() string {
	if h == nil {
		return ""
	}
	m, _, _ := strings.Cut(h.Fields.Get("content-type"), ";")
	return strings.ToLower(strings.TrimSpace(m))
}

// Form says what a Frame is a unit of.
type Form uint8

const (
	WholeBody   Form = iota // a body that is one unit, content coding removed
	SSEEvent                // one server-sent event; Data is its data, lines joined with \n
	SSEComment              // a comment line (keep-alive)
	GRPCMessage             // one length-prefixed gRPC message, decompressed
	LooseData               // bytes of a stream that belong to no complete unit (seen, kept, not read)
)

func (f Form) String() string {
	return [...]string{"body", "sse-event", "sse-comment", "grpc-message", "data"}[f]
}

// Frame is one complete unit of a body.
type Frame struct {
	Seq       int // position among the frames of its side, from 0
	Form      Form
	Data      []byte // decoded; cut at a limit when Size is larger
	Size      int64  // full decoded size
	WireSize  int64  // size as sent, before content decoding
	Coding    string // content coding or grpc-encoding that was removed, "" when none
	Event, ID string // SSE
	Lost      int64  // bytes missing inside it (-1: unknown); Data is what was seen
	Cut       bool   // it did not end where it should: the stream or the capture stopped inside
	Raw       []byte // SSE: the event's exact lines; nil where Data is exact
}

// Trailer is the field block after a body.
type Trailer struct {
	Fields Fields
	Only   bool // gRPC trailers-only: the same block is also the response Head
}

// BodyEnd says that a side finished its message.
type BodyEnd struct{ Size int64 }

// EndKind says how an exchange ended.
type EndKind uint8

const (
	EndDone        EndKind = iota // request and response complete
	EndReset                      // RST_STREAM, with Code and side From, or TCP reset (Code 0, Text "tcp reset")
	EndGoAway                     // GOAWAY left the stream unprocessed
	EndClosed                     // the connection was closed inside the exchange
	EndStillOpen                  // the capture ended while it was open
	EndUpgraded                   // 101: what follows is another protocol
	EndUnreachable                // no connection to the peer (refused, TLS failure, HAR status 0)
)

func (k EndKind) String() string {
	return [...]string{"done", "reset", "goaway", "closed", "still-open", "upgraded", "unreachable"}[k]
}

// End is the last event of an exchange.
type End struct {
	Kind EndKind
	Code uint32 // HTTP/2 error code
	Text string
}

// Breach is a violation of the rules of HTTP, SSE or gRPC framing, or a loss
// of the capture. Code is stable.
type Breach struct {
	Code string // see the Breach constants
	Text string // English detail for people, with the numbers
	Lost int64  // BreachLost: missing bytes, -1 unknown
}

// Breach codes.
const (
	BreachLost           = "bytes-lost"           // the capture misses bytes here
	BreachTooLarge       = "too-large"            // cut at a limit of this program
	BreachHead           = "head-malformed"       // request line, status line or a field line
	BreachChunk          = "chunk-malformed"      // chunked framing
	BreachLength         = "length-conflict"      // Content-Length disagrees with itself or with Transfer-Encoding
	BreachCoding         = "coding-broken"        // content coding that does not decode
	BreachHTTP2          = "http2-malformed"      // frame or HPACK
	BreachGRPC           = "grpc-malformed"       // length prefix or flag
	BreachUpperCaseField = "field-name-uppercase" // HTTP/2 name with upper-case letters
	BreachNoRequest      = "no-request"           // a response whose request was not seen
	BreachSSE            = "sse-malformed"
	BreachTLS            = "tls-mismatch" // one side speaks TLS, the other does not
	BreachHTTP2Answer    = "http2-answer" // an HTTP/1 request was answered with HTTP/2 frames
	BreachHTTP1Answer    = "http1-answer" // an HTTP/2 request was answered with HTTP/1
)

// StatusUnknown is the Status of an HTTP/2 response whose :status was sent as
// an index into a table that was filled before the capture began.
const StatusUnknown = 999

// ConnInfo reports a connection on which no HTTP was read, once, when it is known or over.
type ConnInfo struct {
	Protocol string   // one of ConnProtocols
	Sent     [2]int64 // payload bytes by Side
	Text     string   // e.g. "encrypted, no key"
	Notes    []Note   // of people
}

// ConnProtocols are what a connection without HTTP may be.
var ConnProtocols = []string{"tls", "unknown", "empty", "refused"}

func (*Head) eventBody()     {}
func (*Frame) eventBody()    {}
func (*Trailer) eventBody()  {}
func (*BodyEnd) eventBody()  {}
func (*End) eventBody()      {}
func (*Breach) eventBody()   {}
func (*Note) eventBody()     {}
func (*ConnInfo) eventBody() {}
