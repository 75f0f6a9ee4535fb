package diagnose

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// BodyFacts is what the body of a request is, as text and in what it asks.
type BodyFacts struct {
	Flaw       string `cel:"flaw"`        // why a JSON parser cannot read it: charset, encoded, bom, empty, cut, not-json; "" when it can
	FlawValue  string `cel:"flaw_value"`  // the charset or the coding
	FlawOffset int    `cel:"flaw_offset"` // byte at which the JSON breaks, -1 when not known

	Parts   []string `cel:"parts"`    // of the message: text, file, data, raw, url, other, each kind once; filled when the call was refused
	Twice   bool     `cel:"twice"`    // bytes of a file (0.3 ProtoJSON) that look like base64 within base64
	TwiceAt string   `cel:"twice_at"` // where

	History         int    `cel:"history"`          // historyLength, -1 when not sent
	HistoryAt       string `cel:"history_at"`       // where it was sent
	HistoryAnswered bool   `cel:"history_answered"` // the answer holds a history
}

// maxKinds bounds the parts looked at; the kinds of a message repeat.
const maxKinds = 32

// fillAsked fills what is inside the request. It is judged beside the answer:
// before there is one nothing is looked at.
func fillAsked(k *CallFacts, c *decode.Call) {
	if c.AgentCard != nil {
		k.WhatsNew.card(c.AgentCard)
		return
	}
	if c.Kind != spec.KindCall || c.Outcome == "" {
		return
	}
	conf := c.Params.Get("configuration")
	fillBody(k.Body, c, k.HTTP, conf)
	fillQuery(k.Query, c)
	fillRefusal(k.Refusal, c, k)
	fillWhatsNew(k.WhatsNew, c, conf)
	fillWaiting(k.Waiting, c, conf, k.Result.State)
}

func fillBody(b *BodyFacts, c *decode.Call, h *HTTPFacts, conf jsontree.Node) {
	if c.Fault != nil {
		b.fillFlaw(c, h)
	}
	if len(c.Events) > 1 { // judged with the first event
		return
	}
	b.fillHistory(c, conf)
	switch c.Operation {
	case spec.SendMessage, spec.SendStreamingMessage:
	default:
		return
	}
	msg := c.Params.Get("message")
	if c.Fault != nil {
		b.fillParts(msg)
	}
	if old := generation(string(c.Request.Value)); c.Binding != spec.JSONRPC && (old == "0.3" || old == "") {
		b.fillTwice(c, msg)
	}
}

// fillFlaw looks for what keeps a JSON parser from reading the body. A body
// that the capture lost a part of has no flaw that is known.
func (b *BodyFacts) fillFlaw(c *decode.Call, h *HTTPFacts) {
	b.FlawOffset = -1
	x := c.Exchange
	if x.Request == nil || c.Binding == spec.GRPC || !x.SentDone || h.Lost || h.TooLarge {
		return
	}
	code := ""
	for i := range c.Problems {
		p := &c.Problems[i]
		if !strings.HasPrefix(string(p.At), "request/") {
			continue
		}
		switch p.Code {
		case "byte-order-mark", "not-json", "json-cut":
			if code == "" {
				code = p.Code
			}
		case "body-cut", "coding-broken":
			return
		}
	}
	if doc := c.RequestDoc; doc != nil && doc.Err != nil {
		b.FlawOffset = doc.Err.Offset
	}
	set := charsetOf(x.Request)
	coding := strings.TrimSpace(x.Request.Fields.Get("content-encoding"))
	switch {
	case set != "" && set != "utf-8" && set != "utf8" && set != "us-ascii" && set != "ascii":
		b.Flaw, b.FlawValue = "charset", cut(set)
	case coding != "" && !strings.EqualFold(coding, "identity"):
		b.Flaw, b.FlawValue = "encoded", cut(coding)
	case code == "byte-order-mark":
		b.Flaw = "bom"
	case code == "json-cut":
		b.Flaw = "cut"
	case code == "not-json", h.Request == "text", h.Request == "html", h.Request == "other":
		b.Flaw = "not-json"
	case h.Request == "" && h.Method == "POST" && !h.Recorded && (c.Binding == spec.JSONRPC || needsBody(c.Operation)):
		b.Flaw = "empty"
	}
}

// needsBody: REST operations that say nothing without a body.
func needsBody(op spec.Operation) bool {
	return op == spec.SendMessage || op == spec.SendStreamingMessage || op == spec.CreatePushConfig
}

