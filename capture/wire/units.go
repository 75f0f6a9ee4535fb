package wire

import "a2ascope/capture"

// Units cuts a whole body into its frames the way the body of a connection is
// cut, for sources that have messages and no bytes (HAR). head says what the
// body is: its Content-Type, Content-Encoding and grpc-encoding count. The
// result holds *Frame, *Breach and the *Trailer of gRPC-Web, in order.
func Units(from capture.Side, head *capture.Head, data []byte) []capture.EventBody {
	x := NewConn(0).begin()
	x.started = true // its first event is the caller's
	var b body
	b.start(x, from, head, nil)
	b.write(data)
	b.end(true)
	units := make([]capture.EventBody, len(x.c.out))
	for i := range x.c.out {
		units[i] = x.c.out[i].Body
	}
	return units
}
