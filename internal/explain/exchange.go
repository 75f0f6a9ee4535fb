package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/diagnose"
)

// Exchange says what an exchange is: the operation and its names, the headers
// that matter, the versions with their evidence, the same call in the other
// version, and where the documents disagree. v is what became of the declared version; nil when it is not known.
func Exchange(c *decode.Call, v *diagnose.VersionVerdict, o Options) Explanation {
	m := newMaker(o, c)
	c = c.Full()
	e := Explanation{Title: m.title(c)}
	e.add(m.what(c))
	e.add(m.names(c))
	e.add(m.headers(c))
	e.add(m.answer(v))
	e.add(m.versions(c))
	m.others(&e, c)
	e.add(m.documents(c))
	return e
}

func (m *maker) title(c *decode.Call) string {
	name := string(c.Operation)
	switch {
	case name != "":
	case c.Kind == spec.KindPush:
		name = m.g.PushDelivery
	case c.Method != "":
		name = c.Method
	case c.Exchange.Request != nil:
		name = c.Exchange.Request.Method + " " + c.Exchange.Request.Path()
	default:
		name = m.g.NoRequest
	}
	parts := []string{name}
	for _, s := range []string{binding(c.Binding), string(c.Request.Value)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " · ")
}

// binding is the binding as people write it.
func binding(b spec.Binding) string {
	switch b {
	case spec.JSONRPC:
		return "JSON-RPC"
	case spec.GRPC:
		return "gRPC"
	}
	return string(b)
}

func (m *maker) what(c *decode.Call) Section {
	s := Section{ID: "what", Title: m.w.What}
	switch c.Kind {
	case spec.KindCall:
		s.text(m.w.IsCall)
	case spec.KindCard:
		s.text(m.w.IsCard)
	case spec.KindPush:
		s.text(m.w.IsPush)
	case spec.KindPreflight:
		s.text(m.w.IsPreflight)
	case spec.KindInfra:
		s.text(m.w.IsInfra)
	default:
		s.text(m.g.NotA2A(string(c.Protocol)))
	}
	if c.Operation != "" {
		s.text(m.g.OperationWords(string(c.Operation)))
		if needs := spec.OperationNeeds(c.Operation); needs != "" {
			s.text(fmt.Sprintf(m.w.Needs, needs))
		}
		s.Spec = sections(spec.OperationSpec(c.Operation))
	}
	if c.Misnamed && c.Operation != "" {
		s.text(fmt.Sprintf(m.w.Misnamed, c.Method, spec.NameIn(c.Operation, spec.V10, c.Binding)))
	}
	if c.Tentative {
		s.text(fmt.Sprintf(m.w.Tentative, c.Fallback))
	}
	if out := m.g.Outcome(string(c.Outcome)); out != "" {
		if f := fault(c); f != "" {
			out += " (" + f + ")"
		}
		s.text(fmt.Sprintf(m.w.Outcome, out))
	}
	if len(c.Identity) > 0 {
		s.table(m.signals(c.Identity))
	}
	return s
}

// fault is the name of the error that came back, with its code and reason.
func fault(c *decode.Call) string {
	f := c.Fault
	if f == nil {
		return ""
	}
	var parts []string
	for _, s := range []string{f.A2A, f.Std, f.Reason} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	switch {
	case f.Code != 0:
		parts = append(parts, strconv.FormatInt(f.Code, 10))
	case f.GRPC > 0:
		parts = append(parts, "grpc-status "+strconv.Itoa(f.GRPC))
	case f.HTTP > 0:
		parts = append(parts, "HTTP "+strconv.Itoa(f.HTTP))
	}
	return strings.Join(parts, ", ")
}

// sections splits "0.3 §7.1, 1.0 §3.1.1".
func sections(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ", ")
}

// signals lists evidence, the heaviest first.
func (m *maker) signals(list []decode.Signal) *Table {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b decode.Signal) int { return int(b.Weight - a.Weight) })
	t := &Table{Head: []string{m.w.ColWhere, m.w.ColStands, m.w.ColSays, m.w.ColWeight, m.w.ColBecause}}
	for _, g := range list {
		t.Rows = append(t.Rows, Row{
			Cells: []string{string(g.Where), m.value(g.Where, g.Value), g.Says, fmt.Sprint(int(g.Weight)), m.w.SignalWords(g.Why)},
			At:    g.Where,
		})
	}
	return t
}

// names lists what the operation is called in every version and binding.
func (m *maker) names(c *decode.Call) Section {
	s := Section{ID: "names", Title: m.w.Names}
	if c.Operation == "" {
		return s
	}
	t := &Table{Head: []string{m.w.ColVersion, m.g.FactBinding, m.w.ColForm}}
	for _, b := range []spec.Binding{spec.JSONRPC, spec.GRPC, spec.HTTPJSON} {
		for _, g := range generations(c.Operation, b) {
			here := b == c.Binding && slices.Contains(g.in, named(c))
			if c.Operation == spec.GetAgentCard {
				here = c.Exchange.Request != nil && strings.HasSuffix(c.Exchange.Request.Path(), strings.TrimPrefix(g.name, "GET "))
			}
			form := binding(b)
			if c.Operation == spec.GetAgentCard {
				form = "HTTP"
			}
			t.Rows = append(t.Rows, Row{Cells: []string{versions(g.in), form, g.name}, Here: here})
		}
	}
	s.table(t)
	s.Spec = []string{"1.0 §5.3", "0.3 §3.5.6"}
	return s
}