// charsetOf is the charset of a body in lower case, "" when none is named.
func charsetOf(h *capture.Head) string {
	for param := range strings.SplitSeq(lower(h.Fields.Get("content-type")), ";") {
		if v, ok := strings.CutPrefix(strings.TrimSpace(param), "charset="); ok {
			return strings.Trim(v, `" `)
		}
	}
	return ""
}

func (b *BodyFacts) fillParts(msg jsontree.Node) {
	n := 0
	for p := range partsOf(msg) {
		if n++; n > maxKinds {
			return
		}
		b.Parts = addOnce(b.Parts, partKind(p))
	}
}

// partsOf yields the parts of a message in any dialect.
func partsOf(msg jsontree.Node) func(func(jsontree.Node) bool) {
	parts := msg.Get("parts")
	if !parts.Exists() {
		parts = msg.Get("content")
	}
	return parts.Children()
}

// partKind names a part by the member it has. In 0.3 a part with a file has it there.
func partKind(p jsontree.Node) string {
	for _, name := range [...]string{"text", "file", "data", "raw", "url"} {
		if p.Has(name) {
			return name
		}
	}
	return "other"
}

// fillTwice: the 0.3 proto has bytes, the 0.3 schema a base64 string. Layers that put
// the one into the other encode twice.
func (b *BodyFacts) fillTwice(c *decode.Call, msg jsontree.Node) {
	n := 0
	for p := range partsOf(msg) {
		if n++; n > maxKinds {
			return
		}
		f := p.Get("file").Get("fileWithBytes")
		if f.IsString() && looksTwice(f) {
			b.Twice, b.TwiceAt = true, string(c.ParamsAt.Below(pointerBelow(c.Params, f)))
			return
		}
	}
}

// twiceSample is how much of a file is looked at, in base64 characters.
const twiceSample = 128

// looksTwice reports whether base64 holds base64 of something that can be
// told: a file by its first bytes, or plain text.
func looksTwice(n jsontree.Node) bool {
	raw := n.Raw()
	raw = raw[1 : len(raw)-1]
	if len(raw) < 24 || len(raw)%4 != 0 {
		return false
	}
	if len(raw) > twiceSample {
		raw = raw[:twiceSample]
	}
	inner, ok := fromBase64(string(raw))
	if !ok {
		return false
	}
	inner = inner[:len(inner)&^3]
	content, ok := fromBase64(string(inner))
	if !ok || len(content) < 8 {
		return false
	}
	for _, magic := range [...]string{"\x89PNG", "\xff\xd8\xff", "GIF8", "%PDF", "PK\x03\x04", "RIFF", "\x1f\x8b", "OggS", "ID3", "BM"} {
		if strings.HasPrefix(string(content), magic) {
			return true
		}
	}
	for i := 0; i < len(content); {
		r, size := utf8.DecodeRune(content[i:])
		if r == utf8.RuneError && i+utf8.UTFMax <= len(content) || r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			return false
		}
		i += size
	}
	return true
}

func fromBase64(s string) ([]byte, bool) {
	s = strings.TrimRight(s, "=")
	enc := base64.RawStdEncoding
	if strings.ContainsAny(s, "-_") {
		enc = base64.RawURLEncoding
	}
	b, err := enc.DecodeString(s)
	return b, err == nil
}

func (b *BodyFacts) fillHistory(c *decode.Call, conf jsontree.Node) {
	n := conf.Get("historyLength")
	if !n.Exists() {
		n = c.Params.Get("historyLength")
	}
	if n.Exists() {
		if v, ok := n.Int(); ok {
			b.History, b.HistoryAt = int(v), string(c.ParamsAt.Below(pointerBelow(c.Params, n)))
		}
	} else if s := c.Path.Query["historyLength"]; s != "" {
		if v, ok := number(s); ok {
			b.History, b.HistoryAt = v, "request/query/historyLength"
		}
	}
	if b.History != 0 || c.Outcome != spec.OK {
		return
	}
	r := c.Result
	if t := r.Get("task"); t.IsObject() {
		r = t
	}
	b.HistoryAnswered = r.Get("history").Len() > 0
	for t := range r.Get("tasks").Children() {
		if t.Get("history").Len() > 0 {
			b.HistoryAnswered = true
			return
		}
	}
}
