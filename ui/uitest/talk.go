package uitest

import (
	"errors"
	"strconv"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/diagnose"
	"a2ascope/internal/jsontree"
	"a2ascope/internal/session"
)

const card03 = `{"name":"Route Planner","version":"2.1","protocolVersion":"0.3.0","url":"http://127.0.0.1:7301/","preferredTransport":"JSONRPC","capabilities":{"streaming":true},"securitySchemes":{"key":{"type":"apiKey","in":"header","name":"X-API-Key"}},"skills":[]}`

// Talk is a conversation with a bit of everything.
func Talk() *session.View {
	m := &maker{at: Start}

	c := m.exchange(3*time.Millisecond, request("GET", "/.well-known/agent-card.json", "Host", "127.0.0.1:7301", "User-Agent", "a2a-sdk/1.0"), "",
		response(200, "OK", "Content-Type", "application/json"), card03)
	c.Kind, c.Operation, c.Method = spec.KindCard, spec.GetAgentCard, "GET /.well-known/agent-card.json"
	c.Response = decode.VersionFact{Value: spec.V03, Sure: decode.Certain}

	c = m.exchange(12300*time.Microsecond,
		request("POST", "/", "Host", "127.0.0.1:7301", "A2A-Version", "1.0", "Content-Type", "application/json", "Authorization", "Bearer 0123456789abcdef0123"),
		`{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"plan a route from Köln to 上海"}]},"configuration":{"taskPushNotificationConfig":{"url":"https://hook.example/x","token":"s3cr3t-token"}}}}`,
		response(200, "OK", "Content-Type", "application/json"),
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}`)
	c.Binding, c.Operation, c.Method = spec.JSONRPC, spec.SendMessage, "SendMessage"
	c.Request = decode.VersionFact{Value: spec.V10, Sure: decode.Certain, Signals: []decode.Signal{
		decode.VersionSignal("request/frame/0#/method", "SendMessage", spec.V10, decode.Decisive, "method-name"),
		decode.VersionSignal("request/frame/0#/params/message/role", "ROLE_USER", spec.V10, decode.Strong, "role-enum")}}
	c.Declared = decode.Declared{Presence: "set", Raw: "1.0", Version: spec.V10, Source: "header", At: "request/header/a2a-version"}
	c.Card = decode.VersionFact{Value: spec.V03, Sure: decode.Likely}
	c.Outcome = spec.StdError
	c.Fault = &decode.Fault{Shape: "rpc-nodata", Std: "MethodNotFoundError", Code: -32601, GRPC: -1, Message: "Method not found", At: "response/frame/0#/error"}
	root := &diagnose.Finding{Rule: crossVersion, Root: true, Args: map[string]string{"method": "SendMessage"}, Evidence: []diagnose.Evidence{
		{Place: "request/frame/0#/method", Value: "SendMessage"},
		{Place: "response/frame/0#/error/code", Value: "-32601"},
		{Place: "request/header/a2a-version", Value: "1.0"}}}
	m.find(root)
	m.find(&diagnose.Finding{Rule: errorInfoMissing, FollowsFrom: &root.Key, Evidence: []diagnose.Evidence{{Place: "response/frame/0#/error", Value: `{"code":-32601}`}}})

	stream(m)

	c = m.exchange(2*time.Millisecond,
		&capture.Head{Proto: "HTTP/2", Method: "POST", Scheme: "http", Authority: "127.0.0.1:7302", Target: "/lf.a2a.v1.A2AService/ListTasks", Stream: 3,
			Fields: fieldsOf([]string{"content-type", "application/grpc", "te", "trailers", "a2a-version", "1.0"})},
		`{"pageSize":10}`, &capture.Head{Proto: "HTTP/2", Status: 200, Stream: 3, Fields: fieldsOf([]string{"content-type", "application/grpc", "grpc-status", "12", "grpc-message", "unknown service lf.a2a.v1.A2AService"})})
	c.Binding, c.Operation, c.Method = spec.GRPC, spec.ListTasks, "/lf.a2a.v1.A2AService/ListTasks"
	c.Exchange.Sent[0].V.Form, c.Exchange.Sent[0].V.Data = capture.GRPCMessage, []byte("\x10\x0a")
	c.GRPC.Status = 12
	c.Request = decode.VersionFact{Value: spec.V10, Sure: decode.Certain}
	c.Outcome = spec.ForeignError
	c.Fault = &decode.Fault{Shape: "grpc-bare", GRPC: 12, Status: "UNIMPLEMENTED", Message: "unknown service lf.a2a.v1.A2AService", At: "response/trailer/grpc-status"}
	c.Exchange.Trailer = &capture.Trailer{Fields: c.Exchange.Response.Fields[1:], Only: true}

	c = m.exchange(900*time.Microsecond, request("POST", "/message:send", "Host", "gateway.example", "Content-Type", "application/a2a+json", "Cookie", "sid=abcdef"),
		`{"message":{"messageId":"m-2","role":"ROLE_USER","parts":[{"text":"hi"}]}}`,
		response(404, "Not Found", "Content-Type", "text/html; charset=utf-8", "Server", "nginx"),
		"<html>\r\n<head><title>404 Not Found</title></head>\r\n<body bgcolor=\"white\"><h1>404 Not Found</h1></body>\r\n</html>\r\n")
	c.Binding, c.Operation, c.Method = spec.HTTPJSON, spec.SendMessage, "POST /message:send"
	c.ResponseDoc = nil
	c.Request = decode.VersionFact{Value: spec.V10, Sure: decode.Likely}
	c.Outcome = spec.ForeignError
	m.find(&diagnose.Finding{Rule: notA2A404, Root: true, Count: 3, Evidence: []diagnose.Evidence{
		{Place: "response/line", Value: "404"}, {Place: "response/header/content-type", Value: "text/html; charset=utf-8"}}})

	c = m.exchange(4*time.Millisecond, request("POST", "/mcp", "Host", "tools.example", "Content-Type", "application/json"),
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, response(200, "OK", "Content-Type", "application/json"), `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
	c.Kind, c.Protocol, c.Method, c.Sure = spec.KindOther, spec.MCP, "tools/list", decode.Certain

	n := len(m.rows)
	m.rows = append(m.rows, &session.Row{Index: n, ConnNo: n + 1, Link: m.last().Link, At: m.at,
		Conn: &capture.ConnInfo{Protocol: "tls", Sent: [2]int64{517, 4012}, Text: "encrypted, no key"}})
	v := m.view()
	v.Agents = []*diagnose.AgentInfo{{
		Authority: "127.0.0.1:7301", Calls: 4, Failures: 2, CardFrom: m.rows[0].ID(), CardAt: Start,
		Card: &decode.AgentCard{Vocabulary: "0.3", Name: "Route Planner", Version: "2.1", Protocol: "0.3.0", Preferred: "JSONRPC",
			Streaming: decode.FlagTrue, Schemes: []string{"key"}, Node: jsontree.Parse([]byte(card03)).Root()},
		Interfaces: []diagnose.InterfaceInfo{{URL: "http://127.0.0.1:7301/", Binding: spec.JSONRPC, Declared: "0.3",
			Answered: map[spec.Version]int{spec.V03: 3}, Calls: 4, Failed: 1}},
	}, {Authority: "127.0.0.1:7302", Calls: 1, Failures: 1, Interfaces: []diagnose.InterfaceInfo{
		{URL: "http://127.0.0.1:7302", Binding: spec.GRPC, Calls: 1, Failed: 1}}}}
	return v
}

