package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/diagnose"
)

// book is the session's own state; only the goroutine of Run touches it.
type book struct {
	rows     Rows
	copied   map[int]bool // chunks no reader of an earlier view sees
	files    []File
	engine   Engine
	connBase capture.ConnID
	connNos  map[capture.ConnID]int
	byID     map[capture.ExchangeID]int32 // row index of every exchange of the current file
	open     map[capture.ExchangeID]*draft
	dirty    map[int]*draft // by row index
	progress capture.Progress
	last     time.Time // of the traffic of the current file
	agents   []*diagnose.AgentInfo
	reviews  []*diagnose.Review
	verdicts [8]*diagnose.VersionVerdict // the last different ones
	count    [4]int                      // findings that count, by Severity.Rank
	done     bool

	keep        *keeper
	store       *store
	ret         retention
	endless     bool          // of the current input
	lossy       capture.Lossy // the current input, where it may let go of bytes
	lost        int64         // of the inputs before it
	told        int64         // how much of what it let go the engine knows
	conns       int           // of the current input, and all numbered ones of it
	numbered    int
	total, live int // connections seen over all inputs, and open ones
}

// draft is a row being changed: it becomes a Row when a view is published.
type draft struct {
	index int
	row   Row
	begun *capture.Exchange // until the first call is there
}

func newBook(k *keeper, budget int64) *book {
	return &book{copied: map[int]bool{}, dirty: map[int]*draft{}, keep: k, ret: newRetention(budget),
		store: newStore(budget/bodyPart/2, k.dir, &k.regions)}
}

func (b *book) openFile(name string, e Engine) {
	b.files = append(b.files, File{Name: name})
	b.engine = e
	b.connNos = map[capture.ConnID]int{}
	b.byID = map[capture.ExchangeID]int32{}
	b.open = map[capture.ExchangeID]*draft{}
	b.progress, b.last = capture.Progress{}, time.Time{}
	b.conns, b.numbered = 0, 0
}

func (b *book) file() *File { return &b.files[len(b.files)-1] }

func (b *book) closeFile(sum capture.Summary, err error) {
	end := b.last
	if sum.Last.After(end) {
		end = sum.Last // the capture went on after the last exchange: what did not come in that time did not come
	}
	b.quiet(func() []*diagnose.Finding { return b.engine.Finish(end) })
	b.agents = append(b.agents, b.engine.Agents()...)
	b.reviews = append(b.reviews, b.engine.Review())
	b.live = 0
	f := b.file()
	f.Format, f.Packets, f.Damage, f.Err, f.Done = sum.Format, sum.Packets, sum.Damage, err, true
	f.Conns = int(max(sum.Connections, int64(b.conns)))
	if b.lossy != nil {
		b.lost, b.lossy = b.lost+b.lossy.Lost(), nil
	}
	f.Damage = append(f.Damage, b.let()...)
}

// observe takes one observation in order.
func (b *book) observe(o *observation) {
	switch {
	case o.life == connBegan:
		b.conns++
		b.total++
		b.live++
	case o.life == connEnded:
		b.live--
		delete(b.connNos, o.of) // its exchanges have ended before
	case o.life == connGap:
		b.engine.Missed(o.conn.ev.At)
	case o.conn != nil:
		b.connection(o.conn)
	case o.begun != nil:
		b.begin(o.begun)
	default:
		b.call(o)
	}
}

func (b *book) connNo(id capture.ConnID) int {
	n := b.connNos[id]
	if n == 0 {
		b.numbered++
		n = b.numbered
		b.connNos[id] = n
	}
	return n
}

func (b *book) connection(n *connNote) {
	d := b.add(Row{ConnNo: b.connNo(n.id), Conn: n.info, Link: n.link, At: n.ev.At})
	if c := decode.ReadConnection(connEvent(n.id, &d.row)); c != nil {
		b.byID[c.Exchange.ID] = int32(d.index)
		for _, f := range b.judge(c, decode.AtEnd).Findings {
			b.finding(f)
		}
	}
	b.settled(d, 0)
}

// connEvent is what a connection row was made of. What failed is judged like an
// exchange; the row shows it as one only when there is something to say of it.
func connEvent(id capture.ConnID, r *Row) *capture.Event {
	return &capture.Event{Conn: id, At: r.At, Link: r.Link, Body: r.Conn}
}

