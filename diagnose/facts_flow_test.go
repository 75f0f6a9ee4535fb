package diagnose

import (
	"slices"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// streamOf makes a call whose events came one second after the other.
func streamOf(events ...decode.StreamEvent) *decode.Call {
	t0 := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
	x := &capture.Exchange{ID: 1, Started: t0}
	c := &decode.Call{Exchange: x, Kind: spec.KindCall, Binding: spec.JSONRPC, Operation: spec.SendStreamingMessage}
	for i := range events {
		x.Received = append(x.Received, capture.Timed[*capture.Frame]{At: t0.Add(time.Duration(i) * time.Second), V: &capture.Frame{Form: capture.SSEEvent}})
		events[i].Frame = i
	}
	c.Events = events
	return c
}

func flowOf(events ...decode.StreamEvent) *flowSum {
	var s flowSum
	s.take(streamOf(events...))
	return &s
}

func status(state string) decode.StreamEvent {
	return decode.StreamEvent{Kind: "statusUpdate", TaskID: "t1", State: state}
}

func chunk(id string, more, last bool) decode.StreamEvent {
	return decode.StreamEvent{Kind: "artifactUpdate", TaskID: "t1", Artifact: id, Append: more, LastChunk: last}
}

func TestChunksOfArtifacts(t *testing.T) {
	for _, k := range []struct {
		name           string
		events         []decode.StreamEvent
		unknown, after string
	}{
		{"in order", []decode.StreamEvent{chunk("a", false, false), chunk("a", true, true)}, "", ""},
		{"never begun", []decode.StreamEvent{chunk("a", true, false)}, "a", ""},
		{"after the last", []decode.StreamEvent{chunk("a", false, true), chunk("a", true, false)}, "", "a"},
		{"sent anew", []decode.StreamEvent{chunk("a", false, true), chunk("a", false, false), chunk("a", true, true)}, "", ""},
		{"another one", []decode.StreamEvent{chunk("a", false, false), chunk("b", true, false)}, "b", ""},
		{"without an id", []decode.StreamEvent{chunk("", true, false)}, "", ""},
	} {
		f := flowOf(k.events...).facts
		if f.AppendUnknown != k.unknown || f.AfterLast != k.after {
			t.Errorf("%s: unknown %q, after the last %q; want %q, %q", k.name, f.AppendUnknown, f.AfterLast, k.unknown, k.after)
		}
	}
}

// Of a stream with more artifacts than are remembered nothing is claimed.
func TestArtifactsAreBounded(t *testing.T) {
	var events []decode.StreamEvent
	for i := range maxArtifacts + 10 {
		events = append(events, chunk("a"+itoa(int64(i)), false, true))
	}
	for i := range maxArtifacts + 10 {
		events = append(events, chunk("b"+itoa(int64(i)), true, false))
	}
	s := flowOf(events...)
	if len(s.begun) > maxArtifacts || len(s.finished) > maxArtifacts {
		t.Errorf("%d begun and %d finished are remembered", len(s.begun), len(s.finished))
	}
	if f := s.facts; f.AppendUnknown != "" || f.AfterLast != "" {
		t.Errorf("claimed %q and %q", f.AppendUnknown, f.AfterLast)
	}
}

func TestTrailKeepsTheNewest(t *testing.T) {
	var events []decode.StreamEvent
	for i := range 5 * maxTrail {
		events = append(events, chunk("a"+itoa(int64(i)), false, false))
	}
	events = append(events, status("TASK_STATE_COMPLETED"))
	s := flowOf(events...)
	tail := flowOf(events[len(events)-maxTrail:]...)
	if got := s.last(); len(got) != maxTrail || len(s.trail) > 2*maxTrail || !slices.Equal(got, tail.last()) {
		t.Errorf("%d kept of %d, not those of the end", len(got), len(s.trail))
	}
}

func TestEndsOfStreamsAgree(t *testing.T) {
	for _, k := range []struct {
		a, b []uint64
		want bool
	}{
		{[]uint64{1, 2, 3}, []uint64{1, 2, 3}, true},
		{[]uint64{1, 2, 3}, []uint64{2, 3}, true},
		{[]uint64{1, 2, 3}, []uint64{1, 3}, false},
		{[]uint64{1, 2, 3}, nil, true},
	} {
		if got := sameEnd(k.a, k.b); got != k.want || sameEnd(k.b, k.a) != k.want {
			t.Errorf("%v and %v: %v, want %v", k.a, k.b, got, k.want)
		}
	}
}

func TestRoundTimeouts(t *testing.T) {
	for ms, want := range map[int]int{29000: 0, 28999: -1, 60000: 1, 61000: 1, 61001: -1, 600000: 7, 0: -1} {
		if got := roundTimeout(ms); got != want {
			t.Errorf("%d ms: %d, want %d", ms, got, want)
		}
	}
}

func TestMessagesAndFinalStates(t *testing.T) {
	msg := decode.StreamEvent{Kind: "message"}
	f := flowOf(status("TASK_STATE_WORKING"), msg, msg).facts
	if !f.MessageLate || f.AfterMessage != 1 {
		t.Errorf("late %v, after %d", f.MessageLate, f.AfterMessage)
	}
	f = flowOf(status("TASK_STATE_WORKING"), status("TASK_STATE_COMPLETED"),
		decode.StreamEvent{Kind: "task", TaskID: "t1", State: "TASK_STATE_COMPLETED"}).facts
	if f.AfterTerminal != 0 || f.TerminalWord != "TASK_STATE_COMPLETED" {
		t.Errorf("a snapshot counts: %d after %s", f.AfterTerminal, f.TerminalWord)
	}
	f = flowOf(status("TASK_STATE_COMPLETED"), chunk("a", false, true)).facts
	if f.AfterTerminal != 1 || f.AfterTermAt == "" {
		t.Errorf("an update after the end does not count: %+v", f)
	}
}
