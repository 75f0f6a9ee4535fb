package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/decode/translate"
	"a2ascope/internal/jsontree"
)

// Bounds of what is shown of one message: nobody pastes more, and the screen
// makes the page while a key waits.
const (
	maxPaste  = 64 << 10
	maxSource = 1 << 20 // of the document it is made of
)

// tooLarge says that a document is not translated, and how large it is.
func (m *maker) tooLarge(s *Section, d *jsontree.Doc) bool {
	if d == nil || len(d.Text) <= maxSource {
		return false
	}
	m.size(s, len(d.Text))
	return true
}

func (m *maker) size(s *Section, n int) {
	s.text(fmt.Sprintf(m.t.TooLarge, strconv.Itoa(n>>10)+" kB"))
}

// others shows the call in the version that it is not: what a correct request
// of that version looks like, and its answer.
func (m *maker) others(e *Explanation, c *decode.Call) {
	for _, to := range []spec.Version{spec.V10, spec.V03} {
		if c.AgentCard == nil || len(c.AgentCard.Node.Raw()) > maxSource {
			break
		}
		if card, _ := translate.CardTo(c, to); card != nil {
			s := Section{ID: "card-" + string(to), Title: fmt.Sprintf(m.t.Card, to), Spec: []string{"0.3 §5.5", "1.0 §4.4.1"}}
			m.message(&s, card, "", to)
			e.add(s)
		}
	}
	for _, to := range translate.Others(c) {
		if c.Kind == spec.KindPush {
			e.add(m.delivery(c, to))
			continue
		}
		e.add(m.request(c, to))
		e.add(m.reply(c, to))
	}
}

// delivery is the section that posts it as the other version.
func (m *maker) delivery(c *decode.Call, to spec.Version) Section {
	s := Section{ID: "delivery-" + string(to), Title: fmt.Sprintf(m.t.Delivery, to)}
	if m.tooLarge(&s, c.RequestDoc) {
		return s
	}
	d, why := translate.DeliveryTo(c, to)
	if d != nil {
		s.Spec = []string{"0.3 §9.5", "1.0 §4.3.3"}
		m.message(&s, d, "", to)
	} else if words := m.t.Reason[string(why)]; words != "" {
		s.text(fmt.Sprintf(words, to))
	}
	return s
}

// request is the section that sends the call again as the other version.
func (m *maker) request(c *decode.Call, to spec.Version) Section {
	s := Section{ID: "request-" + string(to), Title: fmt.Sprintf(m.t.Request, to)}
	if m.tooLarge(&s, c.RequestDoc) {
		return s
	}
	q, why := translate.RequestTo(c, to)
	if q == nil {
		if words := m.t.Reason[string(why)]; words != "" {
			s.text(fmt.Sprintf(words, to))
		}
		return s
	}
	s.Spec = sections(spec.OperationSpec(c.Operation))
	if len(q.Body) > maxPaste {
		m.size(&s, len(q.Body))
	} else {
		h := c.Exchange.Request
		command := commandOf(q, h, m.o.Plain)
		s.Parts = append(s.Parts, Part{Label: m.t.Command, Paste: command})
		s.text(fmt.Sprintf(m.t.Where, to))
		if command != commandOf(q, h, true) {
			s.text(m.t.Masked)
		}
		if len(q.Body) > 0 {
			label := m.t.Body
			if c.Binding == spec.GRPC {
				label = m.t.Message
			}
			s.Parts = append(s.Parts, Part{Label: label, Paste: m.pretty(q.Body)})
		}
	}
	m.changes(&s, q.Changes, to)
	return s
}

// reply shows the answer; of a stream the first event of every kind.
func (m *maker) reply(c *decode.Call, to spec.Version) Section {
	s := Section{ID: "answer-" + string(to), Title: fmt.Sprintf(m.t.Answer, to)}
	if len(c.Events) == 0 {
		if m.tooLarge(&s, c.ResponseDoc) {
			return s
		}
		a, _ := translate.AnswerTo(c, to)
		// An error that is said alike shows nothing, and the right call may not get it.
		if a != nil && a.From != to && (c.Fault == nil || len(a.Changes) > 0) {
			m.message(&s, a, "", to)
		}
		return s
	}
	var seen []string
	for i := range c.Events {
		e := &c.Events[i]
		if slices.Contains(seen, e.Kind) || e.Doc != nil && len(e.Doc.Text) > maxSource {
			continue
		}
		a, _ := translate.EventTo(c, e, to)
		if a == nil || a.From == to {
			continue
		}
		seen = append(seen, e.Kind)
		m.message(&s, a, fmt.Sprintf(m.t.Event, e.Frame+1, e.Kind), to)
	}
	return s
}

// message adds a message and what changed in it.
func (m *maker) message(s *Section, a *translate.Message, label string, to spec.Version) {
	if len(a.Body) > maxPaste {
		m.size(s, len(a.Body))
	} else {
		s.Parts = append(s.Parts, Part{Label: label, Paste: m.pretty(a.Body)})
	}
	m.changes(s, a.Changes, to)
}

// pretty lays JSON out, with secrets masked.
func (m *maker) pretty(body []byte) string {
	body = m.mask.Body(body)
	var b bytes.Buffer
	if json.Indent(&b, body, "", "  ") != nil {
		return string(body)
	}
	return b.String()
}

// weightOf orders changes: what matters most first.
func weightOf(e translate.Effect) int {
	return slices.Index([]translate.Effect{translate.Lost, translate.Unsaid, translate.Differs, translate.Kept,
		translate.Added, translate.Dropped, translate.Renamed, translate.Changed}, e)
}

// changes lists what is not word for word the same.
func (m *maker) changes(s *Section, list []translate.Change, to spec.Version) {
	if len(list) == 0 {
		s.text(fmt.Sprintf(m.t.Same, to))
		return
	}
	words := m.t.Clean
	switch {
	case slices.ContainsFunc(list, func(c translate.Change) bool { return c.Effect == translate.Lost || c.Effect == translate.Unsaid }):
		words = m.t.Losses
	case slices.ContainsFunc(list, func(c translate.Change) bool { return c.Effect == translate.Differs }):
		words = m.t.Careful
	}
	s.text(fmt.Sprintf(words, to))
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b translate.Change) int { return weightOf(a.Effect) - weightOf(b.Effect) })
	t := &Table{Head: []string{m.t.ColChange, m.t.ColWas, m.t.ColIs, m.w.ColBecause}}
	for _, x := range list {
		what := m.t.Effect[string(x.Effect)] + m.w.Colon + x.Member
		if x.Count > 1 {
			what += " ×" + strconv.Itoa(x.Count)
		}
		t.Rows = append(t.Rows, Row{Cells: []string{what, string(x.From), x.To, m.t.Code[string(x.Code)]}, At: x.From,
			Code: string(x.Effect) + "/" + string(x.Code)})
	}
	s.table(t)
}
