package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"a2ascope/diagnose"
	"a2ascope/internal/lang"
	"a2ascope/internal/session"
)

// headline counts what a file holds.
func (f *FileReport) headline(w lang.Report) string {
	parts := []string{}
	if f.Format != "" {
		parts = append(parts, f.Format)
	}
	if f.Packets > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", f.Packets, w.Packets))
	}
	return strings.Join(append(parts, fmt.Sprintf("%d %s", f.Conns, w.Connections), fmt.Sprintf("%d %s", f.Exchanges, w.Exchanges)), " · ")
}

// otherLine names a connection on which no HTTP was read.
func otherLine(row *session.Row) string {
	s := row.Conn.Protocol
	if l := row.Link; l != nil {
		if l.Client.IsValid() {
			s += " " + l.Client.String()
		}
		switch {
		case l.Server.IsValid() && l.ServerName != "":
			s += " → " + l.Server.String() + " (" + l.ServerName + ")"
		case l.Server.IsValid():
			s += " → " + l.Server.String()
		case l.ServerName != "":
			s += " → " + l.ServerName
		}
	}
	if row.Conn.Text != "" {
		s += ", " + row.Conn.Text
	}
	return clean(fmt.Sprintf("%s, %d + %d bytes", s, row.Conn.Sent[0], row.Conn.Sent[1]))
}

// label names a row: an exchange by its number, a connection that failed by its own.
func (row *RowReport) label(w lang.Report) string {
	if row.Conn != nil {
		return w.Connection + " " + strconv.Itoa(row.ConnNo)
	}
	return "#" + strconv.Itoa(row.Number)
}

func joinInts(ns []int) string {
	s := make([]string, len(ns))
	for i, n := range ns {
		s[i] = strconv.Itoa(n)
	}
	return strings.Join(s, ", ")
}

func join(list []string) string { return strings.Join(list, ", ") }

func numberText(n *int) string {
	if n == nil {
		return "?"
	}
	return strconv.Itoa(*n)
}

func cells(s string) int { return runewidth.StringWidth(s) }

// wrap breaks text at spaces, and between wide characters (Chinese has no
// spaces), so that lines stay within width cells. Line breaks of the text stay.
func wrap(text string, width int) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		wrapLine(&b, line, width)
	}
	return b.String()
}

func wrapLine(b *strings.Builder, line string, width int) {
	start, used, breakAt := 0, 0, -1 // breakAt: where the line may end
	for i, r := range line {
		w := runewidth.RuneWidth(r)
		if used+w > width && breakAt > start {
			b.WriteString(strings.TrimRight(line[start:breakAt], " "))
			b.WriteByte('\n')
			start = breakAt
			used = cells(line[start:i])
		}
		used += w
		if r == ' ' || w == 2 && !strings.ContainsRune(closingMarks, next(line, i, r)) {
			breakAt = i + utf8.RuneLen(r)
		}
	}
	b.WriteString(line[start:])
}

// closingMarks must not begin a line in Chinese.
const closingMarks = "，。、；：？！）】》”’%"

func next(s string, i int, r rune) rune {
	n, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
	return n
}

// clean replaces control characters and bidirectional overrides: captured
// bytes must not steer the terminal that shows a report.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return '\uFFFD'
		}
		return r
	}, s)
}

// standing says what became of a finding: recovered, and how often it was seen.
func (f *FileReport) standing(fd *diagnose.Finding, w lang.Report) (parts []string) {
	if fd.RecoveredBy != nil {
		if n := f.number(*fd.RecoveredBy); n != nil {
			parts = append(parts, fmt.Sprintf(w.Recovered, *n))
		}
	}
	if fd.Count > 1 {
		parts = append(parts, fmt.Sprintf(w.Folded, fd.Count))
	}
	return parts
}

// text is the summary in a line.
func (s Summary) text(w lang.Report) string {
	return fmt.Sprintf(w.Summary, s.Errors, s.Warnings, s.Infos, s.Exchanges, s.A2A, s.Files)
}
