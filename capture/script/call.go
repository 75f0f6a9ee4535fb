package script

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"a2ascope/capture"
)

// codes are the gRPC status codes by number.
var codes = []string{"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL",
	"UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"}

// grpcLine takes a line of a gRPC call: metadata until the first message or the
// empty line, then messages, then (server) the status and what belongs to it.
func (p *parser) grpcLine(l *lane, m *message, form byte, pc piece) {
	text := string(pc.text)
	word, arg, _ := strings.Cut(text, " ")
	server := m.from == capture.Server
	switch {
	case form == '.':
		p.fail(1, "a gRPC message is one line of JSON, or bytes after '"+p.text[:1]+"x'")
	case m.verdict != nil && form == 0:
		p.afterStatus(m, word, arg, text)
	case m.verdict != nil:
		p.fail(0, "the call ended with the status of line "+itoa(m.verdict.line))
	case form == 'x', strings.HasPrefix(text, "{"):
		if form == 0 && !p.validJSON(text, 2) {
			return
		}
		p.endHead(l, m)
		m.open = append(m.open, pc)
		l.said = m
		p.seal(l)
	case server && word == "status":
		p.status(l, m, arg)
	case server && text == "headers" && m.inHead:
		m.explicit = true
	case text == "" && m.inHead:
		p.endHead(l, m)
	case m.inHead:
		name, value, ok := cutField(text)
		if !ok {
			p.fail(2, "metadata ('name: value') or a message (one line of JSON) expected")
			return
		}
		m.fields = append(m.fields, field{name, value})
	default:
		p.fail(2, "a message (one line of JSON) expected")
	}
}

// status reads 'status CODE [text]' and ends the call.
func (p *parser) status(l *lane, m *message, arg string) {
	word, text, _ := strings.Cut(strings.TrimSpace(arg), " ")
	code := -1
	if n, err := strconv.Atoi(word); err == nil && n >= 0 && n < 1000 {
		code = n
	}
	for n, name := range codes {
		if strings.EqualFold(name, word) {
			code = n
		}
	}
	if code < 0 {
		p.fail(len("< status "), "a gRPC status expected, such as '0', '5 no such task' or 'NOT_FOUND no such task'")
		return
	}
	if m.inHead && (m.explicit || len(m.fields) > 0) {
		p.endHead(l, m)
	}
	m.inHead = false
	m.verdict = &verdict{line: p.line, code: code, text: strings.TrimSpace(text)}
	m.last = p.act(act{kind: actVerdict, conn: m.conn, from: m.from, msg: m, ex: m.ex})
}

// afterStatus takes the lines that belong to the status.
func (p *parser) afterStatus(m *message, word, arg, text string) {
	if word == "details" {
		if !p.validJSON(arg, len("< details ")) {
			return
		}
		b, err := encodeDetails([]byte(arg))
		if err != nil {
			p.fail(len("< details "), err.Error())
			return
		}
		m.verdict.details = append(m.verdict.details, b...)
		return
	}
	name, value, ok := cutField(text)
	if !ok {
		p.fail(2, "after the status come 'details {…}' and 'name: value'; an empty line ends the call")
		return
	}
	m.verdict.extra = append(m.verdict.extra, field{name, value})
}

// validJSON reports text that is no JSON at its place in the line.
func (p *parser) validJSON(text string, at int) bool {
	var v json.RawMessage
	err := json.Unmarshal([]byte(text), &v)
	if err == nil {
		return true
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at += max(int(syntax.Offset)-1, 0)
	}
	p.fail(at, "this is no JSON: "+err.Error())
	return false
}
