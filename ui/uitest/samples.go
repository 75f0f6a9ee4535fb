package uitest

import (
	"net/netip"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/diagnose"
	"a2ascope/internal/jsontree"
	"a2ascope/internal/session"
)

// Start is when the sample traffic begins.
var Start = time.Date(2026, 11, 29, 22, 10, 1, 123e6, time.UTC)

// Sessions are the sessions that frame files name.
var Sessions = map[string]func() *session.View{
	"talk": Talk,
	"empty": func() *session.View {
		return &session.View{Files: []session.File{{Name: "empty.pcap", Done: true}}, Done: true}
	},
	"loading":     loading,
	"nasty":       nasty,
	"many":        func() *session.View { return Many(60) },
	"files":       files,
	"broken":      broken,
	"wait":        func() *session.View { return live(0) },
	"some":        func() *session.View { return live(3) },
	"more":        func() *session.View { return live(9) },
	"full":        full,
	"review":      func() *session.View { return Reviewed(Asked) },
	"review-more": func() *session.View { return Reviewed(Asked + goesOn) },
	"long":        func() *session.View { return Long(1000) },
}

// Lesson is a short lesson.
const Lesson = `# One word apart

The client says ` + "`SendMessage`" + `, the agent knows only **message/send**.

- press 1 for the diagnosis
- press enter on the evidence
`

// maker builds rows one after another.
type maker struct {
	rows []*session.Row
	at   time.Time
}

// exchange adds an exchange of these heads and bodies.
func (m *maker) exchange(took time.Duration, req *capture.Head, body string, res *capture.Head, answer ...string) *decode.Call {
	n := len(m.rows) + 1
	id := capture.NewExchangeID(capture.ConnID(n), 1)
	link := &capture.Link{
		Client: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(53120+n)),
		Server: netip.MustParseAddrPort("127.0.0.1:7301"), Source: "pcap",
	}
	x := &capture.Exchange{
		ID: id, Conn: id.Conn(), Seq: uint64(n), Link: link, Started: m.at, Request: req, Response: res,
		SentDone: true, ReceivedDone: res != nil, Ended: m.at.Add(took), End: &capture.End{Kind: capture.EndDone},
	}
	if body != "" {
		x.Sent = append(x.Sent, frame(m.at, 0, capture.WholeBody, body))
	}
	if res != nil {
		x.Answered = m.at.Add(took / 10)
	}
	form := capture.WholeBody
	if len(answer) > 1 {
		form = capture.SSEEvent
	}
	for i, a := range answer {
		x.Received = append(x.Received, frame(m.at.Add(took*time.Duration(i+1)/time.Duration(len(answer)+1)), i, form, a))
	}
	c := &decode.Call{Exchange: x, Kind: spec.KindCall, Protocol: spec.A2A, Sure: decode.Certain, Phase: decode.Ended, Outcome: spec.OK}
	if body != "" {
		c.RequestDoc = jsontree.Parse([]byte(body))
		c.Params, c.ParamsAt = c.RequestDoc.Root(), decode.FramePlace("request", 0, "")
		if p := c.Params.Get("params"); p.Exists() {
			c.Params, c.ParamsAt = p, c.ParamsAt.Below("/params")
		}
	}
	if len(answer) == 1 {
		c.ResponseDoc = jsontree.Parse([]byte(answer[0]))
	}
	c.GRPC.Status = -1
	m.rows = append(m.rows, session.Row{Index: n - 1, Number: n, ConnNo: n, Link: link, At: m.at}.With(c))
	m.at = m.at.Add(took + 40*time.Millisecond)
	return c
}

func frame(at time.Time, seq int, form capture.Form, data string) capture.Timed[*capture.Frame] {
	n := int64(len(data))
	return capture.Timed[*capture.Frame]{At: at, V: &capture.Frame{Seq: seq, Form: form, Data: []byte(data), Size: n, WireSize: n}}
}

func (m *maker) last() *session.Row { return m.rows[len(m.rows)-1] }

func (m *maker) find(f *diagnose.Finding) {
	r := m.last()
	f.Key.Exchange, f.Key.Frame = r.ID(), -1
	f.Key.Rule, f.Severity, f.Blame, f.Table = f.Rule.ID, f.Rule.Severity, f.Rule.Blame, f.Rule.Table
	f.Sure, f.At, f.Table = decode.Certain, r.At, f.Rule.Table
	r.Findings = append(r.Findings, f)
	if f.Counts() && f.Severity.Rank() > r.Worst.Rank() {
		r.Worst = f.Severity
	}
}

