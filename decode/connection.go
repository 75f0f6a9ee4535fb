package decode

import (
	"strings"

	"a2ascope/capture"
	"a2ascope/decode/spec"
)

// ReadConnection reads a connection on which no HTTP was spoken. It returns a
// call of kind connection where the connection failed and thereby says
// something, nil for all others (no key, nothing sent, another protocol).
//
// Its exchange has no message on either side. Its id is the one no exchange of
// the connection has: they count from 1.
func ReadConnection(e *capture.Event) *Call {
	info, ok := e.Body.(*capture.ConnInfo)
	if !ok {
		return nil
	}
	x := &capture.Exchange{
		ID: capture.NewExchangeID(e.Conn, 0), Conn: e.Conn, Seq: e.Seq, Link: e.Link, Started: e.At, Ended: e.At, EndedBy: capture.Server,
		End: &capture.End{Kind: capture.EndUnreachable, Text: info.Text},
	}
	switch {
	case info.Protocol == "refused":
	case info.Protocol == "tls" && failedHandshake(info.Text):
		if strings.Contains(info.Text, "the client sent") {
			x.EndedBy = capture.Client
		}
	case info.Protocol == "unknown" && strings.Contains(info.Text, "TLS alert"):
		x.Breaches = []capture.Timed[capture.Sided[*capture.Breach]]{{At: e.At, V: capture.Sided[*capture.Breach]{
			From: capture.Server, V: &capture.Breach{Code: capture.BreachTLS, Text: info.Text}}}}
	default:
		return nil
	}
	return &Call{
		Exchange: x, Kind: spec.KindConnection, Protocol: spec.HTTPOther, Sure: Certain, Phase: Ended, Outcome: spec.TransportError,
		Declared: Declared{Presence: "absent"}, GRPC: GRPCFact{Status: -1},
	}
}

// failedHandshake: an alert in clear comes before the keys are agreed on, so it
// ends a handshake. A user who gives up (RFC 8446 §6.1) is no failure.
func failedHandshake(text string) bool {
	return strings.Contains(text, " sent alert ") && !strings.Contains(text, "(user canceled)")
}

// onlyConnection: one side spoke TLS and the other did not, so that no request
// could be read.
func onlyConnection(x *capture.Exchange) bool {
	for i := range x.Breaches {
		if x.Breaches[i].V.V.Code == capture.BreachTLS {
			return true
		}
	}
	return false
}
