package text

import "a2ascope/ui/kit"

// Seg is clean text in one role.
type Seg = kit.Piece

// Line is one logical line.
type Line struct {
	Segs   []Seg
	Hang   int        // cells by which continuation rows are indented
	Link   kit.Intent // nil: the line leads nowhere
	Gutter bool       // marked as evidence at the left edge
}

// Block is a part of a document. Lines are made on demand: Grow makes sure
// that lines up to n are known where there are that many.
type Block interface {
	Grow(n int)
	Len() (known int, all bool)
	Line(i int) Line
}

// rawLiner is a block that can say cheaply whether a line holds some text.
type rawLiner interface {
	source(i int) []byte
}

// Doc is a document.
type Doc struct{ blocks []Block }

// NewDoc joins blocks to a document.
func NewDoc(blocks ...Block) *Doc { return &Doc{blocks} }

// Pos is a row of a document: block, line, and row inside the wrapped line.
type Pos struct{ Block, Line, Row int }

func (p Pos) before(q Pos) bool {
	if p.Block != q.Block {
		return p.Block < q.Block
	}
	if p.Line != q.Line {
		return p.Line < q.Line
	}
	return p.Row < q.Row
}

func (p Pos) line() Pos { return Pos{p.Block, p.Line, 0} }

// has reports whether the line exists, making it known where it does.
func (d *Doc) has(p Pos) bool {
	if d == nil || p.Block < 0 || p.Block >= len(d.blocks) || p.Line < 0 {
		return false
	}
	b := d.blocks[p.Block]
	b.Grow(p.Line + 1)
	n, _ := b.Len()
	return p.Line < n
}

// first returns the first line, ok false for an empty document.
func (d *Doc) first() (Pos, bool) { return d.next(Pos{Line: -1}) }

// next returns the line after p.
func (d *Doc) next(p Pos) (Pos, bool) {
	if d == nil {
		return Pos{}, false
	}
	q := Pos{p.Block, p.Line + 1, 0}
	for q.Block < len(d.blocks) {
		if d.has(q) {
			return q, true
		}
		q = Pos{q.Block + 1, 0, 0}
	}
	return p, false
}

// prev returns the line before p.
func (d *Doc) prev(p Pos) (Pos, bool) {
	if d == nil {
		return Pos{}, false
	}
	if p.Line > 0 {
		return Pos{p.Block, p.Line - 1, 0}, true
	}
	for b := p.Block - 1; b >= 0; b-- {
		if n, _ := d.blocks[b].Len(); n > 0 {
			return Pos{b, n - 1, 0}, true
		}
	}
	return p, false
}

// last reads the document to its end and returns the last line.
func (d *Doc) last() (Pos, bool) {
	if d == nil {
		return Pos{}, false
	}
	for b := len(d.blocks) - 1; b >= 0; b-- {
		d.blocks[b].Grow(1 << 30)
		if n, _ := d.blocks[b].Len(); n > 0 {
			// Blocks before it must be known too, so that prev can walk into them.
			for i := range b {
				d.blocks[i].Grow(1 << 30)
			}
			return Pos{b, n - 1, 0}, true
		}
	}
	return Pos{}, false
}

// Line returns a line, empty when it is not there.
func (d *Doc) Line(p Pos) Line {
	if !d.has(p) {
		return Line{}
	}
	return d.blocks[p.Block].Line(p.Line)
}

// Static is a block of ready lines.
type Static struct{ lines []Line }

// Add appends a line.
func (s *Static) Add(segs ...Seg) *Static {
	s.lines = append(s.lines, Line{Segs: segs})
	return s
}

// AddLine appends a line with everything a line can have.
func (s *Static) AddLine(l Line) *Static {
	s.lines = append(s.lines, l)
	return s
}

// Text appends prose in one role, one line for each of its lines, all hanging.
func (s *Static) Text(role kit.Role, indent int, prose string) *Static {
	for line := range splitLines(prose) {
		s.lines = append(s.lines, Line{
			Segs: []Seg{{Text: kit.Spaces(indent) + kit.Clean(line), Role: role}}, Hang: indent,
		})
	}
	return s
}

// Blank appends an empty line, but never two in a row nor one at the top of the block.
func (s *Static) Blank() *Static {
	if n := len(s.lines); n > 0 && len(s.lines[n-1].Segs) > 0 {
		s.lines = append(s.lines, Line{})
	}
	return s
}

// Grow has nothing to do: the lines are there.
func (s *Static) Grow(int) {}

// Len returns the number of lines.
func (s *Static) Len() (int, bool) { return len(s.lines), true }

// Line returns a line.
func (s *Static) Line(i int) Line { return s.lines[i] }
