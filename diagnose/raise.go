package diagnose

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"a2ascope/decode"
	"a2ascope/internal/redact"
)

// maxValue bounds a value of the evidence, in bytes: enough for a version, a
// method, an id, a url or the first words of a message.
const maxValue = 240

// maxHole bounds a hole of a text, in bytes: a clause or two in either
// language, since holes hold words of the rule besides values of peers.
const maxHole = 900

// maxWindow is as much of a text as is looked at for secrets.
const maxWindow = maxHole + 8<<10

// raise makes the finding of a rule whose condition holds.
func (e *Engine) raise(r *Rule, c *decode.Call, at decode.Checkpoint) *record {
	e.stats.Raised++
	if errs := r.compile(); len(errs) > 0 {
		e.broken(r, errs[0])
	}
	f := &Finding{
		Key:  Key{Rule: r.ID, Exchange: c.Exchange.ID, Frame: -1},
		At:   e.mem.now,
		Rule: r, Count: 1,
	}
	if at == decode.AtFrame && len(c.Events) > 0 {
		f.Key.Frame = c.Events[len(c.Events)-1].Frame
	}
	own, blame, sure := e.weigh(r)
	f.Severity, f.Blame = e.set.weighed(r, own), blame
	f.Sure = e.grade(r, sure)
	f.Table = e.table(r)
	e.texts(f, c)
	rec := &record{rule: r, f: f, own: own, raised: f.Severity, times: 1, last: f.At}
	e.conditions(rec)
	return rec
}

// texts fills the holes and collects the evidence.
func (e *Engine) texts(f *Finding, c *decode.Call) {
	r := f.Rule
	args := make(map[string]string, len(r.prog.let)+1)
	if f.Key.Frame >= 0 {
		args["frame"] = strconv.Itoa(f.Key.Frame)
	}
	// Masked is what is not cut yet: of half a secret nobody can tell that it is one.
	mask := redact.Words.Knowing(c.Exchange.Request)
	f.masked = nil
	put := func(name, value string) {
		args[name] = trim(value, maxHole)
		value = window(value)
		if m := mask.Rest(value); m != value {
			if f.masked == nil {
				f.masked = map[string]string{}
			}
			f.masked[name] = trim(m, maxHole)
		}
	}
	for _, l := range r.prog.let {
		put(l.name, l.en(&e.scope))
		if l.zh != nil {
			put(l.name+zhSuffix, l.zh(&e.scope))
		}
	}
	if e.scope.err != nil {
		e.broken(r, e.scope.err)
	}
	f.Args = args
	f.Evidence = f.Evidence[:0:0]
	for _, t := range r.Evidence {
		place, absent := strings.CutPrefix(fill(t, args, EN), "!")
		if place == "" || parsePlace(place) != nil {
			continue // a hole was empty: there is nothing to point at
		}
		v, ok := decode.Value(c, decode.Place(place))
		if !ok && !absent {
			continue
		}
		shown := Evidence{Place: decode.Place(place), Value: shorten(v), Absent: !ok}
		v = window(v)
		if m := mask.Evidence(place, v); m != v {
			shown.masked = shorten(m)
		}
		f.Evidence = append(f.Evidence, shown)
	}
}

// table returns the rows of the failure table the finding speaks for.
func (e *Engine) table(r *Rule) []int {
	if len(r.TableIf) == 0 {
		return r.Table
	}
	rows := slices.Clone(r.Table)
	for i, holds := range r.prog.tableIf {
		if !holds(&e.scope) {
			rows = slices.DeleteFunc(rows, func(n int) bool { return n == r.TableIf[i].Row })
		}
	}
	return rows
}

// grade is the lowest of the rule's own, of what the exchange was recognised by,
// and of what its condition rests on.
func (e *Engine) grade(r *Rule, sure decode.Sure) decode.Sure {
	if s := decode.Sure(e.facts.Call.Sure); weight(s) > 0 && weight(s) < weight(sure) {
		sure = s
	}
	grounds := r.prog.grounds()
	if w := grounds.weight(&e.scope); w < weight(sure) {
		sure = grades[w]
	}
	return sure
}

// grades by their weight.
var grades = [...]decode.Sure{"", decode.Possible, decode.Likely, decode.Certain}

func weight(s decode.Sure) int {
	switch s {
	case decode.Certain:
		return 3
	case decode.Likely:
		return 2
	case decode.Possible:
		return 1
	}
	return 0
}

// window is as much of a long text as tells what is secret in its beginning.
func window(s string) string { return s[:min(len(s), maxWindow)] }

// shorten cuts a value of the evidence.
func shorten(s string) string { return trim(s, maxValue) }

// trim cuts a text between characters and marks the cut.
func trim(s string, most int) string {
	if len(s) <= most {
		return s
	}
	i := most
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return s[:i] + "…"
}

// parsePlace checks that a place can exist.
func parsePlace(s string) error {
	_, err := decode.ParsePlace(s)
	return err
}
