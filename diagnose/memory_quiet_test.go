package diagnose

import (
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// silent returns the facts of the exchange at checkpoint silent, nil when it is not due.
func (w *world) silent(c *decode.Call, after time.Duration, ended bool) *Facts {
	for _, q := range w.m.quiet(w.now.Add(after), ended) {
		if q.Exchange.ID == c.Exchange.ID {
			w.m.facts(q, decode.AtSilent, w.f)
			return w.f
		}
	}
	return nil
}

func TestClientGaveUp(t *testing.T) {
	old := card03("http://a.example/", "JSONRPC")
	w := newWorld(t)
	c := w.card("a.example", old)
	w.run(c)
	if w.silent(c, 30*time.Second, false) != nil {
		t.Fatal("judged before a minute had passed")
	}
	f := w.silent(c, 61*time.Second, false)
	if f == nil {
		t.Fatal("not judged after a minute")
	}
	check(t, "gave up", f.Client.GaveUp, true)
	check(t, "the card is in the facts", f.Call.Card.Vocabulary, "0.3")
	if w.silent(c, time.Hour, true) != nil {
		t.Fatal("judged twice")
	}

	w = newWorld(t)
	c = w.card("a.example", old)
	w.run(c)
	w.run(w.rpc("a.example", "/", "SendMessage", notFound(), userAgent("another library of the same program")))
	f = w.silent(c, 0, true)
	check(t, "called", f.Client.GaveUp, false)
	check(t, "failed after", f.Client.FailedAfter, true)
	check(t, "spoke after", f.Client.SpokeAfter, "1.0")
	check(t, "ok after", f.Client.OKAfter, "")

	w = newWorld(t)
	c = w.card("a.example", old)
	w.run(c)
	w.run(w.rpc("elsewhere.example", "/", "SendMessage"))
	w.run(w.rpc("a.example", "/", "message/send", from("10.9.9.9")))
	check(t, "calls elsewhere and of others do not count", w.silent(c, 0, true).Client.GaveUp, true)

	w = newWorld(t)
	c = w.card("a.example", old)
	w.run(c)
	second := w.card("a.example", old)
	w.run(second)
	for _, q := range w.m.quiet(w.now, true) {
		w.m.facts(q, decode.AtSilent, w.f)
		check(t, "only the last reading gives up", w.f.Client.GaveUp, q.Exchange.ID == second.Exchange.ID)
	}
}

// TestNothingIsSaidOfWhatMayBeMissing: what did not come may have been in what
// the capture missed; what did come is there.
func TestNothingIsSaidOfWhatMayBeMissing(t *testing.T) {
	old := card03("http://a.example/", "JSONRPC")
	for name, c := range map[string]struct {
		before, session, exchange bool
		judged                    bool
	}{
		"all is there": {judged: true}, "lost before": {before: true, judged: true}, "lost by the session": {session: true}, "lost of another exchange": {exchange: true},
	} {
		w := newWorld(t)
		other := w.rpc("b.example", "/", "SendMessage", from("10.9.9.9"))
		if c.before {
			w.m.missed = w.now
		}
		read := w.card("a.example", old)
		w.run(read)
		if c.exchange {
			other = w.rpc("b.example", "/", "SendMessage", from("10.9.9.9"))
			other.Exchange.Breaches = append(other.Exchange.Breaches, capture.Timed[capture.Sided[*capture.Breach]]{At: other.Exchange.Started.Add(time.Second),
				V: capture.Sided[*capture.Breach]{From: capture.Client, V: &capture.Breach{Code: capture.BreachLost, Lost: 100}}})
		}
		w.run(other)
		if c.session {
			(&Engine{mem: w.m}).Missed(w.now.Add(time.Second))
		}
		if f := w.silent(read, 2*time.Minute, false); (f != nil) != c.judged {
			t.Errorf("%s: judged %v", name, f != nil)
		}
	}
}

func TestPushNeverDelivered(t *testing.T) {
	create := func(w *world) *decode.Call {
		return w.rpc("a.example", "/", "CreateTaskPushNotificationConfig", about("t1"), result(`{"id":"c1","taskId":"t1","url":"https://c.example/hook"}`),
			func(c *decode.Call) {
				c.Push = &decode.PushFact{URL: "https://c.example/hook", TaskID: "t1", ConfigID: "c1"}
			})
	}
	state := func(w *world, s string) {
		w.run(w.rpc("a.example", "/", "GetTask", about("t1"), result(`{"id":"t1","status":{"state":"`+s+`"}}`)))
	}
	w := newWorld(t)
	state(w, "TASK_STATE_WORKING")
	c := create(w)
	w.run(c)
	if w.silent(c, time.Hour, false) != nil {
		t.Fatal("the task did not move, there was nothing to deliver")
	}
	state(w, "TASK_STATE_COMPLETED")
	f := w.silent(c, 61*time.Second, false)
	if f == nil {
		t.Fatal("not judged")
	}
	check(t, "moved", f.Call.Push.TaskMoved, true)
	check(t, "deliveries", f.Call.Push.Deliveries, 0)

	w = newWorld(t)
	state(w, "TASK_STATE_WORKING")
	c = create(w)
	w.run(c)
	state(w, "TASK_STATE_COMPLETED")
	d := &decode.Call{Exchange: w.exchange("c.example", "/hook"), Kind: spec.KindPush, Protocol: spec.A2A, Sure: decode.Possible, Tentative: true, Fallback: spec.HTTPOther,
		Outcome: spec.OK, TaskID: "t1", Push: &decode.PushFact{TaskID: "t1"}, GRPC: decode.GRPCFact{Status: -1}}
	f = w.run(d)
	check(t, "confirmed by the webhook's url", f.Call.Kind, "push")
	check(t, "known", f.Call.Push.Known, true)
	check(t, "version of the configuration", f.Call.Push.ConfigVersion, "1.0")
	f = w.silent(c, 0, true)
	check(t, "deliveries", f.Call.Push.Deliveries, 1)
}

// A client that repeats its request at once could not use the answer.
func TestClientFailedAfter(t *testing.T) {
	stream := func(c *decode.Call) {
		c.Events = []decode.StreamEvent{{Kind: "task", Wrapped: true}}
		c.Exchange.Response.Fields = append(c.Exchange.Response.Fields, fieldOf("Content-Type", "text/event-stream"))
	}
	w := newWorld(t)
	c := w.rpc("a.example", "/", "SendMessage", stream)
	w.run(c)
	w.run(w.rpc("a.example", "/", "SendMessage"))
	check(t, "repeated", w.silent(c, 0, true).Session.ClientFailed, true)

	w = newWorld(t)
	c = w.rpc("a.example", "/", "SendMessage", stream)
	w.run(c)
	w.run(w.rpc("a.example", "/", "GetTask"))
	check(t, "went on", w.silent(c, 0, true).Session.ClientFailed, false)
}
