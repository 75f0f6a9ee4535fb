package text

import (
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"

	"a2ascope/internal/redact"
	"a2ascope/ui/kit"
)

// htmlLexer reads the error pages of gateways and login pages. It is built on
// first use: such bodies are rare, and chroma's own collection of lexers costs
// 14 ms at every start.
var htmlLexer = sync.OnceValue(func() chroma.Lexer {
	l, err := chroma.NewLexer(&chroma.Config{Name: "markup", DotAll: true}, func() chroma.Rules {
		return chroma.Rules{
			"root": {
				{Pattern: `<!--.*?-->`, Type: chroma.Comment},
				{Pattern: `<![^>]*>|<\?.*?\?>`, Type: chroma.CommentPreproc},
				{Pattern: `&\S*?;`, Type: chroma.NameEntity},
				{Pattern: `(</?)([\w:.-]+)`, Type: chroma.ByGroups(chroma.Punctuation, chroma.NameTag), Mutator: chroma.Push("tag")},
				{Pattern: `[^<&]+|[<&]`, Type: chroma.Text},
			},
			"tag": {
				{Pattern: `\s+`, Type: chroma.Text},
				{Pattern: `([\w:.-]+)(\s*)(=)`, Type: chroma.ByGroups(chroma.NameAttribute, chroma.Text, chroma.Operator)},
				{Pattern: `"[^"]*"|'[^']*'`, Type: chroma.LiteralString},
				{Pattern: `/?>`, Type: chroma.Punctuation, Mutator: chroma.Pop(1)},
				{Pattern: `[^\s"'>/=]+|.`, Type: chroma.Text},
			},
		}
	})
	if err != nil {
		return nil
	}
	return l
})

// maxMarkup bounds what is coloured; the rest of a body follows as plain text.
const maxMarkup = 32 << 10

// NewMarkup shows an HTML or XML body.
func NewMarkup(body []byte, mask redact.Style) []Block {
	head := body[:min(len(body), maxMarkup)]
	s := mask.Rest(string(head))
	lexer := htmlLexer()
	if lexer == nil {
		return []Block{NewRaw(body, kit.Plain, mask)}
	}
	it, err := lexer.Tokenise(nil, s)
	if err != nil {
		return []Block{NewRaw(body, kit.Plain, mask)}
	}
	st := &Static{}
	var segs []Seg
	for tok := it(); tok != chroma.EOF; tok = it() {
		role := kit.RoleOf(tok.Type)
		for {
			line, rest, more := strings.Cut(tok.Value, "\n")
			if t := kit.Clean(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    ")); t != "" {
				segs = append(segs, Seg{Text: t, Role: role})
			}
			if !more {
				break
			}
			st.AddLine(Line{Segs: segs})
			segs, tok.Value = nil, rest
		}
	}
	if len(segs) > 0 {
		st.AddLine(Line{Segs: segs})
	}
	blocks := []Block{st}
	if len(head) < len(body) {
		blocks = append(blocks, NewRaw(body[len(head):], kit.Plain, mask))
	}
	return blocks
}
