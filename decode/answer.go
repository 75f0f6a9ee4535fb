package decode

import (
	"strings"

	"a2ascope/capture"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// statusOf returns the HTTP status of an answer, 0 when it is not known.
func statusOf(x *capture.Exchange) int { return status(x.Response) }

func status(h *capture.Head) int {
	if h == nil || h.Status == capture.StatusUnknown {
		return 0
	}
	return h.Status
}

// answer reads what came back when it is complete, or over.
func (r *Reader) answer(x *capture.Exchange) {
	if x.Response == nil && len(x.Received) == 0 && x.Trailer == nil {
		return
	}
	if r.response == nil {
		r.response = x.Response
	}
	c := r.c
	if carriesGRPC(x) {
		if c.Protocol == spec.HTTPOther { // the head of the request was lost
			c.Protocol = spec.GRPCOther
		}
		if r.answerRead && x.Trailer == r.trailer {
			return
		}
		r.answerRead, r.trailer = true, x.Trailer
		r.answerHeaders()
		r.grpcAnswer(x)
		return
	}
	if r.answerRead {
		return
	}
	r.answerRead = true
	if r.response != nil {
		r.answerHeaders()
	}
	if r.streaming || r.foreignStream {
		return
	}
	f, i := bodyFrame(x.Received, capture.WholeBody)
	if f == nil || len(f.Data) == 0 {
		r.emptyAnswer(x)
		return
	}
	if x.Response == nil {
		return
	}
	if f.Form == capture.LooseData && x.Response.MediaType() == "text/event-stream" {
		r.problem("stream-unread", "no event could be read from the event stream", FramePlace("response", i, ""))
		return
	}
	doc := r.parseBody(f, "response", i, x.Response)
	if doc == nil {
		r.textAnswer(x, f)
		return
	}
	c.ResponseDoc = doc
	root, base := doc.Root(), FramePlace("response", i, "")
	switch c.Kind {
	case spec.KindCard:
		r.cardAnswer(x, root, base)
		return
	case spec.KindPush, spec.KindPreflight:
		if statusOf(x) >= 300 {
			c.Fault = r.restFault(root, base, x.Response)
		}
		return
	case spec.KindCall:
		if c.Protocol != spec.A2A {
			return
		}
		if r.rpcAnswer(root, base) {
			if c.Binding == "" { // only a header said A2A
				c.Binding = spec.JSONRPC
				c.Tentative, c.Fallback = false, ""
			}
			return
		}
		if r.unprovenCard(x, root, base) {
			return
		}
		if c.Binding == spec.JSONRPC && statusOf(x) < 300 {
			r.notEnvelope(root, base)
			return
		}
		r.restAnswer(root, base)
		return
	}
	r.byAnswerAlone(x, root, base)
}

// answerHeaders weighs the fields of the answer. They say little: proxies add and strip.
func (r *Reader) answerHeaders() {
	if r.c.Protocol != spec.A2A || r.response == nil {
		return
	}
	h := r.response
	for i := range h.Fields {
		f := &h.Fields[i]
		switch len(f.Name) {
		case 11:
			if strings.EqualFold(f.Name, versionHeader) {
				if v := versionOf(f.Value); v != spec.NoVersion {
					r.resp.pushOnce(VersionSignal(HeaderPlace("response", versionHeader), f.Value, v, Weak, "version-echo"))
				}
			}
		case 12:
			if strings.EqualFold(f.Name, "content-type") && h.MediaType() == "application/a2a+json" {
				r.resp.addAt(evMedia, "response/header/content-type", "application/a2a+json")
			}
		case 14:
			if strings.EqualFold(f.Name, "a2a-extensions") {
				r.resp.addAt(evExtensions, "response/header/a2a-extensions", clip(f.Value, shortLimit))
			}
		case 16:
			if strings.EqualFold(f.Name, "x-a2a-extensions") {
				r.resp.addAt(evXExtensions, "response/header/x-a2a-extensions", clip(f.Value, shortLimit))
			}
		}
	}
}

// emptyAnswer: no body. For errors that is a foreign fault; a call that must be
// answered by an envelope was not answered.
func (r *Reader) emptyAnswer(x *capture.Exchange) {
	c := r.c
	if x.Response == nil || !x.ReceivedDone || c.Kind == spec.KindOther || c.Kind == spec.KindInfra {
		return
	}
	st := statusOf(x)
	switch {
	case st >= 300 && st != 304:
		c.Fault = r.foreignFault(x)
	case c.Binding == spec.JSONRPC && c.RPC.IsEnvelope && c.RPC.ID != "" && st == 200:
		c.Fault = r.foreignFault(x)
		r.problem("answer-empty", "the answer to a JSON-RPC call has no body", "response")
	}
}

// textAnswer: a body that is no JSON.
func (r *Reader) textAnswer(x *capture.Exchange, f *capture.Frame) {
	c := r.c
	if c.Kind == spec.KindOther || c.Kind == spec.KindInfra || c.Kind == spec.KindPreflight {
		return
	}
	switch {
	case statusOf(x) >= 300:
		c.Fault = r.foreignFault(x)
	case c.Kind == spec.KindPush || statusOf(x) == 204:
	default:
		c.Fault = r.foreignFault(x)
		r.problem("not-json", "the answer is "+mediaWords(x.Response)+" where JSON was due", "response/frame/0#")
	}
}

func mediaWords(h *capture.Head) string {
	if m := h.MediaType(); m != "" {
		return clip(m, shortLimit)
	}
	return "text without a media type"
}

// notEnvelope: JSON, but not the envelope a JSON-RPC call is answered with.
func (r *Reader) notEnvelope(root jsontree.Node, base Place) {
	c := r.c
	if f := r.inlineFault(root, base); f != nil {
		c.Fault = f
		return
	}
	c.Result, c.ResultAt = root, base
	r.problem("no-envelope", "the answer to a JSON-RPC call is JSON without the JSON-RPC envelope", base)
	r.readResult(root, base, false)
	if c.Tentative && !recognise(root).sure {
		return
	}
	if o := recognise(root); !o.sure && o.kind == objOther {
		c.Fault = r.foreignFault(nil)
		c.Fault.At = base
	}
}

// cardAnswer reads the answer to a card fetch.
func (r *Reader) cardAnswer(x *capture.Exchange, root jsontree.Node, base Place) {
	c := r.c
	switch {
	case statusOf(x) >= 300:
		c.Fault = r.restFault(root, base, x.Response)
	case looksLikeCard(root):
		if c.Tentative {
			r.confirm(base, "card-shape")
		}
		r.readCard(root, base, false)
		c.Result, c.ResultAt = root, base
	case root.IsObject() && !c.Tentative && (root.Has("name") || root.Has("skills") || root.Has("supportedInterfaces") || root.Has("url")):
		r.readCard(root, base, false) // a poor card is still the card of this agent
		c.Result, c.ResultAt = root, base
	default:
		r.problem("not-a-card", "the answer at the card's path is no agent card", base)
	}
}

// unprovenCard: the GET was only A2A by a header, or a generic route, and the answer is a card.
func (r *Reader) unprovenCard(x *capture.Exchange, root jsontree.Node, base Place) bool {
	c := r.c
	if c.Operation != "" || c.Binding == spec.JSONRPC || x.Request == nil || x.Request.Method != "GET" ||
		statusOf(x) != 200 || !looksLikeCard(root) {
		return false
	}
	r.becomeCard(x, root, base)
	return true
}

func (r *Reader) becomeCard(x *capture.Exchange, root jsontree.Node, base Place) {
	c := r.c
	c.Kind, c.Protocol, c.Binding, c.Operation = spec.KindCard, spec.A2A, "", spec.GetAgentCard
	c.Method = "GET " + x.Request.Path()
	c.Tentative, c.Fallback = false, ""
	c.identify(base, "card", spec.A2A, Decisive, "card-shape")
	c.Result, c.ResultAt = root, base
	r.readCard(root, base, false)
}
