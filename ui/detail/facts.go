package detail

import (
	"strconv"
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/ui/kit"
	"a2ascope/ui/text"
)

// facts says what the exchange is: the operation in plain words, the versions
// with what they were told from, ids, and what could not be read.
func (b *builder) facts(healthy bool) {
	c, w, s := b.p.Row.Call(), b.w, b.static()
	if healthy {
		switch {
		case c.Kind == spec.KindOther || c.Protocol != spec.A2A:
			s.AddLine(text.Line{Segs: []text.Seg{{Text: w.NotA2A(string(c.Protocol)), Role: kit.Bold}}})
		case c.Outcome == spec.OK:
			s.AddLine(text.Line{Segs: []text.Seg{{Text: w.LetterOK + " ", Role: kit.OK}, {Text: w.Healthy, Role: kit.Bold}}})
		default:
			s.AddLine(text.Line{Segs: []text.Seg{{Text: w.NoFinding, Role: kit.Bold}}})
		}
		s.Blank()
	}
	b.title(w.WhatItIs)
	if words := w.OperationWords(string(c.Operation)); words != "" {
		s = b.static()
		s.Text(kit.Plain, 2, words)
	}
	b.fact(w.FactOperation, kit.Operation(b.p.Row, w), kit.Plain, "")
	if c.Method != "" && c.Method != string(c.Operation) {
		b.fact(w.FactMethod, c.Method, kit.Plain, "")
	}
	b.fact(w.FactBinding, kit.BindingName(c.Binding, false), kit.Plain, "")
	out, role := kit.Status(c, w)
	b.fact(w.FactOutcome, w.Outcome(string(c.Outcome))+"  "+out, role, "")
	b.fault(c.Fault)
	b.fact(w.FactTask, c.TaskID, kit.Plain, "")
	b.fact(w.FactContext, c.ContextID, kit.Plain, "")
	b.fact(w.FactTenant, c.Tenant, kit.Plain, c.TenantFrom)

	if c.Protocol == spec.A2A {
		b.versions(c)
	}
	if len(c.Identity) > 0 && c.Sure != decode.Certain {
		b.title(w.WhyItIs)
		b.signals(c.Identity)
	}
	if len(c.Problems) > 0 {
		b.title(w.NotRead)
		for _, p := range c.Problems {
			b.line(p.At, 2, text.Seg{Text: "  " + w.LetterWarning + " ", Role: kit.Warn}, text.Seg{Text: kit.OneLine(p.Text, 500)})
		}
	}
	if bs := c.Exchange.Breaches; len(bs) > 0 {
		b.title(w.Breaches)
		for i, br := range bs {
			if i == 50 {
				b.static().Text(kit.Dim, 2, w.AndMore(len(bs)-i))
				break
			}
			b.static().AddLine(text.Line{Hang: 4, Segs: []text.Seg{
				{Text: "  " + w.LetterWarning + " ", Role: kit.Warn},
				{Text: b.sideWord(br.V.From.String()) + ": " + kit.OneLine(br.V.V.Text, 400)},
			}})
		}
	}
	for _, n := range c.Exchange.Notes {
		if n.ByPeople() {
			continue // stands in the list
		}
		b.static().Blank().Text(kit.Mark, 2, kit.Label(w.Note, n.Text))
	}
	b.damage()
}

// versions adds the four version facts, each with its evidence.
func (b *builder) versions(c *decode.Call) {
	w := b.w
	b.title(w.Versions)
	b.version(w.VersionRequest, c.Request)
	b.version(w.VersionResponse, c.Response)
	declared := w.VersionAbsent
	switch c.Declared.Presence {
	case "set":
		declared = kit.OneLine(c.Declared.Raw, 80) + "  (" + w.DeclaredIn(c.Declared.Source) + ")"
	case "empty":
		declared = w.VersionEmpty
	case "unknown":
		declared = w.VersionUnseen
	}
	b.fact(w.VersionDeclared, declared, kit.Plain, c.Declared.At)
	b.version(w.VersionCard, c.Card)
	b.verdict(c.Declared.At)
}

