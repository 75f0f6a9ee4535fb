package save

import (
	"context"
	"io"

	"a2ascope/capture"
	"a2ascope/capture/pcap"
	"a2ascope/capture/remake"
	"a2ascope/internal/redact"
	"a2ascope/internal/session"
)

// What a file says of itself, for those who open it with another program.
const (
	aboutPackets = "Written by a2ascope. Ethernet, IP and TCP headers, the division into packets, handshakes and acknowledgements were made up to carry the payload."
	aboutRaw     = aboutPackets + " The payload, its order and its times are what was recorded; that of TLS connections is what was in them."
	aboutMade    = aboutPackets + " The payload was synthesized from the HTTP messages that were read: heads, bodies and times are what was recorded; " +
		"how HTTP/2 headers were compressed, where frames and chunks ended and how bodies were compressed is not. " +
		"Of connections without HTTP there is a comment that says what is known of them, and none of their bytes."
	aboutMasked = " Secrets are masked: each is overwritten with as many '*' as it had bytes."
)

func aboutSynthesized(plain bool) string {
	if plain {
		return aboutMade
	}
	return aboutMade + aboutMasked
}

// writePcapng makes packets of the exchanges. Findings, and what people said,
// are comments of the first packet of their exchange; of a connection without
// HTTP there is nothing else.
func writePcapng(ctx context.Context, to io.Writer, v *session.View, o *Options) (n Count, err error) {
	w := pcap.NewWriter(to, aboutSynthesized(o.Plain))
	p := &packets{w: w, maker: remake.New(), left: map[capture.ConnID]int{}, said: map[capture.ExchangeID]*remark{}, begun: map[capture.ConnID]int{}}
	err = rows(ctx, v, o, func(r *session.Row) error {
		if r.Conn == nil {
			p.left[r.ID().Conn()]++
		}
		return nil
	})
	if err != nil {
		return n, err
	}
	m := &merger{emit: p.emit}
	err = rows(ctx, v, o, func(r *session.Row) error {
		n.add(r)
		if r.Conn != nil {
			if err := m.until(r.At); err != nil {
				return err
			}
			return p.alone(r, o)
		}
		x := o.exchange(r)
		p.said[x.ID] = remarkOn(r, x.Request, x.Notes, o.Plain)
		if !o.Plain {
			x = newMasker().exchange(x)
		}
		p.maker.Expect(x)
		return m.add(n.Exchanges, eventsOf(x))
	})
	if err == nil {
		err = m.end()
	}
	if err != nil {
		return n, err
	}
	return n, w.Close()
}

// alone writes a connection without HTTP.
func (p *packets) alone(r *session.Row, o *Options) error {
	e := o.connection(r)
	info := e.Body.(*capture.ConnInfo)
	said := remarkOn(r, nil, info.Notes, o.Plain)
	said.nth = capture.OfConnection
	if !o.Plain {
		info.Text = redact.Stars.Text(info.Text)
	}
	p.maker.Event(e)
	p.maker.Close(e.Conn, &capture.Chunk{})
	for _, ch := range p.maker.Take() {
		var comments []string
		if ch.Kind == capture.Summarized {
			comments = said.comments()
		}
		if err := p.w.Chunk(&ch, comments...); err != nil {
			return err
		}
	}
	return nil
}

// packets writes events as packets.
type packets struct {
	w     *pcap.Writer
	maker *remake.Maker
	left  map[capture.ConnID]int // exchanges of the connection that are still to come or to end
	begun map[capture.ConnID]int // and those that have begun: it is how readers number them
	said  map[capture.ExchangeID]*remark
}

func (p *packets) emit(es []capture.Event, last bool) error {
	for i := range es {
		p.maker.Event(&es[i])
	}
	e := &es[len(es)-1]
	said := p.said[e.Exchange]
	if said != nil && said.nth == 0 {
		p.begun[e.Conn]++
		said.nth = p.begun[e.Conn]
	}
	if last {
		delete(p.said, e.Exchange)
		if p.left[e.Conn]--; p.left[e.Conn] == 0 {
			delete(p.left, e.Conn)
			delete(p.begun, e.Conn)
			if end, ok := e.Body.(*capture.End); ok && end.Kind != capture.EndStillOpen {
				// Nothing more is written of it. That it is closed frees its addresses for those who come after it.
				p.maker.Close(e.Conn, &capture.Chunk{From: e.From, At: e.At})
			}
		}
	}
	for _, ch := range p.maker.Take() {
		var comments []string
		if ch.Kind == capture.Bytes && said != nil && !said.told {
			comments, said.told = said.comments(), true
		}
		if err := p.w.Chunk(&ch, comments...); err != nil {
			return err
		}
	}
	return nil
}
