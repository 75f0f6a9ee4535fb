package wire

import "a2ascope/capture"

// Conns reads the chunks of any number of connections. Nothing is let go of:
// it is for those who read a source from its beginning to its end.
type Conns map[capture.ConnID]*Conn

// Feed is Conn.Feed of the connection that the chunk belongs to.
func (cs Conns) Feed(ch *capture.Chunk, out []capture.Event) []capture.Event {
	c := cs[ch.Conn]
	if c == nil {
		c = NewConn(ch.Conn)
		cs[ch.Conn] = c
	}
	return c.Feed(ch, out)
}
