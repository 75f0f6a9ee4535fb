package save

import (
	"context"
	"fmt"
	"io"
	"strings"

	"a2ascope/capture"
	"a2ascope/capture/pcap"
	"a2ascope/capture/remake"
	"a2ascope/diagnose"
	"a2ascope/internal/redact"
	"a2ascope/internal/session"
)

// What a file says of itself, for those who open it with another program.
const (
	aboutPackets = "Written by a2ascope. Ethernet, IP and TCP headers, the division into packets, handshakes and acknowledgements were made up to carry the payload."
	aboutRaw     = aboutPackets + " The payload, its order and its times are what was recorded; that of TLS connections is what was in them."
	aboutMade    = aboutPackets + " The payload was synthesized from the HTTP messages that were read: heads, bodies and times are what was recorded; " +
		"how HTTP/2 headers were compressed, where frames and chunks ended and how bodies were compressed is not. Connections without HTTP are left out."
	aboutMasked = " Secrets are masked: each is overwritten with as many '*' as it had bytes."
)

func aboutSynthesized(plain bool) string {
	if plain {
		return aboutMade
	}
	return aboutMade + aboutMasked
}

// writePcapng makes packets of the exchanges. Findings are comments of the
// first packet of their exchange.
func writePcapng(ctx context.Context, to io.Writer, v *session.View, o *Options) (n int, err error) {
	w := pcap.NewWriter(to, aboutSynthesized(o.Plain))
	p := &packets{w: w, maker: remake.New(), left: map[capture.ConnID]int{}, said: map[capture.ExchangeID]string{}}
	err = rows(ctx, v, o, func(r *session.Row) error {
		p.left[r.Call.Exchange.Conn]++
		return nil
	})
	if err != nil {
		return 0, err
	}
	m := &merger{emit: p.emit}
	err = rows(ctx, v, o, func(r *session.Row) error {
		x := r.Call.Exchange
		if !o.Plain {
			x = new(masker).exchange(x)
		}
		if text := remark(r, o.Notes[r.Index]); text != "" {
			p.said[x.ID] = text
		}
		p.maker.Expect(x)
		n++
		return m.add(n, eventsOf(x))
	})
	if err == nil {
		err = m.end()
	}
	if err != nil {
		return 0, err
	}
	return n, w.Close()
}

// packets writes events as packets.
type packets struct {
	w     *pcap.Writer
	maker *remake.Maker
	left  map[capture.ConnID]int // exchanges of the connection that are still to come or to end
	said  map[capture.ExchangeID]string
}

func (p *packets) emit(es []capture.Event, last bool) error {
	for i := range es {
		p.maker.Event(&es[i])
	}
	e := &es[len(es)-1]
	if last {
		if p.left[e.Conn]--; p.left[e.Conn] == 0 {
			delete(p.left, e.Conn)
			if end, ok := e.Body.(*capture.End); ok && end.Kind != capture.EndStillOpen {
				// Nothing more is written of it. That it is closed frees its addresses for those who come after it.
				p.maker.Close(e.Conn, &capture.Chunk{From: e.From, At: e.At})
			}
		}
	}
	text := p.said[e.Exchange]
	for _, ch := range p.maker.Take() {
		var comments []string
		if ch.Kind == capture.Bytes && text != "" {
			comments, text = []string{text}, ""
			delete(p.said, e.Exchange)
		}
		if err := p.w.Chunk(&ch, comments...); err != nil {
			return err
		}
	}
	return nil
}

// remark is what is known of an exchange, in lines.
func remark(r *session.Row, note string) string {
	var lines []string
	for _, f := range r.Findings {
		lines = append(lines, fmt.Sprintf("%s %s: %s", f.Severity, f.Rule.ID, redact.Rest(f.Texts(diagnose.EN).Symptom)))
	}
	if note != "" {
		lines = append(lines, "note: "+note)
	}
	return strings.Join(lines, "\n")
}
