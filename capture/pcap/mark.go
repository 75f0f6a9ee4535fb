package pcap

import (
	"strconv"
	"strings"

	"a2ascope/capture"
)

// ownName is what files of this program say of who wrote them. In them, and in
// no others, four kinds of comments are read back: what TCP cannot say, what the
// tap did to an answer, and what people said of an exchange.
const ownName = "a2ascope"

// The beginnings of such comments.
const (
	securedMark     = "decrypted"
	unreachableMark = capture.Unreachable
	noteMark        = "note on exchange "
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

// MarkNote is the comment that says what people attached to the n-th exchange of
// a connection.
func MarkNote(n int, note capture.Note) string {
	s := noteMark + strconv.Itoa(n) + " of this connection (" + note.Code + ")"
	if note.Text != "" {
		s += ": " + note.Text
	}
	return s
}

// readNote reads what MarkNote wrote.
func readNote(s string) (n int, note *capture.Note, ok bool) {
	s, ok = strings.CutPrefix(s, noteMark)
	number, s, of := strings.Cut(s, " of this connection (")
	code, text, closed := strings.Cut(s, ")")
	n, err := strconv.Atoi(number)
	note = &capture.Note{Code: code, Text: strings.TrimPrefix(text, ": ")}
	return n, note, ok && of && closed && err == nil && n > 0 && note.ByPeople()
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
	return strings.HasPrefix(s, securedMark) || strings.HasPrefix(s, unreachableMark) || strings.HasPrefix(s, noteMark) || strings.HasPrefix(s, tapMark)
}