// verdict says what had to become of the version header, and what did.
func (b *builder) verdict(at decode.Place) {
	v, w := b.p.Row.Version, &b.w.Review
	if v == nil {
		return
	}
	b.title(w.VersionsTitle)
	b.fact(w.VSent, w.SentIs(v.Sent), kit.Plain, at)
	b.fact(w.VHas, w.Has(v.Exposes, v.Declared), kit.Plain, "")
	b.fact(w.VMust, w.MustWord(string(v.Expected)), kit.Plain, "")
	did, role := w.DidWord(string(v.Did)), kit.Plain
	if !v.Agrees() {
		did, role = did+"  ("+w.Disagree+")", kit.Warn
	}
	b.fact(w.VDid, did, role, "")
}

func (b *builder) version(label string, v decode.VersionFact) {
	w := b.w
	if v.Value == "" {
		b.fact(label, w.VersionUnknown, kit.Dim, "")
		return
	}
	value := string(v.Value)
	if v.Value == spec.Mixed {
		value = w.VersionMixed(string(v.Call), string(v.Body))
	}
	if sure := w.Sure(string(v.Sure)); sure != "" {
		value += "  (" + sure + ")"
	}
	b.fact(label, value, kit.Bold, "")
	b.signals(v.Signals)
}

// signals lists the strongest evidence of a version.
func (b *builder) signals(ss []decode.Signal) {
	const most = 6
	for i, s := range ss {
		if i == most {
			b.static().Text(kit.Dim, 6, b.w.AndMore(len(ss)-i))
			return
		}
		value := b.text(s.Value)
		b.line(s.Where, 8,
			text.Seg{Text: "      " + b.place(s.Where), Role: kit.Accent},
			text.Seg{Text: " = ", Role: kit.Dim},
			text.Seg{Text: kit.OneLine(value, 160)},
			text.Seg{Text: "  → " + s.Says, Role: kit.Dim})
	}
}

// fact adds "label  value"; nothing where the value is empty. A place makes it a link.
func (b *builder) fact(label, value string, role kit.Role, at decode.Place) {
	value = strings.TrimSpace(value)
	if value == "" {
		return
	}
	const labelW = 22
	b.line(at, labelW+2,
		text.Seg{Text: "  " + kit.Fit(label, labelW-1) + " ", Role: kit.Dim},
		text.Seg{Text: kit.OneLine(value, 1000), Role: role})
}

func (b *builder) line(at decode.Place, hang int, segs ...text.Seg) {
	l := text.Line{Segs: segs, Hang: hang}
	if at != "" {
		l.Link = kit.Goto{Place: at}
	}
	b.static().AddLine(l)
}

// fault adds the error that the peers sent each other.
func (b *builder) fault(f *decode.Fault) {
	if f == nil {
		return
	}
	w := b.w
	name := f.A2A
	if name == "" {
		name = f.Std
	}
	if name == "" {
		name = w.ForeignError
	}
	if f.Code != 0 {
		name += " " + strconv.FormatInt(f.Code, 10)
	}
	if f.Reason != "" {
		name += "  " + f.Reason
		if f.Domain != "" {
			name += " (" + f.Domain + ")"
		}
	}
	b.fact(w.FactError, name, kit.Err, f.At)
	b.fact(w.FactMessage, b.text(f.Message), kit.Plain, "")
}

func (b *builder) sideWord(side string) string {
	if side == "client" {
		return b.w.Client
	}
	return b.w.Agent
}

// damage tells what of the file could not be read: it bounds what can be concluded.
func (b *builder) damage() {
	files := b.p.View.Files
	if b.p.Row.File >= len(files) {
		return
	}
	ds := files[b.p.Row.File].Damage
	if len(ds) == 0 {
		return
	}
	b.title(b.w.FileDamage)
	for i, d := range ds {
		if i == 20 {
			b.static().Text(kit.Dim, 2, b.w.AndMore(len(ds)-i))
			return
		}
		b.static().Text(kit.Dim, 2, d.Detail)
	}
}
