package detail

import (
	"strconv"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/internal/redact"
	"a2ascope/ui/kit"
	"a2ascope/ui/text"
)

// request shows the request line, the headers that A2A knows, and the body.
func (b *builder) request() {
	x := b.p.Row.Call().Exchange
	if x.Request == nil {
		b.static().Text(kit.Warn, 0, b.w.NoRequestSeen)
		return
	}
	b.startLine(x.Request)
	b.knownFields(x.Request, "request")
	b.static().Blank()
	b.frames(capture.Client, x.Sent, x.SentDone)
}

// response shows the answer of a call that is no stream.
func (b *builder) response() {
	x := b.p.Row.Call().Exchange
	if x.Response == nil {
		b.static().Text(kit.Warn, 0, b.noAnswer(x))
		return
	}
	b.startLine(x.Response)
	b.knownFields(x.Response, "response")
	if x.Trailer != nil && !x.Trailer.Only {
		for _, f := range x.Trailer.Fields {
			b.field(f, decode.TrailerPlace(f.Name), b.w.PlaceTrailer+" ")
		}
	}
	b.static().Blank()
	b.frames(capture.Server, x.Received, x.ReceivedDone)
}

func (b *builder) noAnswer(x *capture.Exchange) string {
	if x.End == nil {
		return b.w.NoAnswerYet
	}
	s := b.w.EndWords(x.End.Kind.String())
	if x.End.Text != "" {
		s += ": " + x.End.Text
	}
	return s
}

// frames adds the bodies of a side.
func (b *builder) frames(side capture.Side, fs []capture.Timed[*capture.Frame], done bool) {
	const most = 200 // a client that streams: the first ones; the events pane is for answers
	if len(fs) == 0 {
		if done {
			b.static().Text(kit.Dim, 0, b.w.NoBody)
		} else {
			b.static().Text(kit.Dim, 0, b.w.BodyNotSeen)
		}
		return
	}
	for i, f := range fs {
		if i == most {
			b.static().Text(kit.Dim, 0, b.w.AndMore(len(fs)-i))
			return
		}
		if len(fs) > 1 {
			b.static().Blank().Add(text.Seg{Text: b.w.PlaceEvent + " " + strconv.Itoa(i+1) + "  " + kit.Bytes(f.V.Size), Role: kit.Title})
		}
		b.body(side, i)
		b.cutNote(f.V)
	}
}

// cutNote says what of a frame is not there.
func (b *builder) cutNote(f *capture.Frame) {
	if f.Lost != 0 {
		b.static().Text(kit.Warn, 0, b.w.BytesLost(f.Lost))
	}
	if f.Cut {
		b.static().Text(kit.Warn, 0, b.w.BodyCut)
	}
	if f.Size > int64(len(f.Data)) && f.Lost == 0 {
		b.static().Text(kit.Warn, 0, b.w.BodyShown(kit.Bytes(int64(len(f.Data))), kit.Bytes(f.Size)))
	}
	if f.Coding != "" {
		b.static().Text(kit.Mark, 0, b.w.CodingRemoved(f.Coding, kit.Bytes(f.WireSize)))
	}
}

func (b *builder) startLine(h *capture.Head) {
	place := decode.Place("request/line")
	var line string
	if h.IsRequest() {
		line = h.Method + " " + b.text(h.Target) + " " + h.Proto
	} else {
		place = "response/line"
		line = h.Proto + " " + strconv.Itoa(h.Status) + " " + h.Reason
	}
	role := kit.Bold
	hit := b.evidenceAt(place) || b.queryEvidence(h)
	if hit {
		role = kit.Evidence
	}
	b.at[place] = b.here()
	for _, e := range b.evidence() { // query parameters stand in the request line
		if side, kind, _, _, _ := kit.SplitPlace(e); side == "request" && kind == "query" && h.IsRequest() {
			b.at[e] = b.here()
		}
	}
	b.static().AddLine(text.Line{Hang: 4, Gutter: hit, Segs: []text.Seg{{Text: kit.OneLine(line, 8000), Role: role}}})
}

func (b *builder) queryEvidence(h *capture.Head) bool {
	if !h.IsRequest() {
		return false
	}
	for _, e := range b.evidence() {
		if side, kind, _, _, _ := kit.SplitPlace(e); side == "request" && kind == "query" {
			return true
		}
	}
	return false
}

// known are the fields that matter to A2A, shown above the body.
var known = map[string]bool{
	"host": true, ":authority": true, "content-type": true, "accept": true, "a2a-version": true, "a2a-extensions": true,
	"x-a2a-extensions": true, "content-encoding": true, "location": true, "retry-after": true, "www-authenticate": true,
	"grpc-status": true, "grpc-message": true, "grpc-encoding": true, "grpc-timeout": true, "allow": true, "last-event-id": true,
}

func (b *builder) knownFields(h *capture.Head, side string) {
	for _, f := range h.Fields {
		if known[strings.ToLower(f.Name)] {
			b.field(f, decode.HeaderPlace(side, f.Name), "")
		}
	}
}

// field adds a header or trailer line, marked where a finding points at it.
func (b *builder) field(f capture.Field, at decode.Place, prefix string) {
	role, hit := kit.Plain, b.evidenceAt(at)
	if hit {
		role = kit.Evidence
	}
	if _, seen := b.at[at]; !seen {
		b.at[at] = b.here()
	}
	segs := []text.Seg{
		{Text: prefix, Role: kit.Dim},
		{Text: kit.OneLine(f.Name, 200), Role: kit.SynAttr},
		{Text: ": ", Role: kit.SynPunct},
		{Text: kit.OneLine(b.header(f.Name, f.Value), 16000), Role: role},
	}
	if f.Unknown {
		segs = append(segs, text.Seg{Text: "  " + b.w.FieldUnknown, Role: kit.Mark})
	}
	b.static().AddLine(text.Line{Hang: 4, Gutter: hit, Segs: segs})
}