func (b *book) begin(x *capture.Exchange) {
	f := b.file()
	f.Exchanges++
	d := b.add(Row{
		Number: f.Exchanges, ConnNo: b.connNo(x.Conn), Link: x.Link, At: x.Started,
	})
	d.begun = x
	b.open[x.ID] = d
	b.byID[x.ID] = int32(d.index)
}

func (b *book) call(o *observation) {
	c, at := o.call, o.at
	d := b.draftOf(c.Exchange.ID)
	if d == nil {
		return
	}
	if t := lastAt(c.Exchange); t.After(b.last) {
		b.last = t
	}
	v := b.judge(c, at)
	switch {
	case at.Over() && v.Kept:
		c = c.Compact()
	case at.Over():
		c.Shed()
	}
	d.row.kept, d.begun = newKept(c), nil
	if v.Version != nil {
		d.row.Version = b.shared(v.Version)
	}
	b.touch(d)
	for _, f := range v.Findings {
		b.finding(f)
	}
	if at.Over() {
		delete(b.open, c.Exchange.ID)
		b.settled(d, o.held)
	}
}

// shared returns a verdict as an earlier row has it, where one of the last
// different ones is equal: most exchanges of a session have the same.
func (b *book) shared(v *diagnose.VersionVerdict) *diagnose.VersionVerdict {
	for _, o := range b.verdicts {
		if o != nil && o.Sent == v.Sent && o.Expected == v.Expected && o.Did == v.Did && slices.Equal(o.Exposes, v.Exposes) {
			return o
		}
	}
	n := *v
	n.Sent = strings.Clone(v.Sent) // it is a part of the head
	copy(b.verdicts[1:], b.verdicts[:])
	b.verdicts[0] = &n
	return &n
}

// judge asks the engine. A fault of a rule is a problem of the exchange it
// happened on; the session goes on.
func (b *book) judge(c *decode.Call, at decode.Checkpoint) (v diagnose.Verdict) {
	defer func() {
		if r := recover(); r != nil {
			c.Problems = append(slices.Clip(c.Problems), decode.Problem{Code: "tool-fault",
				Text: fmt.Sprintf("judging this exchange gave up (a fault of a2ascope): %v", r)})
			v.Kept = true // what of it the engine has is not known
		}
	}()
	return b.engine.Observe(c, at)
}

// silent lets the engine judge what did not come, and reports whether it said
// anything. As with judge, a fault of a rule does not end the session.
func (b *book) silent(now time.Time) (said bool) {
	return b.quiet(func() []*diagnose.Finding { return b.engine.Silent(now) })
}

func (b *book) quiet(judge func() []*diagnose.Finding) (said bool) {
	defer func() { _ = recover() }()
	for _, f := range judge() {
		b.finding(f)
		said = true
	}
	return said
}

// missed tells the engine of what a live source has let go since it was asked
// last. now is nil where nothing is live.
func (b *book) missed(now func() time.Time) {
	if b.lossy == nil || now == nil {
		return
	}
	if n := b.lossy.Lost(); n > b.told {
		b.told = n
		b.engine.Missed(now())
	}
}

// lastAt is the newest time an exchange tells.
func lastAt(x *capture.Exchange) time.Time {
	t := x.Started
	for _, u := range []time.Time{x.Answered, x.Ended} {
		if u.After(t) {
			t = u
		}
	}
	if n := len(x.Received); n > 0 && x.Received[n-1].At.After(t) {
		t = x.Received[n-1].At
	}
	return t
}

// draftOf returns the draft of an exchange, also of one that has ended.
func (b *book) draftOf(id capture.ExchangeID) *draft {
	if d := b.open[id]; d != nil {
		return d
	}
	i, ok := b.byID[id]
	if !ok {
		return nil
	}
	if d := b.dirty[int(i)]; d != nil {
		return d
	}
	return &draft{index: int(i), row: *b.rows.At(int(i))}
}