// stream adds a healthy stream that is still open.
func stream(m *maker) {
	answers := []string{
		`{"jsonrpc":"2.0","id":8,"result":{"kind":"task","id":"task-51","contextId":"ctx-9","status":{"state":"submitted"}}}`,
		`{"jsonrpc":"2.0","id":8,"result":{"kind":"status-update","taskId":"task-51","contextId":"ctx-9","status":{"state":"working","message":{"kind":"message","role":"agent","messageId":"m-9","parts":[{"kind":"text","text":"正在查询 Köln → 上海 的路线"}]}},"final":false}}`,
		"",
		`{"jsonrpc":"2.0","id":8,"result":{"kind":"artifact-update","taskId":"task-51","contextId":"ctx-9","artifact":{"artifactId":"a-1","parts":[{"kind":"text","text":"by train: 14 h 20 min"}]}}}`,
	}
	c := m.exchange(4*time.Second, request("POST", "/", "Host", "127.0.0.1:7301", "Accept", "text/event-stream", "Content-Type", "application/json"),
		`{"jsonrpc":"2.0","id":8,"method":"message/stream","params":{"message":{"kind":"message","messageId":"m-8","role":"user","parts":[{"kind":"text","text":"plan"}]}}}`,
		response(200, "OK", "Content-Type", "text/event-stream"), answers...)
	c.Binding, c.Operation, c.Method, c.Streaming = spec.JSONRPC, spec.SendStreamingMessage, "message/stream", true
	c.Request = decode.VersionFact{Value: spec.V03, Sure: decode.Certain}
	c.Response = decode.VersionFact{Value: spec.V03, Sure: decode.Certain}
	c.TaskID, c.ContextID = "task-51", "ctx-9"
	x := c.Exchange
	x.Received[2].V.Form = capture.SSEComment
	x.End, x.Ended, x.ReceivedDone = nil, time.Time{}, false
	c.Phase, c.Outcome = decode.Streaming, spec.OK
	kinds := []string{"task", "statusUpdate", "", "artifactUpdate"}
	states := []string{"submitted", "working", "", ""}
	for i, a := range answers {
		if a == "" {
			continue
		}
		doc := jsontree.Parse([]byte(a))
		c.Events = append(c.Events, decode.StreamEvent{Frame: i, Kind: kinds[i], Wrapped: true, Version: spec.V03, Doc: doc,
			Node: doc.Root().Get("result"), At: decode.FramePlace("response", i, "/result"), State: states[i], TaskID: "task-51", ContextID: "ctx-9"})
	}
}

