package pcap

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"a2ascope/capture"
)

// ownName is what files of this program say of who wrote them. In them, and in
// no others, seven kinds of comments are read back: what TCP cannot say, which
// addresses are made up, what is known of a connection whose bytes are not in the
// file, what the tap did to an answer, and what people said of an exchange or a
// connection.
const ownName = "a2ascope"

// The beginnings of such comments.
const (
	securedMark     = "decrypted"
	unreachableMark = capture.Unreachable
	noteMark        = "note on exchange "
	connNoteMark    = "note on this connection"
	withoutMark     = "connection without HTTP ("
	madeUpMark      = "not the true address of the "
	tapMark         = "note on the answer that follows"
)

// The parts of the first.
const (
	tlsPart   = " TLS "
	namePart  = ", server name "
	alpnPart  = ", ALPN "
	closePart = ": the bytes that follow are the plaintext"
)

// markSecured says that a connection was TLS and what follows is what was in it.
func markSecured(l *capture.Link) string {
	s := securedMark
	if l == nil {
		return s + closePart
	}
	if l.TLS != "" && l.TLS != "yes" {
		s += tlsPart + l.TLS
	}
	if l.ServerName != "" {
		s += namePart + l.ServerName
	}
	if l.ALPN != "" {
		s += alpnPart + l.ALPN
	}
	return s + closePart
}

// readSecured reads what markSecured wrote.
func readSecured(s string) (l capture.Link, ok bool) {
	s, ok = strings.CutPrefix(s, securedMark)
	if !ok {
		return l, false
	}
	if s, ok = strings.CutSuffix(s, closePart); !ok {
		return l, false
	}
	s, l.ALPN, _ = strings.Cut(s, alpnPart)
	s, l.ServerName, _ = strings.Cut(s, namePart)
	l.TLS = "yes"
	if v, ok := strings.CutPrefix(s, tlsPart); ok {
		l.TLS = v
	}
	return l, true
}

// markMadeUp says that an address stands for one that is not known.
func markMadeUp(side capture.Side, addr netip.AddrPort) string {
	return madeUpMark + side.String() + ": " + addr.String()
}

// readMadeUp reads what markMadeUp wrote.
func readMadeUp(s string) (side capture.Side, ok bool) {
	s, ok = strings.CutPrefix(s, madeUpMark)
	who, _, named := strings.Cut(s, ": ")
	if who == capture.Server.String() {
		side = capture.Server
	}
	return side, ok && named && who == side.String()
}

// markWithout says what is known of a connection that carried no HTTP.
func markWithout(info *capture.ConnInfo, l *capture.Link) string {
	s := fmt.Sprintf("%s%s, %d bytes from the client, %d from the server", withoutMark, info.Protocol, info.Sent[capture.Client], info.Sent[capture.Server])
	if l != nil {
		for _, part := range []struct{ name, value string }{{tlsPart, l.TLS}, {namePart, l.ServerName}, {alpnPart, l.ALPN}} {
			if part.value != "" {
				s += "," + strings.TrimPrefix(part.name, ",") + strconv.Quote(part.value)
			}
		}
	}
	return s + "): " + info.Text
}

const quoted = `"((?:[^"\\]|\\.)*)"`

var withoutForm = regexp.MustCompile(`^connection without HTTP \((\w+), (\d+) bytes from the client, (\d+) from the server` +
	`(?:, TLS ` + quoted + `)?(?:, server name ` + quoted + `)?(?:, ALPN ` + quoted + `)?\): ((?s:.*))$`)

// readWithout reads what markWithout wrote; of the link it sets what TLS says.
func readWithout(s string, l *capture.Link) (info *capture.ConnInfo, ok bool) {
	m := withoutForm.FindStringSubmatch(s)
	if m == nil || !slices.Contains(capture.ConnProtocols, m[1]) {
		return nil, false
	}
	info = &capture.ConnInfo{Protocol: m[1], Text: m[7]}
	for i := range info.Sent {
		n, err := strconv.ParseInt(m[2+i], 10, 64)
		if err != nil {
			return nil, false
		}
		info.Sent[i] = n
	}
	for i, to := range []*string{&l.TLS, &l.ServerName, &l.ALPN} {
		*to, _ = strconv.Unquote(`"` + m[4+i] + `"`)
	}
	return info, true
}

// MarkNote is the comment that says what people attached to the n-th exchange of
// a connection, or to one without HTTP (capture.OfConnection).
func MarkNote(n int, note capture.Note) string {
	s := noteMark + strconv.Itoa(n) + " of this connection (" + note.Code + ")"
	if n == capture.OfConnection {
		s = connNoteMark + " (" + note.Code + ")"
	}
	if note.Text != "" {
		s += ": " + note.Text
	}
	return s
}

// readNote reads what MarkNote wrote.
func readNote(s string) (n int32, note *capture.Note, ok bool) {
	if s, ok = strings.CutPrefix(s, connNoteMark+" ("); ok {
		n = capture.OfConnection
	} else {
		var number string
		s, ok = strings.CutPrefix(s, noteMark)
		number, s, _ = strings.Cut(s, " of this connection (")
		nth, _ := strconv.ParseInt(number, 10, 32)
		n, ok = int32(nth), ok && nth > 0
	}
	code, text, closed := strings.Cut(s, ")")
	note = &capture.Note{Code: code, Text: strings.TrimPrefix(text, ": ")}
	return n, note, ok && closed && note.ByPeople()
}

// markTap is the comment that says what the tap did to the answer that the next
// bytes of the server belong to. What the client got instead is not in the file.
func markTap(ch *capture.Chunk) string {
	s := tapMark
	if ch.Stream > 0 {
		s += ", stream " + strconv.FormatUint(uint64(ch.Stream), 10)
	}
	return s + " (" + ch.Note.Code + "): " + ch.Note.Text
}

// readTap reads what markTap wrote.
func readTap(s string) (stream uint32, note *capture.Note, ok bool) {
	s, ok = strings.CutPrefix(s, tapMark)
	of, s, named := strings.Cut(s, " (")
	code, text, closed := strings.Cut(s, "): ")
	if number, is := strings.CutPrefix(of, ", stream "); is {
		n, err := strconv.ParseUint(number, 10, 31)
		stream, ok = uint32(n), ok && err == nil
	} else {
		ok = ok && of == ""
	}
	note = &capture.Note{Code: code, Text: text}
	return stream, note, ok && named && closed && code != "" && !note.ByPeople()
}

// markEnd stands between the marks of one packet: no comment has such a byte.
const markEnd = "\x00"

// isMark reports whether a comment is one that is read back.
func isMark(s string) bool {
	for _, mark := range []string{securedMark, unreachableMark, noteMark, connNoteMark, withoutMark, madeUpMark, tapMark} {
		if strings.HasPrefix(s, mark) {
			return true
		}
	}
	return false
}