// finding puts a finding on its row, replacing the one of the same key.
func (b *book) finding(f *diagnose.Finding) {
	d := b.draftOf(f.Key.Exchange)
	if d == nil {
		return
	}
	if !d.row.HasCall() && d.row.Conn != nil {
		if c := decode.ReadConnection(connEvent(f.Key.Exchange.Conn(), &d.row)); c != nil {
			k := newKept(c)
			if old := d.row.kept; old != nil {
				k.held, k.cost = old.held, old.cost
			}
			d.row.kept = k
		}
	}
	fs := slices.Clone(d.row.Findings)
	if i := slices.IndexFunc(fs, func(o *diagnose.Finding) bool { return o.Key == f.Key }); i >= 0 {
		b.tally(fs[i], -1)
		fs[i] = f
	} else {
		fs = append(fs, f)
	}
	b.tally(f, 1)
	slices.SortStableFunc(fs, byStanding)
	d.row.Findings, d.row.Worst = fs, worst(fs)
	b.touch(d)
}

func (b *book) tally(f *diagnose.Finding, n int) {
	if f.Counts() {
		b.count[f.Severity.Rank()] += n
	}
}

// byStanding orders roots first, then by severity, consequences last.
func byStanding(x, y *diagnose.Finding) int {
	rank := func(f *diagnose.Finding) int {
		switch {
		case f.Root:
			return 0
		case f.FollowsFrom == nil && f.FoldedInto == nil:
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(y.Severity.Rank(), x.Severity.Rank()),
		cmp.Compare(x.Rule.Rank, y.Rule.Rank), cmp.Compare(x.Key.Frame, y.Key.Frame))
}

func worst(fs []*diagnose.Finding) diagnose.Severity {
	var w diagnose.Severity
	for _, f := range fs {
		if f.FollowsFrom == nil && f.Severity.Rank() > w.Rank() {
			w = f.Severity
		}
	}
	return w
}

func (b *book) add(r Row) *draft {
	r.Index, r.File = b.rows.n, len(b.files)-1
	if b.rows.n%rowChunk == 0 {
		b.rows.chunks = append(b.rows.chunks, make([]*Row, 0, rowChunk))
		b.copied[len(b.rows.chunks)-1] = true
	}
	last := len(b.rows.chunks) - 1
	b.own(last)
	b.rows.chunks[last] = append(b.rows.chunks[last], nil)
	b.rows.n++
	d := &draft{index: r.Index, row: r}
	b.touch(d)
	return d
}

func (b *book) touch(d *draft) { b.dirty[d.index] = d }

// own makes a chunk writable: readers of earlier views keep the old one.
func (b *book) own(chunk int) {
	if b.copied[chunk] {
		return
	}
	b.copied[chunk] = true
	old := b.rows.chunks[chunk]
	b.rows.chunks[chunk] = append(make([]*Row, 0, rowChunk), old...)
}

// snapshot turns drafts into rows and everything into a view.
func (b *book) snapshot(rev uint64) *View {
	for _, d := range b.dirty {
		b.own(d.index / rowChunk)
		row := d.row
		if row.kept == nil && d.begun != nil {
			row.kept = newKept(&decode.Call{Exchange: d.begun, Kind: spec.KindOther, Protocol: spec.HTTPOther, Tentative: true, Phase: decode.Asking})
		}
		b.rows.chunks[d.index/rowChunk][d.index%rowChunk] = &row
	}
	clear(b.dirty)
	clear(b.copied)
	packed, filed := b.store.sizes()
	v := &View{
		Rev: rev, Rows: Rows{chunks: slices.Clone(b.rows.chunks), n: b.rows.n, forgotten: b.rows.forgotten}, Files: slices.Clone(b.files),
		Memory: b.ret.cost + b.keep.inMemory.Load() + packed, Budget: b.ret.budget, Spilled: b.keep.spilled.Load() + filed,
		Forgotten: b.ret.bodies, RowsForgotten: b.ret.rows, WorstForgotten: b.ret.worst,
		Conns: b.total, OpenConns: b.live, Lost: b.lost,
		Progress: b.progress, Errors: b.count[3], Warnings: b.count[2], Infos: b.count[1], Done: b.done,
	}
	if b.lossy != nil {
		v.Lost += b.lossy.Lost()
	}
	v.Agents, v.Reviews = slices.Clone(b.agents), slices.Clone(b.reviews)
	if b.engine != nil && !b.done && (len(b.files) == 0 || !b.file().Done) {
		v.Agents = append(v.Agents, b.engine.Agents()...)
		v.Reviews = append(v.Reviews, b.engine.Review())
	}
	return v
}