// loading is a session that is being read.
func loading() *session.View {
	return &session.View{Rev: 1, Files: []session.File{{Name: "/tmp/big.pcap", Format: "pcap"}}, Progress: capture.Progress{Read: 620, Total: 1000}}
}

// nasty is traffic that tries to do something to the terminal.
func nasty() *session.View {
	m := &maker{at: Start}
	evil := "\x1b]0;owned\x07\x1b[2J\u202eabc\u200b\x9b31m\xff\xc3\u009b"
	c := m.exchange(time.Millisecond, request("POST", "/"+evil, "X-"+evil, evil), `{"`+evil+`":"`+evil+`","x":"\u001b[31m"}`,
		response(200, evil, "Content-Type", "text/plain"+evil), evil)
	c.Binding, c.Method, c.TaskID = spec.JSONRPC, evil, evil
	c.Outcome = spec.ForeignError
	c.Fault = &decode.Fault{Message: evil, Reason: evil, Domain: evil, GRPC: -1}
	rule := &diagnose.Rule{ID: notA2A404.ID, Severity: diagnose.Error, Cause: notA2A404.Cause, Fix: notA2A404.Fix,
		Symptom: diagnose.Text{EN: "{x} came", ZH: "{x} 来了"}}
	m.find(&diagnose.Finding{Rule: rule, Args: map[string]string{"x": evil}, Evidence: []diagnose.Evidence{{Place: decode.Place("request/header/" + evil), Value: evil}}})
	m.last().Call().Problems = []decode.Problem{{Code: "x", Text: evil, At: "request"}}
	v := m.view()
	v.Files[0].Name = evil
	v.Files[0].Damage = []capture.Damage{{What: "x", Detail: evil}}
	v.Agents = []*diagnose.AgentInfo{{Authority: evil, Card: &decode.AgentCard{Name: evil, Vocabulary: "1.0"}, Interfaces: []diagnose.InterfaceInfo{{URL: evil, Declared: evil}}}}
	return v
}

// files is the talk spread over three files, of which one cannot be read.
func files() *session.View {
	v := Talk()
	rows := make([]*session.Row, v.Rows.Len())
	for i := range rows {
		r := *v.Rows.At(i)
		if i > 3 {
			r.File, r.Number = 2, max(0, r.Number-4)
		}
		rows[i] = &r
	}
	v.Rows = session.RowsOf(rows)
	v.Files = []session.File{
		{Name: "/tmp/client-side.pcap", Done: true}, {Name: "/tmp/absent.pcap", Done: true, Err: errors.New("/tmp/absent.pcap: no such file or directory")},
		{Name: "/tmp/agent-side.pcap.gz", Done: true},
	}
	return v
}

// broken is a capture in which nothing was found, and that says why.
func broken() *session.View {
	return &session.View{Files: []session.File{{Name: "-", Done: true, Damage: []capture.Damage{
		{What: "truncated", Detail: "the capture ends inside packet 1, which begins at byte 24: 60 bytes are missing"}}}}, Done: true}
}

// Many is a session of n healthy rows, for benchmarks; every tenth has a finding.
func Many(n int) *session.View {
	m := &maker{at: Start}
	base := Talk()
	for i := range n {
		r := *base.Rows.At(1 + i%2)
		if i%10 != 0 {
			r.Findings, r.Worst = nil, ""
		}
		call := *r.Call()
		x := *call.Exchange
		x.ID = capture.NewExchangeID(capture.ConnID(i+1), 1)
		call.Exchange, call.TaskID = &x, "task-"+strconv.Itoa(i)
		r.Index, r.Number, r.At = i, i+1, Start.Add(time.Duration(i)*time.Millisecond)
		m.rows = append(m.rows, r.With(&call))
	}
	return m.view()
}

// Long is a stream of n events, as the session keeps it.
func Long(n int) *session.View {
	m := &maker{at: Start}
	answers := make([]string, n)
	for i := range answers {
		answers[i] = `{"jsonrpc":"2.0","id":8,"result":{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working","message":{"kind":"message","role":"agent","messageId":"m-` +
			strconv.Itoa(i) + `","parts":[{"kind":"text","text":"step ` + strconv.Itoa(i) + `"}]}},"final":false}}`
	}
	c := m.exchange(time.Duration(n)*time.Millisecond, request("POST", "/", "Host", "127.0.0.1:7301", "Content-Type", "application/json"),
		`{"jsonrpc":"2.0","id":8,"method":"message/stream","params":{"message":{"kind":"message","messageId":"m-8","role":"user","parts":[{"kind":"text","text":"plan"}]}}}`,
		response(200, "OK", "Content-Type", "text/event-stream"), answers...)
	c.Binding, c.Operation, c.Method, c.Streaming = spec.JSONRPC, spec.SendStreamingMessage, "message/stream", true
	m.rows[0] = m.rows[0].With(c.Compact())
	return m.view()
}
