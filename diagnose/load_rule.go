package diagnose

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"a2ascope/decode"
)

// ruleSource is what is kept of a file to point at its lines later.
type ruleSource struct {
	file     string
	lines    []string
	exprs    map[string]exprAt // "if", "unless", "let.method", "let.method.zh", "escalate.0", "silences_if.0", "table.0"
	refs     []reference
	evidence []exprAt
}

type reference struct {
	key, id   string
	line, col int
}

// exprAt is where an expression stands in its file.
type exprAt struct {
	line, col int
	style     yaml.Style
}

// ruleKey is a key of a rule file. Order is that of the documentation.
type ruleKey struct {
	name     string
	required bool
	read     func(l *loader, v *yaml.Node)
}

// ruleKeys returns the keys a rule file may have.
func ruleKeys() []ruleKey {
	return []ruleKey{
		{"at", true, func(l *loader, v *yaml.Node) {
			for _, s := range l.words(v, "a checkpoint", checkpointWords) {
				l.r.At = append(l.r.At, decode.Checkpoint(s))
			}
		}},
		{"for", true, (*loader).readFor},
		{"if", false, func(l *loader, v *yaml.Node) { l.r.If = l.expr(v, "if") }},
		{"unless", false, func(l *loader, v *yaml.Node) { l.r.Unless = l.expr(v, "unless") }},
		{"check", false, func(l *loader, v *yaml.Node) {
			l.r.Check = l.str(v)
			if _, ok := checkByName(l.r.Check); !ok {
				l.errf(v, "unknown check '%s'%s", l.r.Check, didYouMean(l.r.Check, checkNames()))
			}
		}},
		{"let", false, (*loader).readLet},
		{"severity", true, func(l *loader, v *yaml.Node) { l.r.Severity = Severity(l.word(v, "a severity", severityWords)) }},
		{"escalate", false, (*loader).readEscalate},
		{"blame", true, func(l *loader, v *yaml.Node) { l.r.Blame = Blame(l.word(v, "a side", blameWords)) }},
		{"sure", true, func(l *loader, v *yaml.Node) { l.r.Sure = decode.Sure(l.word(v, "a grade", sureWords)) }},
		{"table", false, (*loader).readTable},
		{"silences", false, func(l *loader, v *yaml.Node) {
			for _, n := range l.seq(v) {
				l.r.Silences = append(l.r.Silences, l.ref(n, "silences"))
			}
		}},
		{"silenced_by", false, func(l *loader, v *yaml.Node) {
			for _, n := range l.seq(v) {
				l.r.SilencedBy = append(l.r.SilencedBy, l.ref(n, "silenced_by"))
			}
		}},
		{"attached_to", false, func(l *loader, v *yaml.Node) {
			for _, n := range l.seq(v) {
				l.r.AttachedTo = append(l.r.AttachedTo, l.ref(n, "attached_to"))
			}
		}},
		{"silences_if", false, (*loader).readSilencesIf},
		{"silences_peer", false, func(l *loader, v *yaml.Node) { l.r.SilencesPeer = l.flag(v) }},
		{"explains", false, func(l *loader, v *yaml.Node) { l.r.Explains = l.flag(v) }},
		{"fallback", false, func(l *loader, v *yaml.Node) { l.r.Fallback = l.flag(v) }},
		{"per_peer", false, func(l *loader, v *yaml.Node) { l.r.PerPeer = l.flag(v) }},
		{"evidence", true, (*loader).readEvidence},
		{"symptom", true, func(l *loader, v *yaml.Node) { l.r.Symptom = l.text(v, "symptom") }},
		{"cause", true, func(l *loader, v *yaml.Node) { l.r.Cause = l.text(v, "cause") }},
		{"fix", false, (*loader).readFix},
		{"spec", true, func(l *loader, v *yaml.Node) {
			for _, n := range l.seq(v) {
				l.r.Spec = append(l.r.Spec, l.str(n))
			}
		}},
		{"source", false, func(l *loader, v *yaml.Node) { l.r.Source = l.str(v) }},
		{"rank", false, func(l *loader, v *yaml.Node) {
			n, err := strconv.Atoi(l.str(v))
			if err != nil || n < 1 || n >= userRank {
				l.errf(v, "rank must be a whole number from 1 to %d", userRank-1)
				return
			}
			l.r.Rank = n
		}},
	}
}

