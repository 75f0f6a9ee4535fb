package translate_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"a2ascope/decode"
	"a2ascope/decode/audit"
	"a2ascope/decode/spec"
	"a2ascope/decode/translate"
)

// Everything that is said without losses in the other version reads as that
// version, without slips, and comes back as what it was.
func TestThereAndBack(t *testing.T) {
	asked, answered, streamed := 0, 0, 0
	each(t, func(name string, c *decode.Call) {
		others := translate.Others(c)
		if len(others) != 1 || c.Misnamed || c.RPC.Batch > 0 {
			return // names no version, or only a part of the body
		}
		to := others[0]
		from := spec.V10
		if to == spec.V10 {
			from = spec.V03
		}
		q, why := translate.RequestTo(c, to)
		if why != translate.NoReason || !q.Lossless() || len(audit.Request(c)) > 0 {
			return // what is not written as its own version cannot come back as it was
		}
		var answer []byte
		a, why := translate.AnswerTo(c, to)
		whole := why == translate.NoReason && a.Lossless() && a.From == from && len(audit.Answer(c)) == 0
		if whole {
			answer = a.Body
		}
		var events [][]byte
		var of []*decode.StreamEvent
		for i := range c.Events {
			e, why := translate.EventTo(c, &c.Events[i], to)
			if why != translate.NoReason || !e.Lossless() || e.From != from || len(audit.Event(c, &c.Events[i])) > 0 || c.Events[i].Wrapped != (c.Binding == spec.JSONRPC) {
				events = nil
				break
			}
			events, of = append(events, e.Body), append(of, &c.Events[i])
		}
		if events != nil && (len(c.Events) != len(c.Exchange.Received) || c.Exchange.Response.MediaType() != spec.MediaSSE && c.Binding != spec.GRPC) {
			events = nil // comments, or events that were no stream
		}
		there := reread(t, c, q, answer, events)
		if there == nil || there.Operation != c.Operation || there.Binding != c.Binding || there.CallVersion.Value != to && c.Binding != spec.HTTPJSON {
			t.Errorf("%s: %s became another call:\n%s %s\n%s", name, c.Method, q.Verb, q.Target, q.Body)
			return
		}
		if there.Request.Value != to {
			t.Errorf("%s: %s reads as %q, want %s: %s %s\n%s", name, c.Method, there.Request.Value, to, q.Verb, q.Target, q.Body)
			return
		}
		asked++
		if slips := audit.Request(there); len(slips) > 0 && !bytes.Contains(q.Body, []byte(`"text":""`)) {
			t.Errorf("%s: %s: the request in %s has slips: %+v\n%s", name, c.Method, to, slips, q.Body)
		}
		back, why := translate.RequestTo(there, from)
		if why != translate.NoReason {
			if why != translate.NoOperation { // a2a-go lists tasks in 0.3 too
				t.Errorf("%s: %s: there is no way back: %s", name, c.Method, why)
			}
			return
		}
		if c.Binding != spec.JSONRPC && otherForm(c) {
			return
		}
		same(t, name+" "+c.Method+" request", body(c.RequestDoc.Root().Raw()), back.Body, q.Body)
		if whole {
			answered++
			if slips := audit.Answer(there); len(slips) > 0 {
				t.Errorf("%s: %s: the answer in %s has slips: %+v\n%s", name, c.Method, to, slips, answer)
			}
			b, why := translate.AnswerTo(there, from)
			if why != translate.NoReason {
				t.Errorf("%s: %s: the answer has no way back: %s\n%s", name, c.Method, why, answer)
				return
			}
			same(t, name+" "+c.Method+" answer", c.ResponseDoc.Root().Raw(), b.Body, answer)
		}
		if events == nil {
			return
		}
		streamed++
		if len(there.Events) != len(events) {
			t.Errorf("%s: %d events became %d", name, len(events), len(there.Events))
			return
		}
		for i := range events {
			if slips := audit.Event(there, &there.Events[i]); len(slips) > 0 {
				t.Errorf("%s: %s: event %d in %s has slips: %+v\n%s", name, c.Method, i, to, slips, events[i])
			}
			b, why := translate.EventTo(there, &there.Events[i], from)
			if why != translate.NoReason {
				t.Errorf("%s: %s: event %d has no way back: %s\n%s", name, c.Method, i, why, events[i])
				return
			}
			same(t, name+" "+c.Method+" event", of[i].Doc.Root().Raw(), b.Body, events[i])
		}
	})
	t.Logf("%d requests, %d answers, %d streams", asked, answered, streamed)
	if asked < 150 || answered < 60 || streamed < 10 {
		t.Errorf("only %d requests, %d answers and %d streams went there and back", asked, answered, streamed)
	}
}

