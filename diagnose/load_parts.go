package diagnose

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"a2ascope/decode"
)

func (l *loader) readFor(v *yaml.Node) {
	lists := []struct {
		key   string
		words []string
		into  *[]string
	}{
		{"kind", kindWords, &l.r.For.Kind},
		{"binding", bindingWords, &l.r.For.Binding},
		{"operation", operationWords, &l.r.For.Operation},
		{"outcome", outcomeWords, &l.r.For.Outcome},
		{"version", versionWords, &l.r.For.Version},
	}
	l.fields(v, "for", func(k, val *yaml.Node) bool {
		for _, x := range lists {
			if x.key == k.Value {
				*x.into = l.words(val, article(x.key), x.words)
				return true
			}
		}
		return false
	}, "kind", "binding", "operation", "outcome", "version")
	if v.Kind == yaml.MappingNode && len(l.r.For.Kind) == 0 {
		l.errf(v, "'for' needs 'kind': say which exchanges the rule is about, for example [call]")
	}
}

func (l *loader) readLet(v *yaml.Node) {
	l.r.Let = map[string]string{}
	l.fields(v, "let", func(k, val *yaml.Node) bool {
		name := k.Value
		if end, ok := holeAt(name+"}", 0); !ok || end != name {
			l.errf(k, "'%s' is no name for a hole: use small letters, digits and _", name)
			return true
		}
		if name == "frame" {
			l.errf(k, "the hole {frame} is always there: give yours another name")
			return true
		}
		h := hole{name: name}
		if val.Kind == yaml.MappingNode {
			l.fields(val, "let."+name, func(lang, e *yaml.Node) bool {
				switch lang.Value {
				case "en":
					h.expr = l.expr(e, "let."+name)
				case "zh":
					h.zh = l.expr(e, "let."+name+".zh")
				default:
					return false
				}
				return true
			}, "en", "zh")
			if h.expr == "" || h.zh == "" {
				l.errf(val, "a hole that differs by language needs both 'en' and 'zh'")
			}
		} else {
			h.expr = l.expr(val, "let."+name)
		}
		l.r.Let[name] = h.expr
		l.r.let = append(l.r.let, h)
		l.letAt = append(l.letAt, k)
		return true
	})
}

func (l *loader) readEscalate(v *yaml.Node) {
	for i, n := range l.seq(v) {
		var e Escalation
		l.fields(n, "escalate", func(k, val *yaml.Node) bool {
			switch k.Value {
			case "if":
				e.If = l.expr(val, "escalate."+strconv.Itoa(i))
			case "severity":
				e.Severity = Severity(l.word(val, "a severity", severityWords))
			case "blame":
				e.Blame = Blame(l.word(val, "a side", blameWords))
			case "sure":
				e.Sure = decode.Sure(l.word(val, "a grade", sureWords))
			default:
				return false
			}
			return true
		}, "if", "severity", "blame", "sure")
		if e.If == "" {
			l.errf(n, "an escalation needs 'if'")
		}
		if e.Severity == "" && e.Blame == "" && e.Sure == "" {
			l.errf(n, "an escalation needs 'severity', 'blame' or 'sure'")
		}
		l.r.Escalate = append(l.r.Escalate, e)
	}
}

func (l *loader) readSilencesIf(v *yaml.Node) {
	for i, n := range l.seq(v) {
		var s SilenceIf
		l.fields(n, "silences_if", func(k, val *yaml.Node) bool {
			switch k.Value {
			case "rule":
				s.Rule = l.ref(val, "silences_if")
			case "if":
				s.If = l.expr(val, "silences_if."+strconv.Itoa(i))
			default:
				return false
			}
			return true
		}, "rule", "if")
		if s.Rule == "" || s.If == "" {
			l.errf(n, "a conditional silence needs 'rule' and 'if'")
		}
		l.r.SilencesIf = append(l.r.SilencesIf, s)
	}
}

func (l *loader) readTable(v *yaml.Node) {
	for _, n := range l.seq(v) {
		if n.Kind != yaml.MappingNode {
			l.row(n)
			continue
		}
		var t TableIf
		l.fields(n, "table", func(k, val *yaml.Node) bool {
			switch k.Value {
			case "row":
				t.Row = l.row(val)
			case "if":
				t.If = l.expr(val, "table."+strconv.Itoa(len(l.r.TableIf)))
			default:
				return false
			}
			return true
		}, "row", "if")
		if t.Row == 0 || t.If == "" {
			l.errf(n, "a conditional row needs 'row' and 'if'")
		}
		l.r.TableIf = append(l.r.TableIf, t)
	}
}

// row reads a row of the failure table, 0 when it is none.
func (l *loader) row(n *yaml.Node) int {
	row, err := strconv.Atoi(l.str(n))
	if err != nil || row < 1 || row > 12 {
		l.errf(n, "'%s' is no row of the failure table: it has rows 1 to 12", n.Value)
		return 0
	}
	l.r.Table = append(l.r.Table, row)
	return row
}

func (l *loader) readEvidence(v *yaml.Node) {
	for _, n := range l.seq(v) {
		s := l.str(n)
		if s == "" {
			continue
		}
		if len(holesOf(s)) == 0 {
			if err := parsePlace(strings.TrimPrefix(s, "!")); err != nil {
				l.errf(n, "%v", err)
				continue
			}
		}
		l.r.Evidence = append(l.r.Evidence, s)
		l.r.src.evidence = append(l.r.src.evidence, exprAt{n.Line, n.Column, n.Style})
	}
}

func (l *loader) readFix(v *yaml.Node) {
	l.fields(v, "fix", func(k, val *yaml.Node) bool {
		switch k.Value {
		case "client":
			l.r.Fix.Client = l.text(val, "fix.client")
		case "server":
			l.r.Fix.Server = l.text(val, "fix.server")
		default:
			return false
		}
		return true
	}, "client", "server")
}
