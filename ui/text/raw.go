package text

import (
	"bytes"
	"iter"
	"strings"

	"a2ascope/internal/redact"
	"a2ascope/ui/kit"
)

// Raw shows bytes as the text they are, one line for each of theirs.
type Raw struct {
	text   []byte
	starts []int32 // of the lines indexed so far
	off    int
	role   kit.Role
	mask   redact.Style
}

// NewRaw starts a block over a text.
func NewRaw(body []byte, role kit.Role, mask redact.Style) *Raw {
	return &Raw{text: body, role: role, mask: mask}
}

// maxRawLine bounds a logical line of raw text; a longer one is broken there.
const maxRawLine = 16 << 10

// Grow indexes up to n lines.
func (r *Raw) Grow(n int) {
	for len(r.starts) < n && r.off < len(r.text) {
		r.starts = append(r.starts, int32(r.off))
		rest := r.text[r.off:]
		i := bytes.IndexByte(rest[:min(len(rest), maxRawLine)], '\n')
		if i < 0 {
			i = min(len(rest), maxRawLine) - 1
		}
		r.off += i + 1
	}
}

// Len returns the number of lines indexed so far.
func (r *Raw) Len() (int, bool) { return len(r.starts), r.off >= len(r.text) }

func (r *Raw) source(i int) []byte {
	end := r.off
	if i+1 < len(r.starts) {
		end = int(r.starts[i+1])
	}
	return r.text[r.starts[i]:end]
}

// Line draws a line; its line break is not shown, a carriage return before it neither.
func (r *Raw) Line(i int) Line {
	b := r.source(i)
	b = bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
	s := r.mask.Rest(string(b))
	return Line{Segs: []Seg{{Text: kit.Clean(strings.ReplaceAll(s, "\t", "    ")), Role: r.role}}}
}

// Hex shows bytes sixteen a line: offset, hex, characters.
type Hex struct{ data []byte }

// NewHex starts a block over bytes.
func NewHex(data []byte) *Hex { return &Hex{data} }

// Grow has nothing to do: lines are computed.
func (h *Hex) Grow(int) {}

// Len returns the number of lines.
func (h *Hex) Len() (int, bool) { return (len(h.data) + 15) / 16, true }

// Line draws sixteen bytes.
func (h *Hex) Line(i int) Line {
	const digits = "0123456789abcdef"
	row := h.data[i*16 : min(i*16+16, len(h.data))]
	off := make([]byte, 0, 10)
	top := 20 // six digits, and a row fits beside a list on an ordinary screen
	if len(h.data) > 1<<24 {
		top = 28
	}
	for shift := top; shift >= 0; shift -= 4 {
		off = append(off, digits[(i*16)>>shift&15])
	}
	hex := make([]byte, 0, 50)
	asc := make([]byte, 0, 16)
	for k := range 16 {
		if k == 8 {
			hex = append(hex, ' ')
		}
		if k >= len(row) {
			hex = append(hex, "   "...)
			continue
		}
		c := row[k]
		hex = append(hex, digits[c>>4], digits[c&15], ' ')
		if c < 0x20 || c >= 0x7f {
			c = '.'
		}
		asc = append(asc, c)
	}
	return Line{Segs: []Seg{
		{Text: string(off) + " ", Role: kit.Dim},
		{Text: string(hex)},
		{Text: string(asc), Role: kit.SynString},
	}}
}

// IsText reports whether bytes are mostly readable text.
func IsText(b []byte) bool {
	b = b[:min(len(b), 4096)]
	odd := 0
	for _, c := range b {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != 0x1b || c == 0x7f {
			odd++
		}
	}
	return odd*20 <= len(b) && !bytes.ContainsRune(b, 0)
}

func splitLines(s string) iter.Seq[string] {
	return strings.SplitSeq(strings.TrimRight(s, "\n"), "\n")
}
