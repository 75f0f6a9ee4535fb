package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// none stands for "unknown" in the lists of for.
const none = "none"

// The words a rule file may use.
var (
	checkpointWords = []string{string(decode.AtRequest), string(decode.AtResponse), string(decode.AtFrame), string(decode.AtSilent), string(decode.AtEnd), string(decode.AtCard)}
	kindWords       = []string{string(spec.KindCall), string(spec.KindCard), string(spec.KindPush), string(spec.KindPreflight), string(spec.KindInfra), string(spec.KindConnection), string(spec.KindOther)}
	bindingWords    = []string{string(spec.JSONRPC), string(spec.HTTPJSON), string(spec.GRPC), none}
	operationWords  = []string{
		string(spec.SendMessage), string(spec.SendStreamingMessage), string(spec.GetTask), string(spec.ListTasks), string(spec.CancelTask),
		string(spec.SubscribeToTask), string(spec.CreatePushConfig), string(spec.GetPushConfig), string(spec.ListPushConfigs),
		string(spec.DeletePushConfig), string(spec.GetExtendedAgentCard), string(spec.GetAgentCard), none,
	}
	outcomeWords = []string{
		string(spec.OK), string(spec.A2AError), string(spec.StdError), string(spec.HTTPError), string(spec.ForeignError),
		string(spec.TransportError), string(spec.Truncated), string(spec.NoResponse), none,
	}
	versionWords  = []string{string(spec.V01), string(spec.V02), string(spec.V03), string(spec.V10Draft), string(spec.V10), string(spec.Mixed), none}
	severityWords = []string{string(Error), string(Warning), string(Info)}
	blameWords    = []string{string(BlameClient), string(BlameServer), string(BlameHop), string(BlameEither), string(BlameNone), string(BlameTool)}
	sureWords     = []string{string(decode.Certain), string(decode.Likely), string(decode.Possible)}
)

// loader reads one rule file.
type loader struct {
	builtIn bool
	r       *Rule
	errs    []error
	letAt   []*yaml.Node
	texts   []textNode
}

// textNode is a text in both languages as it stands in the file.
type textNode struct{ en, zh *yaml.Node }

func (l *loader) fail(line, col int, text string) {
	l.errs = append(l.errs, &RuleError{File: l.r.src.file, Line: line, Col: col, Text: text})
}

func (l *loader) errf(n *yaml.Node, format string, args ...any) {
	l.fail(n.Line, n.Column, fmt.Sprintf(format, args...))
}

// at maps a byte offset of a scalar's value to its place in the file.
func (l *loader) at(n *yaml.Node, offset int) (line, col int) {
	return l.r.src.locate(exprAt{n.Line, n.Column, n.Style}, n.Value, offset)
}

// str reads a scalar.
func (l *loader) str(v *yaml.Node) string {
	if v.Kind != yaml.ScalarNode {
		l.errf(v, "one word or sentence is expected here, not a %s", kindName(v))
		return ""
	}
	if strings.TrimSpace(v.Value) == "" {
		l.errf(v, "the value is empty")
		return ""
	}
	return v.Value
}

// expr reads a CEL expression and remembers where it stands.
func (l *loader) expr(v *yaml.Node, key string) string {
	s := l.str(v)
	l.r.src.exprs[key] = exprAt{v.Line, v.Column, v.Style}
	return s
}

func (l *loader) flag(v *yaml.Node) bool {
	if v.Kind != yaml.ScalarNode || v.Value != "true" && v.Value != "false" {
		l.errf(v, "true or false is expected here")
	}
	return v.Value == "true"
}

// ref reads the id of another rule; whether it exists is known when all are read.
func (l *loader) ref(v *yaml.Node, key string) string {
	id := l.str(v)
	if id != "" {
		l.r.src.refs = append(l.r.src.refs, reference{key, id, v.Line, v.Column})
	}
	return id
}

// word reads one word of a list.
func (l *loader) word(v *yaml.Node, what string, words []string) string {
	s := l.str(v)
	if s == "" || slices.Contains(words, s) {
		return s
	}
	l.errf(v, "'%s' is not %s (%s)%s", s, what, strings.Join(words, ", "), didYouMean(s, words))
	return ""
}

// words reads a word or a list of words.
func (l *loader) words(v *yaml.Node, what string, words []string) []string {
	if v.Kind == yaml.ScalarNode {
		if s := l.word(v, what, words); s != "" {
			return []string{s}
		}
		return nil
	}
	var list []string
	for _, n := range l.seq(v) {
		if s := l.word(n, what, words); s != "" {
			list = append(list, s)
		}
	}
	if len(v.Content) == 0 {
		l.errf(v, "the list is empty")
	}
	return list
}

func (l *loader) seq(v *yaml.Node) []*yaml.Node {
	if v.Kind != yaml.SequenceNode {
		l.errf(v, "a list is expected here: [a, b]")
		return nil
	}
	return v.Content
}

