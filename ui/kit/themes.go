package kit

import (
	"strconv"
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// Theme names a set of styles.
type Theme string

// The themes. Auto asks the terminal and picks one of the others.
const (
	Auto  Theme = "auto"
	Dark  Theme = "dark"
	Light Theme = "light"
	Ansi  Theme = "16"   // the terminal's own sixteen colours
	Mono  Theme = "none" // no colour: bold, underline and reverse only
)

// Themes lists what can be chosen.
var Themes = [...]Theme{Auto, Dark, Light, Ansi, Mono}

// look is how a role looks: colours of the 256-colour palette (0: the
// terminal's own, so that black is 16), sixteen-colour codes, and attributes.
type look struct {
	dark, light     uint8
	darkBg, lightBg uint8
	ansi            string // SGR codes of the sixteen-colour theme
	attr            string // in every theme
	mono            string // SGR codes without colour, besides attr
}

// The palette in one table, so that the four themes can be compared at a glance.
var looks = [numRoles]look{
	Dim:        {dark: 245, light: 243, ansi: "90", mono: "2"},
	Bold:       {attr: "1"},
	Title:      {dark: 117, light: 25, ansi: "36", attr: "1"},
	Accent:     {dark: 117, light: 25, ansi: "36"},
	Err:        {dark: 203, light: 160, ansi: "91", attr: "1"},
	Warn:       {dark: 214, light: 130, ansi: "33", attr: "1"},
	Info:       {dark: 111, light: 26, ansi: "94"},
	OK:         {dark: 114, light: 28, ansi: "32"},
	Border:     {dark: 240, light: 248, ansi: "90", mono: "2"},
	Bar:        {dark: 252, light: 236, darkBg: 236, lightBg: 253, ansi: "7", mono: "7"},
	BarStrong:  {dark: 231, light: 16, darkBg: 236, lightBg: 253, ansi: "7", attr: "1", mono: "7"},
	TabOn:      {dark: 16, light: 231, darkBg: 117, lightBg: 25, ansi: "30;46", attr: "1", mono: "7"},
	TabOff:     {dark: 248, light: 240, ansi: "37"},
	Keycap:     {dark: 222, light: 94, ansi: "33", attr: "1"},
	Typed:      {dark: 114, light: 28, ansi: "32"},
	TypedBad:   {dark: 203, light: 160, ansi: "91", mono: "4"},
	ClientSide: {dark: 150, light: 28, ansi: "32"},
	AgentSide:  {dark: 183, light: 91, ansi: "35"},
	Mark:       {dark: 245, light: 243, ansi: "90", attr: "3"},
	Match:      {dark: 16, light: 16, darkBg: 186, lightBg: 229, ansi: "30;43", mono: "4"},
	MatchHere:  {dark: 16, light: 16, darkBg: 215, lightBg: 215, ansi: "30;103", attr: "1", mono: "7"},
	Evidence:   {dark: 231, light: 231, darkBg: 124, lightBg: 160, ansi: "97;41", attr: "1", mono: "7"},
}

// The chroma styles of the two colour themes. Colours are entries of the
// 256-colour palette, written as chroma writes them.
var (
	darkSyntax = chroma.StyleEntries{
		chroma.NameTag: "#87d7ff", chroma.LiteralString: "#afd787", chroma.LiteralNumber: "#ffd787",
		chroma.KeywordConstant: "#d7afff", chroma.Punctuation: "#949494", chroma.NameClass: "#87d7ff",
		chroma.NameAttribute: "#d7af87", chroma.Comment: "#8a8a8a", chroma.Error: "bold #ff5f5f",
	}
	lightSyntax = chroma.StyleEntries{
		chroma.NameTag: "#005faf", chroma.LiteralString: "#008700", chroma.LiteralNumber: "#875f00",
		chroma.KeywordConstant: "#8700af", chroma.Punctuation: "#767676", chroma.NameClass: "#005faf",
		chroma.NameAttribute: "#af5f00", chroma.Comment: "#767676", chroma.Error: "bold #d70000",
	}
	ansiSyntax = map[Role]string{
		SynKey: "36", SynString: "32", SynNumber: "33", SynConst: "35", SynPunct: "90",
		SynTag: "36", SynAttr: "33", SynComment: "90", SynError: "91;1",
	}
	monoSyntax = map[Role]string{SynKey: "1", SynError: "1;4", SynTag: "1"}
)

const (
	darkSel  = 238
	lightSel = 152
)

// NewStyles builds the styles of a theme; Auto gives the dark one.
func NewStyles(t Theme) *Styles {
	s := &Styles{Theme: t}
	var syn *chroma.Style
	switch t {
	case Light:
		syn = chroma.MustNewStyle("light", lightSyntax)
	case Ansi, Mono:
	default:
		s.Theme = Dark
		syn = chroma.MustNewStyle("dark", darkSyntax)
	}
	for r := range numRoles {
		s.norm[r] = looks[r].seq(s.Theme, false)
		s.sel[r] = looks[r].seq(s.Theme, true)
	}
	for _, b := range syntax {
		switch s.Theme {
		case Ansi:
			s.norm[b.role], s.sel[b.role] = sgr(ansiSyntax[b.role]), sgr(ansiSyntax[b.role], "7")
		case Mono:
			s.norm[b.role], s.sel[b.role] = sgr(monoSyntax[b.role]), sgr(monoSyntax[b.role], "7")
		default:
			e := syn.Get(b.tok)
			l := look{dark: index256(e.Colour), light: index256(e.Colour)}
			if e.Bold == chroma.Yes {
				l.attr = "1"
			}
			s.norm[b.role], s.sel[b.role] = l.seq(s.Theme, false), l.seq(s.Theme, true)
		}
	}
	return s
}

func (l look) seq(t Theme, selected bool) string {
	switch t {
	case Mono:
		if selected {
			return sgr(l.attr, "7")
		}
		return sgr(l.attr, l.mono)
	case Ansi:
		if selected { // reverse of the bare colours stays readable on every palette
			return sgr(l.attr, "7")
		}
		return sgr(l.attr, l.ansi)
	case Light:
		bg := l.lightBg
		if selected && bg == 0 {
			bg = lightSel
		}
		return sgr(l.attr, colour("38;5;", l.light), colour("48;5;", bg))
	}
	bg := l.darkBg
	if selected && bg == 0 {
		bg = darkSel
	}
	return sgr(l.attr, colour("38;5;", l.dark), colour("48;5;", bg))
}

func colour(prefix string, n uint8) string {
	if n == 0 {
		return ""
	}
	return prefix + strconv.Itoa(int(n))
}

// sgr joins codes behind a reset.
func sgr(codes ...string) string {
	var b strings.Builder
	b.WriteString("\x1b[")
	first := true
	for _, c := range codes {
		if c == "" {
			continue
		}
		if first {
			b.WriteString("0")
			first = false
		}
		b.WriteByte(';')
		b.WriteString(c)
	}
	b.WriteByte('m')
	return b.String()
}

// index256 returns the palette entry nearest to a colour of the 6x6x6 cube or the grey ramp.
func index256(c chroma.Colour) uint8 {
	if !c.IsSet() {
		return 0
	}
	r, g, b := c.Red(), c.Green(), c.Blue()
	if r == g && g == b && r > 4 && r < 247 && (r-8)%10 == 0 {
		return 232 + (r-8)/10
	}
	return 16 + 36*cube(r) + 6*cube(g) + cube(b)
}

func cube(v uint8) uint8 {
	if v < 48 {
		return 0
	}
	if v < 115 {
		return 1
	}
	return (v - 35) / 40
}
