package script

import (
	"fmt"
	"net/netip"
	"time"

	"a2ascope/capture"
)

// Play is a parsed play. It does not change; Source may be called often.
type Play struct {
	name   string
	conns  []*conn
	acts   []act
	length time.Duration
}

// Error is what is wrong with a play, and where.
type Error struct {
	Name      string
	Line, Col int // from 1; Col counts characters
	Text      string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Col, e.Text) }

// protocol is what a connection speaks.
type protocol uint8

const (
	silent protocol = iota
	speaksHTTP1
	speaksHTTP2
)

// conn is one connection.
type conn struct {
	id             capture.ConnID
	name           string
	client, server netip.AddrPort
	host           string // default authority, and server name under TLS
	tls            string // "", "1.2", "1.3"
	midstream      bool
	proto          protocol
	used           bool
	over           int // line that ended it, 0 while it lives
	exchanges      int // HTTP/2 exchanges so far
	lanes          map[string]*lane
}

// authority is what a request on the connection is addressed to when it does not say.
func (c *conn) authority() string {
	if c.host != "" {
		return c.host
	}
	return c.server.String()
}

// lane is a row of exchanges on a connection. HTTP/1 has one, HTTP/2 as many as are wanted.
type lane struct {
	conn *conn
	ex   *exchange // the last one
	said *message  // the message that is being said, nil between messages
}

// exchange is a request and its response.
type exchange struct {
	line     int
	grpc     bool
	method   string
	path     string
	response *message
	n        int // among the HTTP/2 exchanges of its connection, from 0
}

// stream returns the HTTP/2 stream of the exchange: clients use odd numbers.
func (x *exchange) stream() uint32 { return uint32(2*x.n + 1) }

// message is a request or a response.
type message struct {
	from     capture.Side
	line     int
	conn     *conn
	ex       *exchange // nil: a response to nothing
	grpc     bool
	head     []piece // HTTP/1: the lines of the head as written
	status   int     // response
	fields   []field // the head's fields as far as they can be read
	inHead   bool
	explicit bool // gRPC: the response head is sent even when nothing follows
	sent     bool // an act for the head exists

	parts    [][]piece // groups of the body: each is sent at once
	open     []piece   // the group that is being said
	trailers []field
	lost     int64 // bytes of the body that gaps took

	verdict *verdict // gRPC: the status that ends the call
	last    int      // index of the message's last act
	ended   int      // line that finished it
}

// piece is one line of a message.
type piece struct {
	line int
	text []byte
	raw  bool // bytes as they are: no line end belongs to it
}

type field struct{ name, value string }

// verdict is how a gRPC call ended.
type verdict struct {
	line    int
	code    int
	text    string
	details []byte // google.rpc.Status.details, encoded; nil when none
	extra   []field
}

// what an act is.
type actKind uint8

const (
	actHead    actKind = iota // the head of msg
	actBody                   // part n of the body of msg
	actEnd                    // the end of msg
	actVerdict                // the status of a gRPC call
	actGap                    // n bytes are missing, -1: unknown how many
	actHalf                   // from sends no more
	actClose                  // the connection ends; text is why
	actRST                    // RST_STREAM of ex with code n
	actGoAway                 // GOAWAY with code n
)

// act is one thing that happens, in order of time.
type act struct {
	at   time.Duration
	line int
	kind actKind
	conn *conn
	from capture.Side
	msg  *message
	ex   *exchange
	n    int64
	ends bool // it finishes msg
	cut  bool // HTTP/1: the head stops before its empty line
	text string
}
