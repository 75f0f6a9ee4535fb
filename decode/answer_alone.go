package decode

import (
	"a2ascope/capture"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// byAnswerAlone reads an exchange whose request says nothing, or is not there,
// by its answer: an envelope with an A2A object, an error with A2A's domain, a card.
func (r *Reader) byAnswerAlone(x *capture.Exchange, root jsontree.Node, base Place) {
	c := r.c
	if c.Protocol != spec.HTTPOther {
		return
	}
	env := readEnvelope(root)
	if env.two && !env.method.Exists() && (env.result.Exists() || env.error.Exists()) {
		if !answerOfA2A(&env) {
			if x.Request == nil {
				c.Kind, c.Protocol, c.Binding = spec.KindCall, spec.A2A, spec.JSONRPC
				c.Tentative, c.Fallback = true, spec.JSONRPCOther
				r.rpcAnswer(root, base)
			}
			return
		}
		c.Kind, c.Protocol, c.Binding = spec.KindCall, spec.A2A, spec.JSONRPC
		c.Tentative, c.Fallback = false, ""
		c.identify(base, "", spec.A2A, Strong, "answer-envelope")
		r.rpcAnswer(root, base)
		return
	}
	if x.Request != nil && x.Request.Method == "GET" && statusOf(x) == 200 && looksLikeCard(root) {
		r.becomeCard(x, root, base)
		return
	}
	if statusOf(x) >= 400 {
		if f := r.restFault(root, base, x.Response); f.HasInfo {
			r.answerMakesCall(spec.HTTPJSON, base, "error-info")
			c.Fault = f
		}
		return
	}
	if x.Request != nil {
		return
	}
	if looksLikeCard(root) {
		c.Kind, c.Protocol, c.Operation = spec.KindCard, spec.A2A, spec.GetAgentCard
		c.identify(base, "card", spec.A2A, Strong, "card-shape")
		c.Result, c.ResultAt = root, base
		r.readCard(root, base, false)
		return
	}
	if o := recognise(root); o.sure && (o.member != "" || o.kind == objTask) {
		r.answerMakesCall(spec.HTTPJSON, base, "result-"+o.kind)
		c.Result, c.ResultAt = root, base
		r.readResult(root, base, false)
	}
}

func (r *Reader) answerMakesCall(b spec.Binding, at Place, why string) {
	c := r.c
	c.Kind, c.Protocol, c.Binding = spec.KindCall, spec.A2A, b
	c.Tentative, c.Fallback = false, ""
	c.identify(at, "", spec.A2A, Strong, why)
	r.answerHeaders()
}

// answerOfA2A reports whether an envelope carries something only A2A has.
func answerOfA2A(env *envelope) bool {
	if env.error.IsObject() {
		for d := range env.error.Get("data").Children() {
			if d.Get("domain").Str() == spec.ErrorDomain {
				return true
			}
		}
		return false
	}
	if looksLikeCard(env.result) {
		return true
	}
	o := recognise(env.result)
	switch o.kind {
	case objTask, objMessage, objStatus, objArtifact:
		return o.sure
	}
	return false
}
