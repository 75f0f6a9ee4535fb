package decode

import (
	"a2ascope/capture"
	"a2ascope/decode/spec"
)

// outcome says how the exchange went as far as is known: "" while nothing is,
// ok while a stream goes well.
func (r *Reader) outcome(x *capture.Exchange) spec.Outcome {
	c := r.c
	if f := c.Fault; f != nil {
		switch {
		case f.Shape == "foreign":
			return foreignOutcome(f.HTTP)
		case f.A2A != "":
			return spec.A2AError
		case (f.Shape == "message-only" || f.Shape == "problem" || f.Shape == "status-plain") && f.Std == "" && hopStatus(f.HTTP):
			return spec.HTTPError // the words of a hop, in a form that A2A uses too
		}
		return spec.StdError
	}
	if x.Response == nil {
		return r.unanswered(x)
	}
	st := statusOf(x)
	switch {
	case st >= 300 && st != 304:
		if !x.ReceivedDone && x.End == nil {
			return ""
		}
		return foreignOutcome(st)
	case x.ReceivedDone:
		return r.completeOutcome(x)
	case x.End == nil && len(c.Events) > 0:
		return spec.OK // so far: Phase says that the stream goes on
	case x.End == nil:
		return ""
	case r.ended && (c.Binding != spec.GRPC || x.EndedBy == capture.Client):
		return spec.OK // the last word was said; who closes after it does not matter
	case len(x.Received) == 0 && (x.End.Kind == capture.EndReset || x.End.Kind == capture.EndGoAway):
		return spec.TransportError
	case x.End.Kind == capture.EndUpgraded:
		return spec.OK
	case !r.streaming && !r.foreignStream && (x.End.Kind == capture.EndReset || x.End.Kind == capture.EndGoAway) && !spec.Streams(c.Operation):
		return spec.TransportError
	}
	return spec.Truncated
}

// unanswered: no response head.
func (r *Reader) unanswered(x *capture.Exchange) spec.Outcome {
	if x.End == nil {
		return ""
	}
	switch x.End.Kind {
	case capture.EndReset, capture.EndGoAway, capture.EndUnreachable:
		return spec.TransportError
	}
	return spec.NoResponse
}

// completeOutcome: a good status and a complete answer. An answer whose body
// the capture lost part of is truncated where it could not be read.
func (r *Reader) completeOutcome(x *capture.Exchange) spec.Outcome {
	c := r.c
	if c.Binding == spec.GRPC && c.GRPC.Status < 0 && x.Response != nil {
		// The status is the end of a gRPC answer. HAR files lose the trailers.
		unread := x.AnswerTorn() || x.Link != nil && x.Link.Source == "har"
		if unread && len(x.Received) > 0 {
			return spec.OK
		}
		return spec.Truncated
	}
	if r.ended || len(x.Received) == 0 {
		return spec.OK
	}
	// Of a stream the last frame tells whether its end is there, of a body its only one.
	f := x.Received[len(x.Received)-1].V
	if (f.Cut || f.Lost != 0) && f.Form != capture.SSEComment && !r.readable(f) {
		return spec.Truncated
	}
	return spec.OK
}

// readable reports whether a damaged body was read all the same.
func (r *Reader) readable(f *capture.Frame) bool {
	return f.Form == capture.WholeBody && r.c.ResponseDoc != nil && r.c.ResponseDoc.Err == nil
}

// foreignOutcome tells a hop that refused from an error of unknown origin.
func foreignOutcome(status int) spec.Outcome {
	if hopStatus(status) {
		return spec.HTTPError
	}
	return spec.ForeignError
}

func hopStatus(status int) bool {
	switch status {
	case 401, 403, 407, 408, 429, 502, 503, 504:
		return true
	}
	return status >= 300 && status < 400
}
