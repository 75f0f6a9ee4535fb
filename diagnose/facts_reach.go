package diagnose

import (
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// ReachFacts is what happened to the connection under an exchange.
type ReachFacts struct {
	Trouble   string `cel:"trouble"`    // why there was no connection: refused, name, timeout, network, reset, certificate, no-tls, tls, distrust, other; "" when there was one
	Reason    string `cel:"reason"`     // the words it was reported in
	TLS       string `cel:"tls"`        // which side alone speaks TLS: client, server; "" when both do or neither
	SaysHTTPS bool   `cel:"says_https"` // the answer says that plain HTTP was sent to an HTTPS port
	GRPCPort  bool   `cel:"grpc_port"`  // the answer is that of a gRPC server to something else
	Address   string `cel:"address"`    // host:port that was called, as far as known
	Known     bool   `cel:"known"`      // A2A was spoken there, or a card names it
	Later     bool   `cel:"later"`      // silent checkpoint: the client got through to the same address afterwards
	Settled   bool   `cel:"settled"`    // silent checkpoint: the time in which it could have got through has passed

	Code     string `cel:"code"`      // name of the HTTP/2 error code of a reset
	WaitedMS int    `cel:"waited_ms"` // from the first byte of the request to the end of the exchange
	Waited   string `cel:"waited"`    // the same for people: "30 s", "250 ms"
	Deadline string `cel:"deadline"`  // grpc-timeout of the request
	Route    string `cel:"route"`     // JSON-RPC calls: the REST route that the path is, "" when it is none
}

// h2Codes are the error codes of HTTP/2 (RFC 9113 §7) by number.
var h2Codes = [...]string{"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
	"FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED"}

func (m *memory) reachFacts(f *ReachFacts, c *decode.Call, s *seen) {
	x := c.Exchange
	if c.Binding == spec.JSONRPC && x.Request != nil {
		if r, ok := spec.MatchRoute(x.Request.Method, x.Request.Path()); ok && !r.Generic && strings.Contains(r.Template, ":") {
			f.Route = r.Template
		}
	}
	if c.Binding == spec.GRPC && x.Request != nil {
		f.Deadline = x.Request.Fields.Get("grpc-timeout")
	}
	if x.Response != nil && x.Response.Status == 400 && len(x.Received) > 0 {
		f.SaysHTTPS = saysHTTPS(x.Received[0].V.Data)
	}
	if x.Response != nil && x.Response.Status >= 400 && x.Response.Status < 500 && c.Binding != spec.GRPC && len(x.Received) > 0 {
		t := lower(string(x.Received[0].V.Data[:min(len(x.Received[0].V.Data), 512)]))
		f.GRPCPort = strings.Contains(t, "invalid grpc request")
	}
	if x.End == nil || x.End.Kind == capture.EndDone && c.Kind != spec.KindConnection {
		return
	}
	for i := range x.Breaches {
		if b := x.Breaches[i].V; b.V.Code == capture.BreachTLS {
			if f.TLS = "server"; x.Request == nil && strings.Contains(b.V.Text, "the client began TLS") {
				f.TLS = "client"
			}
		}
	}
	f.Address = s.authority
	if x.Link != nil && c.Kind == spec.KindConnection && x.Link.Server.IsValid() {
		f.Address = x.Link.Server.String()
	}
	if x.End.Kind == capture.EndUnreachable {
		f.Trouble, f.Reason = capture.Trouble(x.End.Text), cut(x.End.Text)
	}
	if x.End.Kind == capture.EndReset && int(x.End.Code) < len(h2Codes) && x.End.Code > 0 {
		f.Code = h2Codes[x.End.Code]
	}
	if x.Ended.After(x.Started) {
		d := x.Ended.Sub(x.Started)
		f.WaitedMS, f.Waited = int(d.Milliseconds()), spanWords(d.Milliseconds())
	}
	o := m.origins.find(s.authority)
	f.Known = o != nil && (o.a2a || len(o.cards) > 0 || o.home != "")
	if w := s.watch; w != nil && w.matured && w.reach.kind == reachDial {
		f.Settled, f.Later = true, w.reach.answered
	}
}

// spanWords writes a time for people: tenths of seconds below ten, milliseconds below one.
func spanWords(ms int64) string {
	switch {
	case ms < 1000:
		return itoa(ms) + " ms"
	case ms < 10_000 && ms%1000 >= 100:
		return itoa(ms/1000) + "." + itoa(ms%1000/100) + " s"
	}
	return itoa(ms/1000) + " s"
}

// saysHTTPS reads the answer that servers give to plain HTTP on a TLS port.
func saysHTTPS(body []byte) bool {
	t := lower(string(body[:min(len(body), 512)]))
	return strings.Contains(t, "http request to an https server") || strings.Contains(t, "plain http request was sent to https port") ||
		strings.Contains(t, "speaking plain http to an ssl-enabled server port") || strings.Contains(t, "combination of host and port requires tls")
}
