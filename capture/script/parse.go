package script

import (
	"bytes"
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"

	"a2ascope/capture"
)

// maxClock bounds the time a play takes, so that it cannot overflow.
const maxClock = 10 * 365 * 24 * time.Hour

// Parse reads a play. name is for error messages, which are *Error.
func Parse(name string, text []byte) (*Play, error) {
	p := &parser{name: name, play: &Play{name: name}, byName: map[string]*conn{}}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		p.line++
		p.text = strings.TrimSuffix(string(line), "\r")
		p.read()
		if p.err != nil {
			return nil, p.err
		}
	}
	for _, c := range p.play.conns {
		for _, l := range c.order() {
			p.finish(l, false)
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	p.play.length = p.now
	if len(p.play.acts) == 0 {
		return nil, &Error{name, max(p.line, 1), 1, "nothing is said in this play; a request begins with '> POST /path'"}
	}
	return p.play, nil
}

type parser struct {
	name   string
	line   int
	text   string
	err    error
	play   *Play
	now    time.Duration
	byName map[string]*conn
	cur    *lane
}

// fail reports an error at a byte of the line.
func (p *parser) fail(at int, text string) {
	if p.err == nil {
		at = min(at, len(p.text))
		p.err = &Error{p.name, p.line, utf8.RuneCountInString(p.text[:at]) + 1, text}
	}
}

func (p *parser) read() {
	if p.text == "" {
		if p.cur != nil {
			p.finish(p.cur, true)
		}
		return
	}
	arg := p.text[1:]
	switch p.text[0] {
	case '#':
	case '>':
		p.said(capture.Client)
	case '<':
		p.said(capture.Server)
	case '+':
		p.clock(arg)
	case '=':
		p.turn(arg)
	case '!':
		p.happen(arg)
	default:
		p.fail(0, "a line begins with '>' (client), '<' (server), '+' (time passes), '!' (something happens), '=' (another connection) or '#'; an empty line ends a message")
	}
}

// clock moves time on.
func (p *parser) clock(arg string) {
	d, err := time.ParseDuration(strings.TrimSpace(arg))
	switch {
	case err != nil:
		p.fail(1, "a time such as '+ 12ms' or '+ 1.5s' expected")
	case d < 0:
		p.fail(1, "time does not run backwards")
	case d > maxClock || p.now+d > maxClock:
		p.fail(1, "a play of more than ten years is not played")
	default:
		p.seal(p.cur)
		p.now += d
	}
}

// said takes a line of one side: '>' or '<', then nothing, a blank and the
// text, or a letter that says what the text is, a blank, and the text.
func (p *parser) said(from capture.Side) {
	mark, form, text := p.text[:1], byte(0), ""
	switch {
	case len(p.text) == 1:
	case p.text[1] == ' ':
		text = p.text[2:]
	case strings.IndexByte("x.t", p.text[1]) >= 0 && (len(p.text) == 2 || p.text[2] == ' '):
		form = p.text[1]
		if len(p.text) > 3 {
			text = p.text[3:]
		}
	default:
		p.fail(1, "a blank expected after '"+mark+"'; '"+mark+"x' begins bytes in hex, '"+mark+".' text without a line end, '"+mark+"t' a trailer")
		return
	}
	l := p.here()
	if l.conn.over > 0 {
		p.fail(0, "connection "+l.conn.label()+" ended at line "+itoa(l.conn.over)+"; '= NAME' begins another")
		return
	}
	pc := piece{line: p.line, text: []byte(text)}
	switch form {
	case 'x':
		b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
		if err != nil {
			p.fail(3, "pairs of hex digits expected, such as '00 ff'")
			return
		}
		pc.text, pc.raw = b, true
	case '.':
		pc.raw = true
	}
	if l.said != nil && l.said.from != from {
		p.finish(l, false)
	}
	if l.said == nil {
		p.begin(l, from, form, pc)
		return
	}
	switch m := l.said; {
	case form == 't':
		p.trailer(m, text)
	case m.grpc:
		p.grpcLine(l, m, form, pc)
	case m.inHead:
		p.headLine(l, m, pc)
	default:
		p.bodyLine(m, pc)
	}
}

// act appends something that happens now.
func (p *parser) act(a act) int {
	a.at, a.line = p.now, p.line
	p.play.acts = append(p.play.acts, a)
	return len(p.play.acts) - 1
}

// seal sends what is being said: time passes, or somebody else speaks. It ends
// a head that had no empty line, and a group of body lines.
func (p *parser) seal(l *lane) {
	if l == nil || l.said == nil {
		return
	}
	m := l.said
	if m.inHead && m.verdict == nil && (!m.grpc || m.from == capture.Client || m.explicit || len(m.fields) > 0) {
		p.endHead(l, m)
	}
	if len(m.open) == 0 {
		return
	}
	m.parts = append(m.parts, m.open)
	m.open = nil
	m.last = p.act(act{kind: actBody, conn: m.conn, from: m.from, msg: m, ex: m.ex, n: int64(len(m.parts) - 1)})
}

// endHead sends the head of the message. Nothing follows an interim response
// (RFC 9110 section 15.2), so that it is finished with its head.
func (p *parser) endHead(l *lane, m *message) {
	m.inHead = false
	if m.sent {
		return
	}
	m.sent = true
	m.last = p.act(act{kind: actHead, conn: m.conn, from: m.from, msg: m, ex: m.ex})
	if m.from == capture.Server && m.status >= 100 && m.status < 200 && m.status != 101 {
		m.ended = p.line
		l.said = nil
	}
}

// finish ends the message that is being said. now says that it ends at this
// moment, else it ended with the last thing that was said of it.
func (p *parser) finish(l *lane, now bool) {
	m := l.said
	if m == nil {
		return
	}
	m.ended = p.line
	if m.inHead && m.verdict == nil {
		p.endHead(l, m)
		if l.said == nil { // an interim response
			return
		}
	}
	p.seal(l)
	l.said = nil
	if m.grpc && m.from == capture.Server { // its status ends it, or nothing does
		return
	}
	if now && p.play.acts[m.last].at != p.now {
		m.last = p.act(act{kind: actEnd, conn: m.conn, from: m.from, msg: m, ex: m.ex})
	}
	p.play.acts[m.last].ends = true
}

// abandon leaves the message that is being said unfinished.
func (p *parser) abandon(l *lane) {
	if m := l.said; m != nil {
		if m.inHead && m.verdict == nil {
			p.endHead(l, m)
			p.play.acts[m.last].cut = true
			if l.said == nil {
				return
			}
		}
		p.seal(l)
		m.ended = p.line
		l.said = nil
	}
}