// otherForm: what peers of 0.3 write in REST as in JSON-RPC, a push
// configuration that leaves its task to the path, and a body where none belongs
// do not come back as they were.
func otherForm(c *decode.Call) bool {
	get := c.Exchange.Request.Method != "POST" && c.Binding == spec.HTTPJSON
	return get || c.Operation == spec.CreatePushConfig || bytes.Contains(c.RequestDoc.Root().Raw(), []byte(`"request"`)) || bytes.Contains(c.RequestDoc.Root().Raw(), []byte(`"kind"`)) ||
		bytes.Contains(c.ResponseDoc.Root().Raw(), []byte(`"kind"`))
}

// body of a request: none is an empty object.
func body(raw []byte) []byte {
	if len(raw) == 0 || string(raw) == "null" {
		return []byte("{}")
	}
	return raw
}

// same compares the values of two texts. What ProtoJSON leaves out may be there
// or not: empty values say the same as none.
func same(t *testing.T, what string, want, got, by []byte) {
	t.Helper()
	var a, b any
	if json.Unmarshal(body(want), &a) != nil || json.Unmarshal(body(got), &b) != nil {
		t.Errorf("%s: no JSON:\n%s\n%s", what, want, got)
		return
	}
	if !reflect.DeepEqual(bare(a), bare(b)) {
		t.Errorf("%s: there and back is not the same\nwas  %s\nnow  %s\nby   %s", what, want, got, by)
	}
}

// bare drops members with empty values.
func bare(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, m := range x {
			if m = bare(m); m != nil && m != "" && m != false && !empty(m) {
				out[k] = m
			}
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = bare(x[i])
		}
		return out
	}
	return v
}

func empty(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		return len(x) == 0
	case []any:
		return len(x) == 0
	}
	return false
}

// A body is JSON whatever it was made of, and every change points at something.
func TestCorpusChanges(t *testing.T) {
	seen := map[translate.Code]int{}
	n := 0
	each(t, func(name string, c *decode.Call) {
		for _, to := range []spec.Version{spec.V03, spec.V10} {
			check := func(m *translate.Message, why translate.Reason) {
				if why != translate.NoReason {
					if m != nil || !slices.Contains(translate.Reasons(), why) {
						t.Errorf("%s: a reason %q and a message", name, why)
					}
					return
				}
				n++
				if m.Body != nil && !json.Valid(m.Body) {
					t.Errorf("%s: %s in %s is no JSON: %s", name, c.Method, to, m.Body)
				}
				for _, x := range m.Changes {
					seen[x.Code]++
					if !slices.Contains(translate.Codes(), x.Code) || !slices.Contains(translate.Effects(), x.Effect) || x.Count < 1 || x.Member == "" {
						t.Errorf("%s: %+v is no change", name, x)
					}
					if x.From == "" && x.To == "" {
						t.Errorf("%s: %+v is nowhere", name, x)
					}
					if x.From != "" && strings.Contains(string(x.From), "##") {
						t.Errorf("%s: %s is no place", name, x.From)
					}
				}
			}
			q, why := translate.RequestTo(c, to)
			if q != nil {
				check(&q.Message, why)
				if bytes.Contains([]byte(q.Target), []byte("{")) {
					t.Errorf("%s: %s", name, q.Target)
				}
			} else {
				check(nil, why)
			}
			a, why := translate.AnswerTo(c, to)
			check(a, why)
			card, why := translate.CardTo(c, to)
			check(card, why)
			d, why := translate.DeliveryTo(c, to)
			check(d, why)
			for i := range c.Events {
				e, why := translate.EventTo(c, &c.Events[i], to)
				check(e, why)
			}
		}
	})
	if n < 1000 {
		t.Errorf("only %d messages", n)
	}
	for _, code := range translate.Codes() {
		if seen[code] == 0 {
			t.Logf("%s was not seen", code)
		}
	}
}
