package kit

import "github.com/alecthomas/chroma/v2"

// Role is the purpose of a piece of text. The theme decides how it looks.
type Role uint8

// The roles.
const (
	Plain Role = iota
	Dim
	Bold
	Title  // head of a section
	Accent // numbers, names the eye looks for
	Err
	Warn
	Info
	OK
	Border
	Bar       // status and title line
	BarStrong // emphasised in the bar
	TabOn
	TabOff
	Keycap // a key in hints and help
	Typed  // a line being typed
	TypedBad
	ClientSide // what the client sent
	AgentSide  // what the agent sent
	Mark       // stand-ins, notes of this program inside captured text
	Match      // found by search
	MatchHere  // the match the search stands on
	Evidence   // what a finding points at

	// Syntax; the colours come from the chroma style of the theme.
	SynKey
	SynString
	SynNumber
	SynConst
	SynPunct
	SynTag
	SynAttr
	SynComment
	SynError
	numRoles
)

// syntax binds the syntax roles to chroma's token types.
var syntax = [...]struct {
	role Role
	tok  chroma.TokenType
}{
	{SynKey, chroma.NameTag},
	{SynString, chroma.LiteralString},
	{SynNumber, chroma.LiteralNumber},
	{SynConst, chroma.KeywordConstant},
	{SynPunct, chroma.Punctuation},
	{SynTag, chroma.NameClass},
	{SynAttr, chroma.NameAttribute},
	{SynComment, chroma.Comment},
	{SynError, chroma.Error},
}

// RoleOf returns the role of a chroma token, for bodies that a chroma lexer reads.
func RoleOf(t chroma.TokenType) Role {
	switch {
	case t == chroma.NameTag:
		return SynTag
	case t == chroma.NameAttribute:
		return SynAttr
	case t == chroma.Error:
		return SynError
	case t.InCategory(chroma.Comment):
		return SynComment
	case t.InSubCategory(chroma.LiteralString):
		return SynString
	case t.InSubCategory(chroma.LiteralNumber):
		return SynNumber
	case t.InCategory(chroma.Keyword):
		return SynConst
	case t.InCategory(chroma.Punctuation), t.InCategory(chroma.Operator):
		return SynPunct
	}
	return Plain
}

// Styles are the SGR sequences of a theme, one per role: each resets what was
// before it, so that one sequence is enough between two pieces.
type Styles struct {
	Theme Theme
	norm  [numRoles]string
	sel   [numRoles]string // the same on the selected row
}

// Reset ends a styled row.
const Reset = "\x1b[m"

// Seq returns the sequence of a role.
func (s *Styles) Seq(r Role) string { return s.norm[r] }

// SeqOn returns the sequence of a role, on the selected row where on is true.
func (s *Styles) SeqOn(r Role, on bool) string {
	if on {
		return s.sel[r]
	}
	return s.norm[r]
}

// Paint returns the text in a role.
func (s *Styles) Paint(r Role, text string) string { return s.norm[r] + text + Reset }

// Severity returns the role of a severity word.
func Severity(rank int) Role {
	switch rank {
	case 3:
		return Err
	case 2:
		return Warn
	case 1:
		return Info
	}
	return Dim
}