// readRule reads one file. The rule is nil when it cannot be used.
func readRule(name string, text []byte, builtIn bool) (*Rule, []error) {
	l := &loader{builtIn: builtIn, r: &Rule{ID: strings.TrimSuffix(name, ".yaml"), builtIn: builtIn}}
	l.r.src = &ruleSource{file: name, lines: strings.Split(string(text), "\n"), exprs: map[string]exprAt{}}
	l.r.Family = "user"
	if family, _, ok := strings.Cut(l.r.ID, "/"); ok {
		l.r.Family = family
	}
	if builtIn && !slices.Contains(families, l.r.Family) {
		l.fail(0, 0, fmt.Sprintf("unknown family '%s'%s", l.r.Family, didYouMean(l.r.Family, families)))
	}
	root := l.document(text, "a file holds one rule, and here a second document begins: give it a file of its own")
	switch {
	case len(l.errs) > 0:
		return nil, l.errs
	case root == nil:
		l.fail(1, 1, "the file is empty: a rule begins with 'at:'")
		return nil, l.errs
	}
	if root.Kind != yaml.MappingNode {
		l.errf(root, "a rule is a list of 'key: value' lines, the first of them 'at:'")
		return nil, l.errs
	}
	l.readKeys(root)
	l.checkHoles()
	if len(l.errs) > 0 {
		return nil, l.errs
	}
	return l.r, nil
}

func (l *loader) readKeys(root *yaml.Node) {
	keys := ruleKeys()
	var names, seen []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		at := slices.Index(names, k.Value)
		switch {
		case at < 0:
			l.errf(k, "unknown key '%s'%s", k.Value, didYouMean(k.Value, names))
			continue
		case slices.Contains(seen, k.Value):
			l.errf(k, "key '%s' is there twice", k.Value)
			continue
		}
		seen = append(seen, k.Value)
		keys[at].read(l, v)
	}
	var missing []string
	for _, k := range keys {
		if k.required && !slices.Contains(seen, k.name) {
			missing = append(missing, "'"+k.name+"'")
		}
	}
	switch n := len(missing); {
	case n == 1:
		l.errf(root, "key %s is missing", missing[0])
	case n > 1:
		l.errf(root, "keys %s and %s are missing", strings.Join(missing[:n-1], ", "), missing[n-1])
	}
	r := l.r
	if r.If == "" && r.Check == "" && !slices.Contains(seen, "if") && !slices.Contains(seen, "check") {
		l.errf(root, "a rule needs 'if' or 'check'")
	}
	if l.builtIn && r.Rank == 0 && !slices.Contains(seen, "rank") {
		l.errf(root, "key 'rank' is missing")
	}
	if r.Blame != BlameNone && r.Blame != "" && !slices.Contains(seen, "fix") {
		l.errf(root, "key 'fix' is missing: say what the %s must change, or 'blame: none'", r.Blame)
	}
}

// checkHoles compares the holes of texts and evidence with let.
func (l *loader) checkHoles() {
	var used []string
	for _, t := range l.texts {
		for _, s := range []*yaml.Node{t.en, t.zh} {
			if s == nil {
				continue
			}
			scanHoles(s.Value, func(string) {}, func(name string, at int) {
				used = addOnce(used, name)
				if name != "frame" && l.r.Let[name] == "" && !l.hasLet(name) {
					line, col := l.at(s, at)
					l.fail(line, col, fmt.Sprintf("hole {%s} has no 'let'%s", name, didYouMean(name, l.letNames())))
				}
			})
		}
	}
	for i, e := range l.r.Evidence {
		for _, name := range holesOf(e) {
			used = addOnce(used, name)
			if name != "frame" && !l.hasLet(name) {
				p := l.r.src.evidence[i]
				l.fail(p.line, p.col, fmt.Sprintf("hole {%s} has no 'let'%s", name, didYouMean(name, l.letNames())))
			}
		}
	}
	for i, h := range l.r.let {
		if !slices.Contains(used, h.name) {
			l.errf(l.letAt[i], "let '%s' is used by no text and no evidence", h.name)
		}
	}
}

func (l *loader) hasLet(name string) bool { return slices.Contains(l.letNames(), name) }

func (l *loader) letNames() []string {
	var names []string
	for _, h := range l.r.let {
		names = append(names, h.name)
	}
	return names
}

// document reads the one document of a file. What stands behind it would be
// lost without a word, so it is a mistake.
func (l *loader) document(text []byte, second string) (root *yaml.Node) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		if err := d.Decode(&doc); err == io.EOF {
			return root
		} else if err != nil {
			l.yamlError(err)
			return nil
		}
		switch n := doc.Content[0]; {
		case empty(n):
		case root != nil:
			l.errf(n, "%s", second)
			return nil
		default:
			root = n
		}
	}
}

// yamlError turns "yaml: line 3: …" into a place of the file.
func (l *loader) yamlError(err error) {
	var te *yaml.TypeError
	if errors.As(err, &te) && len(te.Errors) > 0 {
		err = errors.New("yaml: " + te.Errors[0])
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if num, msg, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(num); err == nil {
				line, text = n, msg
			}
		}
	}
	if strings.HasPrefix(text, "mapping values are not allowed") {
		text += " (a value with ': ' in it needs quotes or a block, >-)"
	}
	l.fail(line, 1, "not valid YAML: "+text)
}
