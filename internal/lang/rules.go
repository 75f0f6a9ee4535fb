package lang

import (
	"fmt"
	"strings"
)

// Rules are the words for what users change of the rules.
type Rules struct {
	Own, Instead, Was string // of one rule; Was: %s, the severity it has by itself
	Behind            string // %s, a mark behind the id of a rule
	BuiltIn, Off      string
	OffBy, WasBy      string // %s: a place of the settings; WasBy: %s severity, %s place
	File              string

	Summary string // %d built in
	Counts  ruleCounts
	From    string // %s folders
	Comma   string
}

// ruleCounts follow the summary, each where it is not zero.
type ruleCounts struct{ Own, Replaced, Off, Severity string }

// RulesWords returns the words of a language; English where it is not known.
func RulesWords(code string) Rules {
	if code == "zh" {
		return rulesZH
	}
	return rulesEN
}

// Mark says in what a rule is not the built-in one, "" where it is. was is the
// word for its own severity, "" where that counts.
func (r Rules) Mark(own, replaces bool, was string) string {
	var parts []string
	switch {
	case replaces:
		parts = append(parts, r.Instead)
	case own:
		parts = append(parts, r.Own)
	}
	if was != "" {
		parts = append(parts, fmt.Sprintf(r.Was, was))
	}
	return strings.Join(parts, r.Comma)
}

// MarkBehind is the mark as it stands behind the id of the rule.
func (r Rules) MarkBehind(own, replaces bool, was string) string {
	if m := r.Mark(own, replaces, was); m != "" {
		return fmt.Sprintf(r.Behind, m)
	}
	return ""
}

// Changes is the line of a report about rules that are not just the built-in ones.
func (r Rules) Changes(builtIn, own, replaced, off, severity int, folders []string) string {
	s := fmt.Sprintf(r.Summary, builtIn)
	for _, c := range []struct {
		text string
		n    int
	}{{r.Counts.Own, own}, {r.Counts.Replaced, replaced}, {r.Counts.Off, off}, {r.Counts.Severity, severity}} {
		if c.n > 0 {
			s += r.Comma + fmt.Sprintf(c.text, c.n)
		}
	}
	if len(folders) > 0 {
		s += fmt.Sprintf(r.From, strings.Join(folders, r.Comma))
	}
	return s
}

var rulesEN = Rules{
	Own: "your rule", Instead: "your rule instead of the built-in one", Was: "severity set by you, else %s",
	Behind:  " (%s)",
	BuiltIn: "built in", Off: "off", OffBy: "switched off by %s", WasBy: "%s by itself, set by %s", File: "file",
	Summary: "rules: %d built in",
	Counts:  ruleCounts{Own: "%d yours", Replaced: "%d of them in place of a built-in one", Off: "%d switched off", Severity: "%d with another severity"},
	From:    "; from %s", Comma: ", ",
}

var rulesZH = Rules{
	Own: "自定义规则", Instead: "自定义规则，替换了同名的内置规则", Was: "级别由您设定，原为“%s”",
	Behind:  "（%s）",
	BuiltIn: "内置", Off: "已停用", OffBy: "已被 %s 停用", WasBy: "原为“%s”，由 %s 改动", File: "文件",
	Summary: "规则：内置 %d 条",
	Counts:  ruleCounts{Own: "自定义 %d 条", Replaced: "其中 %d 条替换了内置规则", Off: "停用 %d 条", Severity: "改了级别的 %d 条"},
	From:    "；来自 %s", Comma: "，",
}
