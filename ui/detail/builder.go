package detail

import (
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/diagnose"
	"a2ascope/internal/jsontree"
	"a2ascope/internal/lang"
	"a2ascope/internal/redact"
	"a2ascope/ui/kit"
	"a2ascope/ui/text"
)

// builder makes the document of a tab, and remembers where places went.
type builder struct {
	p      kit.Props
	w      *lang.Words
	mask   redact.Style // of what is shown
	blocks []text.Block
	marks
}

// static returns the block of ready lines at the end of the document.
func (b *builder) static() *text.Static {
	if n := len(b.blocks); n > 0 {
		if s, ok := b.blocks[n-1].(*text.Static); ok {
			return s
		}
	}
	s := &text.Static{}
	if len(b.blocks) > 0 { // room below a body
		s.AddLine(text.Line{})
	}
	b.blocks = append(b.blocks, s)
	return s
}

// here returns the position of the next line added to the static block.
func (b *builder) here() text.Pos {
	n, _ := b.static().Len()
	return text.Pos{Block: len(b.blocks) - 1, Line: n}
}

func (b *builder) title(s string) { b.static().Blank().Add(text.Seg{Text: s, Role: kit.Title}) }

// body adds a JSON body of a side, with the evidence in it highlighted; a body
// that is no JSON is shown as what it is.
func (b *builder) body(side capture.Side, frame int) {
	c := b.p.Row.Call()
	var here []decode.Place
	for _, place := range b.evidence() {
		if s, kind, _, n, _ := kit.SplitPlace(place); kind == "frame" && s == kit.SideName(side) && n == frame {
			here = append(here, place)
		}
	}
	data, doc := kit.FrameBody(c, side, frame, len(here) > 0)
	if doc == nil && !kit.LooksJSON(data) {
		b.foreign(data, side)
		return
	}
	j := text.NewJSON(data, b.mask, b.w.ValueCut)
	block := len(b.blocks)
	b.blocks = append(b.blocks, j)
	b.bodies[decode.FramePlace(kit.SideName(side), frame, "")] = body{block, j}
	for _, place := range here {
		_, _, _, _, ptr := kit.SplitPlace(place)
		node := nearest(doc.Root(), ptr)
		if ptr != "" { // a document that is marked from end to end points at nothing
			j.Mark(node)
		}
		b.at[place] = text.Pos{Block: block, Line: j.LineOf(node)}
	}
	if doc != nil && doc.Err != nil {
		b.static().Blank().Text(kit.Warn, 0, b.w.NotJSON(doc.Err.Offset, kit.Clean(doc.Err.Text)))
	}
}

// nearest follows a pointer as far as it leads: evidence may name a member that is missing.
func nearest(n jsontree.Node, ptr string) jsontree.Node {
	for {
		if at := n.Pointer(ptr); at.Exists() {
			return at
		}
		i := strings.LastIndexByte(ptr, '/')
		if i < 0 {
			return n
		}
		ptr = ptr[:i]
	}
}

// foreign adds a body that is no JSON.
func (b *builder) foreign(data []byte, side capture.Side) {
	var h *capture.Head
	if side == capture.Client {
		h = b.p.Row.Call().Exchange.Request
	} else {
		h = b.p.Row.Call().Exchange.Response
	}
	switch {
	case len(data) == 0:
		b.static().Text(kit.Dim, 0, b.w.NoBody)
	case !text.IsText(data):
		b.blocks = append(b.blocks, text.NewHex(data))
	case strings.Contains(h.MediaType(), "html") || strings.Contains(h.MediaType(), "xml") || data[0] == '<':
		b.blocks = append(b.blocks, text.NewMarkup(data, b.mask)...)
	default:
		b.blocks = append(b.blocks, text.NewRaw(data, kit.Plain, b.mask))
	}
}

// evidence lists the places that the findings of the exchange point at.
func (b *builder) evidence() []decode.Place {
	var out []decode.Place
	for _, f := range b.p.Row.Findings {
		for _, e := range f.Evidence {
			out = append(out, e.Place)
		}
	}
	return out
}

// evidenceAt reports whether a finding points at exactly this place.
func (b *builder) evidenceAt(p decode.Place) bool {
	for _, e := range b.evidence() {
		if e == p {
			return true
		}
	}
	return false
}

// value is a captured value as it may be shown, on one line.
func (b *builder) value(e diagnose.Evidence) string {
	return kit.OneLine(e.Shown(!b.p.Redact), 300)
}

func (b *builder) header(name, v string) string {
	return kit.Clean(b.mask.Header(name, v))
}

func (b *builder) text(s string) string {
	return kit.Clean(b.mask.Text(s))
}