// raw shows both sides as sent: heads in order, bodies byte by byte.
func (b *builder) raw() {
	x := b.p.Row.Call().Exchange
	b.rawSide(b.w.Client+" → "+b.w.Agent, kit.ClientSide, x.Request, nil, capture.Client, x.Sent)
	for _, h := range x.Interim {
		b.title(b.w.Agent + " → " + b.w.Client)
		b.head(h, "response")
	}
	b.rawSide(b.w.Agent+" → "+b.w.Client, kit.AgentSide, x.Response, x.Trailer, capture.Server, x.Received)
	b.ending(x)
}

func (b *builder) rawSide(head string, role kit.Role, h *capture.Head, tr *capture.Trailer, side capture.Side, fs []capture.Timed[*capture.Frame]) {
	b.static().Blank().Add(text.Seg{Text: "── " + head + " ──", Role: role})
	if h == nil {
		if side == capture.Client {
			b.static().Text(kit.Warn, 0, b.w.NoRequestSeen)
		} else {
			b.static().Text(kit.Warn, 0, b.noAnswer(b.p.Row.Call().Exchange))
		}
		return
	}
	b.head(h, kit.SideName(side))
	b.static().Blank()
	for i, f := range fs {
		if i == 2000 {
			b.static().Text(kit.Dim, 0, b.w.AndMore(len(fs)-i))
			break
		}
		if f.V.Form != capture.WholeBody {
			b.static().Blank().Add(text.Seg{Text: "[" + strconv.Itoa(i+1) + "] +" + kit.Duration(f.At.Sub(b.p.Row.Call().Exchange.Started)) + "  " + kit.Bytes(f.V.Size), Role: kit.Dim})
		}
		b.rawFrame(side, i, f.V)
		b.cutNote(f.V)
	}
	if tr != nil && !tr.Only && len(tr.Fields) > 0 {
		b.static().Blank().Add(text.Seg{Text: b.w.Trailers, Role: kit.Title})
		for _, f := range tr.Fields {
			b.field(f, decode.TrailerPlace(f.Name), "")
		}
	}
	if tr != nil && tr.Only {
		b.static().Text(kit.Mark, 0, b.w.TrailersOnly)
		for _, f := range tr.Fields { // the same block is the head: its places lead there
			if at, ok := b.at[decode.HeaderPlace("response", f.Name)]; ok {
				b.at[decode.TrailerPlace(f.Name)] = at
			}
		}
	}
}

// head adds a head with every field in its order and spelling.
func (b *builder) head(h *capture.Head, side string) {
	b.startLine(h)
	if h.Stream != 0 {
		b.pseudo(h)
	}
	count := map[string]int{}
	for _, f := range h.Fields {
		name := strings.ToLower(f.Name)
		at := decode.HeaderPlace(side, f.Name)
		if n := count[name]; n > 0 {
			at += decode.Place("/" + strconv.Itoa(n))
		}
		count[name]++
		b.field(f, at, "")
	}
}

// pseudo shows what HTTP/2 carries in fields with a colon.
func (b *builder) pseudo(h *capture.Head) {
	show := func(name, v string) {
		if v != "" {
			b.static().AddLine(text.Line{Hang: 4, Segs: []text.Seg{
				{Text: name, Role: kit.Dim}, {Text: ": ", Role: kit.SynPunct}, {Text: kit.OneLine(b.text(v), 4000), Role: kit.Dim}}})
		}
	}
	show(":scheme", h.Scheme)
	show(":authority", h.Authority)
	show("stream", strconv.FormatUint(uint64(h.Stream), 10))
}

// rawFrame adds the bytes of a frame: as text where they are text.
func (b *builder) rawFrame(side capture.Side, i int, f *capture.Frame) {
	data := f.Data
	if f.Raw != nil {
		data = f.Raw
	}
	switch {
	case len(data) == 0:
		b.static().Text(kit.Dim, 0, b.w.NoBody)
	case text.IsText(data) && f.Form != capture.GRPCMessage && !b.p.Hex:
		const whole = 1 << 20 // up to here secrets are found across line breaks
		mask := b.mask
		if mask.On() && len(data) <= whole && f.Raw == nil {
			data, mask = mask.Body(data), redact.Off
		}
		b.blocks = append(b.blocks, text.NewRaw(data, kit.Plain, mask))
	default:
		if b.mask.On() {
			if doc := decode.DocAt(b.p.Row.Call(), kit.SideName(side), i); doc != nil {
				data = b.mask.SameLength(data, doc)
			}
		}
		b.blocks = append(b.blocks, text.NewHex(data))
	}
}

func (b *builder) ending(x *capture.Exchange) {
	s := b.static().Blank()
	if x.End == nil {
		s.Text(kit.Accent, 0, b.w.StillOpen)
		return
	}
	role := kit.Dim
	if x.End.Kind != capture.EndDone {
		role = kit.Warn
	}
	line := b.w.EndWords(x.End.Kind.String())
	if x.End.Kind == capture.EndReset || x.End.Kind == capture.EndClosed || x.End.Kind == capture.EndGoAway {
		line += " · " + b.sideWord(x.EndedBy.String())
	}
	if x.End.Code != 0 {
		line += " · HTTP/2 " + strconv.FormatUint(uint64(x.End.Code), 10)
	}
	if x.End.Text != "" {
		line += " · " + b.text(x.End.Text)
	}
	s.Text(role, 0, line)
}
