package diagnose

import (
	"strings"

	"a2ascope/decode"
	"a2ascope/decode/audit"
)

// Shape tells rules where the bodies of an exchange differ from the tables of
// their version. A code is that of package audit: "asked/missing/messageId".
type Shape struct{ f *Facts }

// slips are what audit found in the bodies of one call, once somebody asked.
type slips struct {
	asked, answered         []audit.Slip
	askedDone, answeredDone bool
}

// find returns the first slip of a code, nil when there is none.
func (s Shape) find(code string) *audit.Slip {
	c := s.f.of
	if c == nil {
		return nil
	}
	side, rest, _ := strings.Cut(code, "/")
	k := &s.f.slips
	switch audit.Side(side) {
	case audit.Asked:
		if !k.askedDone {
			k.asked, k.askedDone = audit.Request(c), true
		}
		return audit.Find(k.asked, rest)
	case audit.Answered:
		if !k.answeredDone {
			k.answered, k.answeredDone = s.answered(), true
		}
		return audit.Find(k.answered, rest)
	}
	return nil
}

// answered: at a frame the event that came, else the unary answer.
func (s Shape) answered() []audit.Slip {
	if frame := s.f.Call.Stream.Frame; frame >= 0 && len(s.f.of.Events) > 0 {
		if e := eventAt(s.f.of, frame); e != nil {
			return audit.Event(s.f.of, e)
		}
		return nil
	}
	return audit.Answer(s.f.of)
}

// eventAt returns the event of a frame, nil when there is none.
func eventAt(c *decode.Call, frame int) *decode.StreamEvent {
	for i := len(c.Events) - 1; i >= 0; i-- {
		if c.Events[i].Frame == frame {
			return &c.Events[i]
		}
	}
	return nil
}

// lookAt lets the facts tell of an event that was judged before, until the
// function it returns is called.
func (f *Facts) lookAt(c *decode.Call, frame int) (now func()) {
	e := eventAt(c, frame)
	k := f.Call
	if e == nil || k.Stream.Frame == frame {
		return func() {}
	}
	was, kind, answer, found := k.Stream.Frame, k.Stream.Kind, *k.Answer, f.slips
	k.Stream.Frame, k.Stream.Kind = frame, e.Kind
	fillAnswer(k.Answer, c, e)
	f.slips = slips{}
	return func() { k.Stream.Frame, k.Stream.Kind, *k.Answer, f.slips = was, kind, answer, found }
}

// listed names every slip of a code as it stands on the wire: a member, or a
// member with the value that is wrong.
func (s Shape) listed(code string) []string {
	if s.find(code) == nil {
		return nil
	}
	side, rest, _ := strings.Cut(code, "/")
	list := s.f.slips.asked
	if audit.Side(side) == audit.Answered {
		list = s.f.slips.answered
	}
	var out []string
	for i := range list {
		if !list[i].Is(rest) {
			continue
		}
		text := list[i].Member
		if list[i].Value != "" && list[i].Kind != audit.OneOf && list[i].Kind != audit.WrongType {
			text += ` "` + list[i].Value + `"`
		}
		out = addOnce(out, text)
	}
	return out
}

func (s Shape) slipped(code string) bool { return s.find(code) != nil }

func (s Shape) place(code string) string {
	if x := s.find(code); x != nil {
		return string(x.Place)
	}
	return ""
}

func (s Shape) member(code string) string {
	if x := s.find(code); x != nil {
		return x.Shape + "." + x.Member
	}
	return ""
}

func (s Shape) value(code string) string {
	if x := s.find(code); x != nil {
		return x.Value
	}
	return ""
}

func (s Shape) want(code string) string {
	if x := s.find(code); x != nil {
		return x.Want
	}
	return ""
}
