package ruletest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"a2ascope/capture"
	"a2ascope/capture/script"
	"a2ascope/capture/wire"
	"a2ascope/decode"
	"a2ascope/decode/schema"
	"a2ascope/diagnose"
)

// Outcome is what the engine said of a play.
type Outcome struct {
	Findings []*diagnose.Finding                 // as they stand at the end
	Number   map[capture.ExchangeID]int          // of each exchange, from 1
	Calls    map[capture.ExchangeID]*decode.Call // the last reading of each
	Stats    diagnose.Stats
	Review   *diagnose.Review // nil without questions
}

// Play runs a play through the whole pipeline with all rules of the set.
func Play(set *diagnose.Set, name string, text []byte, o diagnose.Options) (*Outcome, error) {
	play, err := script.Parse(name, text)
	if err != nil {
		return nil, err
	}
	return Observe(set, play.Source(script.Options{EncodeGRPC: schema.EncodeGRPC}), o)
}

// Observe runs what a source emits through the whole pipeline.
func Observe(set *diagnose.Set, src capture.Source, o diagnose.Options) (*Outcome, error) {
	p := &pipeline{
		engine: diagnose.NewEngine(set, o),
		conns:  wire.Conns{},
		open:   decode.Readers{},
		last:   map[diagnose.Key]*diagnose.Finding{},
		calls:  map[capture.ExchangeID]*decode.Call{},
	}
	sum, err := src.Run(context.Background(), p)
	if err != nil {
		return nil, err
	}
	if sum.Last.After(p.now) {
		p.now = sum.Last
	}
	p.take(p.engine.Finish(p.now))
	return p.outcome(), nil
}

// pipeline takes the chunks of a play, one after the other.
type pipeline struct {
	engine *diagnose.Engine
	conns  wire.Conns
	open   decode.Readers
	last   map[diagnose.Key]*diagnose.Finding
	calls  map[capture.ExchangeID]*decode.Call
	events []capture.Event
	now    time.Time
}

// Chunks feeds the wire, and the engine with what comes of it.
func (p *pipeline) Chunks(chunks []capture.Chunk) error {
	for i := range chunks {
		ch := &chunks[i]
		if ch.At.After(p.now) {
			p.now = ch.At
		}
		p.events = p.conns.Feed(ch, p.events[:0])
		for j := range p.events {
			p.event(&p.events[j])
		}
	}
	return nil
}

// Events is for sources that have no bytes.
func (p *pipeline) Events(events []capture.Event) error {
	for i := range events {
		p.event(&events[i])
	}
	return nil
}

// Progress is not followed.
func (p *pipeline) Progress(capture.Progress) {}

func (p *pipeline) event(e *capture.Event) {
	if e.Exchange == 0 {
		p.connection(e)
		return
	}
	call, at := p.open.Read(e)
	if at == decode.NoCheckpoint {
		return
	}
	p.observe(call, at)
}

// connection judges a connection that failed before there was an exchange.
func (p *pipeline) connection(e *capture.Event) {
	call := decode.ReadConnection(e)
	if call == nil {
		return
	}
	p.open[call.Exchange.ID] = &decode.Reading{Exchange: call.Exchange}
	p.observe(call, decode.AtEnd)
}

func (p *pipeline) observe(call *decode.Call, at decode.Checkpoint) {
	v := p.engine.Observe(call, at)
	judged := *call
	p.calls[call.Exchange.ID] = &judged
	if at.Over() && !v.Kept {
		call.Shed() // as a session does: the engine must not need it
	}
	p.take(v.Findings)
}

func (p *pipeline) take(fs []*diagnose.Finding) {
	for _, f := range fs {
		p.last[f.Key] = f
	}
}

func (p *pipeline) outcome() *Outcome {
	o := &Outcome{Number: map[capture.ExchangeID]int{}, Calls: p.calls, Stats: p.engine.Stats(), Review: p.engine.Review()}
	var all []*capture.Exchange
	for _, r := range p.open {
		all = append(all, r.Exchange)
	}
	slices.SortFunc(all, func(a, b *capture.Exchange) int {
		if a.Seq != b.Seq {
			return int(a.Seq) - int(b.Seq)
		}
		return int(a.ID) - int(b.ID)
	})
	for i, x := range all {
		o.Number[x.ID] = i + 1
	}
	for _, f := range p.last {
		o.Findings = append(o.Findings, f)
	}
	slices.SortFunc(o.Findings, func(a, b *diagnose.Finding) int {
		return strings.Compare(o.line(a), o.line(b))
	})
	return o
}

// line is a finding as the want files write it.
func (o *Outcome) line(f *diagnose.Finding) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s %s %s", o.Number[f.Key.Exchange], f.Rule.ID, f.Severity, diagnose.Standing(f)))
}

// Want returns the findings as a want file.
func (o *Outcome) Want() string {
	var b strings.Builder
	for _, f := range o.Findings {
		b.WriteString(o.line(f))
		b.WriteByte('\n')
	}
	return b.String()
}

// maxRoots is how many errors may stand for one exchange: one, or two where
// both sides have something to change.
const maxRoots = 2

// Check reports exchanges with more errors than can be their cause, and findings
// that could not be shown to anyone: an empty text, an empty hole, no evidence.
func (o *Outcome) Check() error {
	var errs []error
	roots := map[capture.ExchangeID]int{}
	for _, f := range o.Findings {
		if f.Severity == diagnose.Error && f.Counts() {
			if roots[f.Key.Exchange]++; roots[f.Key.Exchange] == maxRoots+1 {
				errs = append(errs, fmt.Errorf("exchange %d: more than %d errors are shown as its cause, the last is %s", o.Number[f.Key.Exchange], maxRoots, f.Rule.ID))
			}
		}
		for _, l := range []diagnose.Lang{diagnose.EN, diagnose.ZH} {
			t := f.Texts(l)
			if t.Symptom == "" || t.Cause == "" {
				errs = append(errs, fmt.Errorf("%s: symptom or cause is empty in %s", f.Rule.ID, l))
			}
			if t.FixClient == "" && t.FixServer == "" && f.Blame != diagnose.BlameNone && f.Blame != diagnose.BlameTool {
				errs = append(errs, fmt.Errorf("%s: no fix in %s, though the %s is to blame", f.Rule.ID, l, f.Blame))
			}
		}
		for name, v := range f.Args {
			if v == "" && used(f, name) && !strings.Contains(f.Rule.Let[name], `""`) { // "" in it: meant to be left out
				errs = append(errs, fmt.Errorf("%s: hole {%s} is empty", f.Rule.ID, name))
			}
		}
		if len(f.Evidence) == 0 {
			errs = append(errs, fmt.Errorf("%s: no evidence was found at its places", f.Rule.ID))
		}
	}
	return errors.Join(errs...)
}

// used reports whether a text has the hole; evidence may have empty ones.
func used(f *diagnose.Finding, name string) bool {
	r := f.Rule
	for _, t := range []diagnose.Text{r.Symptom, r.Cause, r.Fix.Client, r.Fix.Server} {
		if strings.Contains(t.EN+t.ZH, "{"+name+"}") {
			return true
		}
	}
	return false
}