// named is the version whose name the call used.
func named(c *decode.Call) spec.Version {
	if v := c.CallVersion.Value; v != spec.NoVersion {
		return v
	}
	return c.Request.Value
}

// generation is a name and the versions that have it.
type generation struct {
	in   []spec.Version
	name string
}

// generations lists the names of an operation in a binding, the newest first;
// versions that share one are one entry.
func generations(op spec.Operation, b spec.Binding) []generation {
	var out []generation
	for _, v := range []spec.Version{spec.V10, spec.V10Draft, spec.V03, spec.V02, spec.V01} {
		name := spec.NameIn(op, v, b)
		i := slices.IndexFunc(out, func(g generation) bool { return g.name == name })
		switch {
		case name == "":
		case i >= 0:
			out[i].in = append(out[i].in, v)
		default:
			out = append(out, generation{[]spec.Version{v}, name})
		}
	}
	return out
}

func versions(vs []spec.Version) string {
	words := make([]string, len(vs))
	for i, v := range vs {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}

// versions says which version each side speaks and declares, with the evidence.
func (m *maker) versions(c *decode.Call) Section {
	s := Section{ID: "versions", Title: m.w.Versions}
	if c.Protocol != spec.A2A {
		return s
	}
	fact := func(i int, f decode.VersionFact) {
		if f.Value == spec.NoVersion {
			s.text(m.w.Fact[i] + m.w.Colon + m.w.Unknown)
			return
		}
		s.text(fmt.Sprintf("%s%s%s (%s)", m.w.Fact[i], m.w.Colon, f.Value, m.grade(f.Sure)))
		if f.Value == spec.Mixed && f.Call != "" {
			s.text(fmt.Sprintf(m.w.Conflict, f.Call, f.Body))
		}
		s.table(m.signals(f.Signals))
	}
	fact(0, c.Request)
	fact(1, c.Response)
	declared := m.w.NotThere
	switch c.Declared.Presence {
	case "set":
		declared = c.Declared.Raw + " (" + m.g.DeclaredIn(c.Declared.Source) + ")"
	case "empty":
		declared = m.w.Empty
	case "unknown":
		declared = m.g.VersionUnseen
	}
	s.text(m.w.Fact[2] + m.w.Colon + declared)
	fact(3, c.Card)
	s.text(m.w.Decides)
	s.text(m.w.Weights)
	s.Spec = []string{"1.0 §3.6"}
	return s
}

// answer says what became of the version that was declared.
func (m *maker) answer(v *diagnose.VersionVerdict) Section {
	s := Section{ID: "answer", Title: m.w.Answer}
	if v == nil || v.Expected == diagnose.NotKnown {
		return s
	}
	sent := v.Sent
	if sent == "" {
		sent = m.w.NotThere
	}
	exposes := strings.Join(v.Exposes, ", ")
	switch {
	case exposes == "":
		exposes = m.w.Treatment[""]
	case !v.Declared:
		exposes = fmt.Sprintf(m.w.Showed, exposes)
	}
	s.table(&Table{Head: []string{m.w.ColFact, m.w.ColValue}, Rows: []Row{
		{Cells: []string{m.w.Sent, sent}}, {Cells: []string{m.w.Exposes, exposes}},
		{Cells: []string{m.w.Expected, m.w.Treatment[string(v.Expected)]}}, {Cells: []string{m.w.Did, m.w.Treatment[string(v.Did)]}},
	}})
	switch {
	case v.Expected == diagnose.Undefined || v.Did == diagnose.NotKnown || v.Did == diagnose.Otherwise:
	case v.Agrees():
		s.text(m.w.VerdictOK)
	default:
		s.text(m.w.VerdictBad)
	}
	s.Spec = []string{"1.0 §3.6.2", "1.0 §14.2.1"}
	return s
}

// documents says where the documents disagree on a call of this kind.
func (m *maker) documents(c *decode.Call) Section {
	s := Section{ID: "documents", Title: m.w.Documents}
	if c.Kind != spec.KindCall || c.Protocol != spec.A2A {
		return s
	}
	var in []spec.Version
	for _, v := range []spec.Version{c.Request.Value, c.Response.Value} {
		switch v {
		case spec.V01, spec.V02, spec.V03:
			in = append(in, spec.V03)
		case spec.V10Draft, spec.V10:
			in = append(in, spec.V10)
		}
	}
	for _, d := range spec.Disagreements(c.Operation, c.Binding, in, c.Fault != nil) {
		s.text(m.in(d.Topic) + strings.TrimRight(m.w.Colon, " "))
		t := &Table{Head: []string{m.w.ColDocument, m.w.ColTells}}
		for _, say := range d.Sayings {
			t.Rows = append(t.Rows, Row{Cells: []string{say.Where, say.Says}})
		}
		s.table(t)
		s.text(m.in(d.Follow))
	}
	return s
}

func (m *maker) in(w spec.Wording) string {
	if m.o.Lang == diagnose.ZH {
		return w.ZH
	}
	return w.EN
}