func request(method, target string, fields ...string) *capture.Head {
	return &capture.Head{Proto: "HTTP/1.1", Method: method, Scheme: "http", Authority: "127.0.0.1:7301", Target: target, Fields: fieldsOf(fields)}
}

func response(status int, reason string, fields ...string) *capture.Head {
	return &capture.Head{Proto: "HTTP/1.1", Status: status, Reason: reason, Fields: fieldsOf(fields)}
}

func fieldsOf(s []string) capture.Fields {
	var fs capture.Fields
	for i := 0; i+1 < len(s); i += 2 {
		fs = append(fs, capture.Field{Name: s[i], Value: s[i+1]})
	}
	return fs
}

func (m *maker) view() *session.View {
	for i, r := range m.rows {
		if c := r.Call(); c != nil {
			m.rows[i] = r.With(c) // as it is by now
		}
	}
	v := &session.View{Rev: 1, Rows: session.RowsOf(m.rows), Done: true, Files: []session.File{{
		Name: "/tmp/talk.pcap", Format: "pcap", Packets: 116, Conns: len(m.rows), Exchanges: len(m.rows), Done: true,
	}}}
	for _, r := range m.rows {
		for _, f := range r.Findings {
			if !f.Counts() {
				continue
			}
			switch f.Severity {
			case diagnose.Error:
				v.Errors++
			case diagnose.Warning:
				v.Warnings++
			default:
				v.Infos++
			}
		}
	}
	return v
}

var crossVersion = &diagnose.Rule{
	ID: "call/method-not-found-cross-version", Family: "call", Severity: diagnose.Error, Blame: diagnose.BlameClient, Table: []int{1, 2},
	Symptom: diagnose.Text{EN: "{method} is a 1.0 name, and this agent serves only 0.3: it answers -32601.", ZH: "{method} 是 1.0 的方法名，而这个智能体只支持 0.3：它回答 -32601。"},
	Cause:   diagnose.Text{EN: "The client chose the 1.0 method name without looking at the interface's version. A 0.3 agent knows the same operation as message/send.", ZH: "客户端没有看接口声明的版本，就用了 1.0 的方法名。0.3 的智能体把同一个操作叫做 message/send。"},
	Fix: diagnose.Fix{
		Client: diagnose.Text{EN: "Read protocolVersion of the interface, and for 0.3 send:\n{\"method\": \"message/send\"}", ZH: "读取接口的 protocolVersion；对 0.3 请发送：\n{\"method\": \"message/send\"}"},
		Server: diagnose.Text{EN: "Or serve 1.0 as well: add an entry with protocolVersion 1.0 to supportedInterfaces.", ZH: "或者同时提供 1.0：在 supportedInterfaces 里增加一个 protocolVersion 为 1.0 的条目。"},
	},
	Spec: []string{"1.0 §9.1", "1.0 §9.4", "0.3 §3.5.6"},
}

var errorInfoMissing = &diagnose.Rule{
	ID: "error/error-info-missing", Family: "error", Severity: diagnose.Warning, Blame: diagnose.BlameServer,
	Symptom: diagnose.Text{EN: "The error has no ErrorInfo, so a client cannot tell which A2A error it is.", ZH: "错误里没有 ErrorInfo，客户端无法分辨是哪一个 A2A 错误。"},
	Cause:   diagnose.Text{EN: "1.0 wants a google.rpc.ErrorInfo with the domain a2a-protocol.org in error.data.", ZH: "1.0 要求 error.data 里有 domain 为 a2a-protocol.org 的 google.rpc.ErrorInfo。"},
	Fix:     diagnose.Fix{Server: diagnose.Text{EN: "Add ErrorInfo to error.data.", ZH: "在 error.data 中加入 ErrorInfo。"}},
	Spec:    []string{"1.0 §9.5"},
}

var notA2A404 = &diagnose.Rule{
	ID: "reach/http-404-not-an-a2a-error", Family: "reach", Severity: diagnose.Error, Blame: diagnose.BlameEither, Table: []int{4, 7},
	Symptom: diagnose.Text{EN: "The 404 comes from a web server, not from the agent: the route does not exist there.", ZH: "这个 404 来自 Web 服务器，不是智能体：那里没有这条路由。"},
	Cause:   diagnose.Text{EN: "0.3 routes begin with /v1, 1.0 routes do not. The body is no A2A error.", ZH: "0.3 的路由以 /v1 开头，1.0 没有前缀。响应体不是 A2A 错误。"},
	Fix:     diagnose.Fix{Client: diagnose.Text{EN: "POST /v1/message:send", ZH: "POST /v1/message:send"}},
	Spec:    []string{"1.0 §11.6"},
}
