package wire

// Limits are the caps of one connection. The zero value of a member means its default.
type Limits struct {
	Head     int   // bytes of one HTTP/1 head, trailer block or HTTP/2 header block
	Fields   int   // field lines of one head
	Body     int64 // bytes kept of one whole body, as sent and decoded each
	Event    int64 // bytes kept of one server-sent event
	Message  int64 // bytes kept of one gRPC message, as sent and decoded each
	Loose    int64 // bytes kept of a stream that could not be cut into units
	Held     int64 // bytes of unfinished units kept over the whole connection
	Inflate  int64 // decoded bytes after which the ratio of a content coding is judged
	Waiting  int   // HTTP/1 requests without a response
	Streams  int   // open HTTP/2 streams
	Control  int   // payload of one HTTP/2 frame other than DATA
	Hold     int64 // client bytes held back until a CONNECT or an upgrade is answered
	Zstd     int64 // bytes kept of a zstd-coded stream, which is decoded from its start
	Table    int   // HPACK table size a peer may ask for
	Breaches int   // breaches reported of one exchange
}

// The defaults.
const (
	// Servers refuse heads above 8 to 64 KiB; ten times that is no head but an attack.
	maxHead = 512 << 10
	// A field costs 40 bytes here and 3 on the wire.
	maxFields = 4096
	// File parts travel as base64 in one JSON body; SDKs refuse bodies far smaller.
	maxBody = 64 << 20
	// An artifact chunk is one event: as large as a body in principle, rarely above 1 MiB.
	maxEvent = 16 << 20
	// gRPC's own default is 4 MiB for a received message.
	maxMessage = 64 << 20
	// Enough to see what a stream was, not to keep it.
	maxLoose = 1 << 20
	// Four bodies at the cap at once; a connection with more is cut, not the program.
	maxHeld = 256 << 20
	// Text shrinks to a twentieth at best: beyond this size the ratio is a bomb's.
	maxInflate = 128 << 20
	// See maxInflate.
	maxRatio = 200
	// No client pipelines so deep; a capture of one direction alone would.
	maxWaiting = 1024
	// Servers allow 100 to 250 streams at once.
	maxStreams = 4096
	// Header blocks are the largest of them; DATA is not collected.
	maxControl = maxHead
	// A ClientHello, or the first frames of HTTP/2.
	maxHold = 256 << 10
	// zstd can only be decoded from its start here (see unwrap.go).
	maxZstd = 16 << 20
	// What browsers and proxies ask for at most.
	maxTable = 64 << 10
	// A broken peer breaks the same rule with every byte.
	maxBreaches = 64
	// Exchanges of a connection that people said something of before they begin, and what they said of one.
	maxNotes = 256
	// Room made at once for a body because its head announces it: an announcement costs its sender nothing.
	maxWant = 256 << 10
	// A request or status line in the search for the next message.
	maxLine = 16 << 10
)

func (l Limits) withDefaults() Limits {
	def(&l.Head, maxHead)
	def(&l.Fields, maxFields)
	def(&l.Body, maxBody)
	def(&l.Event, maxEvent)
	def(&l.Message, maxMessage)
	def(&l.Loose, maxLoose)
	def(&l.Held, maxHeld)
	def(&l.Inflate, maxInflate)
	def(&l.Waiting, maxWaiting)
	def(&l.Streams, maxStreams)
	def(&l.Control, maxControl)
	def(&l.Hold, maxHold)
	def(&l.Zstd, maxZstd)
	def(&l.Table, maxTable)
	def(&l.Breaches, maxBreaches)
	return l
}

func def[T int | int64](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}