// fields walks a mapping; take returns false for a key it does not know.
func (l *loader) fields(v *yaml.Node, what string, take func(k, val *yaml.Node) bool, names ...string) {
	if v.Kind != yaml.MappingNode {
		l.errf(v, "'%s' is a list of 'key: value', not a %s", what, kindName(v))
		return
	}
	var seen []string
	for i := 0; i+1 < len(v.Content); i += 2 {
		k := v.Content[i]
		if slices.Contains(seen, k.Value) {
			l.errf(k, "key '%s' is there twice", k.Value)
			continue
		}
		seen = append(seen, k.Value)
		if !take(k, v.Content[i+1]) {
			l.errf(k, "unknown key '%s' in '%s'%s", k.Value, what, didYouMean(k.Value, names))
		}
	}
}

// text reads a text in both languages. A user's rule may have one language,
// or a plain string, which is taken as English.
func (l *loader) text(v *yaml.Node, what string) Text {
	var t Text
	var at textNode
	if v.Kind == yaml.ScalarNode && !l.builtIn {
		t.EN, at.en = l.str(v), v
		l.texts = append(l.texts, at)
		return t
	}
	before := len(l.errs)
	l.fields(v, what, func(k, val *yaml.Node) bool {
		switch k.Value {
		case "en":
			t.EN, at.en = strings.TrimRight(l.str(val), "\n"), val
		case "zh":
			t.ZH, at.zh = unfoldChinese(strings.TrimRight(l.str(val), "\n")), val
		default:
			return false
		}
		return true
	}, "en", "zh")
	l.texts = append(l.texts, at)
	if len(l.errs) > before {
		return t
	}
	switch {
	case l.builtIn && at.en == nil:
		l.errf(v, "'%s' has no 'en'", what)
	case l.builtIn && at.zh == nil:
		l.errf(v, "'%s' has no 'zh'", what)
	case at.en == nil && at.zh == nil:
		l.errf(v, "'%s' has neither 'en' nor 'zh'", what)
	case at.en == nil:
		t.EN = t.ZH
	}
	return t
}

// unfoldChinese removes the space that folding a YAML text leaves where a line
// ended with a full-width mark: Chinese has none there.
func unfoldChinese(s string) string {
	for _, mark := range []string{"，", "。", "；", "：", "！", "？", "、", "）", "”", "》"} {
		s = strings.ReplaceAll(s, mark+" ", mark)
	}
	return s
}

func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

func kindName(v *yaml.Node) string {
	switch v.Kind {
	case yaml.MappingNode:
		return "mapping"
	case yaml.SequenceNode:
		return "list"
	case yaml.AliasNode:
		return "reference"
	}
	return "single value"
}

// locate maps a byte offset of a scalar's value to a line and a column (both
// from 1, columns in characters) of the file.
func (s *ruleSource) locate(at exprAt, value string, offset int) (line, col int) {
	offset = min(max(offset, 0), len(value))
	if at.style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && at.line-1 < len(s.lines) {
		// On one line, maybe in quotes. (Quoted text with escapes, or over
		// several lines, is found to the line only.)
		raw := s.lines[at.line-1]
		start := byteOfColumn(raw, at.col)
		if at.style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			start++
		}
		if start <= len(raw) && strings.HasPrefix(raw[start:], value) {
			return at.line, at.col + start - byteOfColumn(raw, at.col) + runes(value[:offset])
		}
	}
	if at.style&yaml.LiteralStyle != 0 {
		n := strings.Count(value[:offset], "\n")
		line = at.line + 1 + n
		return line, s.indent(at.line) + 1 + runes(value[strings.LastIndexByte(value[:offset], '\n')+1:offset])
	}
	return s.locateFolded(at, value, offset)
}

// locateFolded walks the lines that were joined into the value.
func (s *ruleSource) locateFolded(at exprAt, value string, offset int) (line, col int) {
	i, skip := at.line-1, 0
	if at.style&yaml.FoldedStyle != 0 {
		i++
	} else if i < len(s.lines) {
		skip = byteOfColumn(s.lines[i], at.col)
		if at.style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			skip++
		}
	}
	pos := 0
	for ; i < len(s.lines); i++ {
		raw := s.lines[i]
		raw = raw[min(skip, len(raw)):]
		lead := len(raw) - len(strings.TrimLeft(raw, " "))
		part := strings.TrimSpace(raw)
		if at := strings.Index(value[pos:], part); at >= 0 && part != "" {
			pos += at
			if offset <= pos+len(part) {
				return i + 1, runes(s.lines[i][:min(skip, len(s.lines[i]))]) + lead + 1 + runes(part[:max(0, offset-pos)])
			}
			pos += len(part)
		} else if part != "" {
			break
		}
		skip = 0
	}
	return at.line, at.col
}

// indent is that of a block's content: of its first line with text.
func (s *ruleSource) indent(line int) int {
	for _, raw := range s.lines[min(line, len(s.lines)):] {
		if t := strings.TrimLeft(raw, " "); t != "" && t != "\r" {
			return len(raw) - len(t)
		}
	}
	return 0
}

func runes(s string) int { return len([]rune(s)) }

// byteOfColumn returns the byte offset of a column counted in characters from 1.
func byteOfColumn(s string, col int) int {
	for i := range s {
		if col--; col == 0 {
			return i
		}
	}
	return len(s)
}
