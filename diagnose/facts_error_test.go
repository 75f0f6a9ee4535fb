package diagnose

import (
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// answered gives a call an answer body, and an id to the request.
func answered(id, body string) with {
	return func(c *decode.Call) {
		c.RPC = decode.RPCFact{IsEnvelope: true, ID: id}
		c.ResponseDoc = jsontree.Parse([]byte(body))
		c.RPC.ResponseID = string(c.ResponseDoc.Root().Get("id").Raw())
		c.Exchange.Received = []capture.Timed[*capture.Frame]{{V: &capture.Frame{Form: capture.WholeBody, Data: []byte(body)}}}
	}
}

func TestEnvelopeOfAnswers(t *testing.T) {
	w := newWorld(t)
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                         "",
		`{"jsonrpc":"2.0","id":1,"result":null}`:                                       "",
		`{"jsonrpc":"2.0","id":1,"result":{},"error":null}`:                            "",
		`{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-32603,"message":"m"}}`: "",
		`{"jsonrpc":"2.0","id":1}`:                                                     "neither at response/frame/0#",
		`{"id":1,"result":{}}`:                                                         "version at response/frame/0#/jsonrpc",
		`{"jsonrpc":"1.0","id":1,"result":{}}`:                                         "version at response/frame/0#/jsonrpc",
		`{"ok":true}`:                                                                  "version neither at response/frame/0#/jsonrpc",
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}`:        "both at response/frame/0#/error",
		`{"jsonrpc":"2.0","id":1,"error":"no"}`:                                        "error at response/frame/0#/error",
		`{"jsonrpc":"2.0","id":1,"error":{"code":"-32603","message":7}}`:               "code message at response/frame/0#/error/code",
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603.5,"message":"m"}}`:             "code at response/frame/0#/error/code",
		`[{"jsonrpc":"2.0","id":1}]`:                                                   "neither at response/frame/0#/0",
		`[]`:                                                                           "",
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m","data":[{"@type":"x"}]}}`: "",
	} {
		f := filled(w.rpc("a:1", "/", "GetTask", answered("1", body))).Call.FaultForm
		got := strings.Join(f.Envelope, " ")
		if f.EnvelopeAt != "" {
			got += " at " + f.EnvelopeAt
		}
		check(t, body, got, want)
	}
	notification := filled(w.rpc("a:1", "/", "GetTask", answered("", `{}`)))
	check(t, "a notification wants no answer", len(notification.Call.FaultForm.Envelope), 0)
	failed := filled(w.rpc("a:1", "/", "GetTask", answered("1", `{"detail":"Not Found"}`), func(c *decode.Call) { c.Exchange.Response.Status = 404 }))
	check(t, "an HTTP error is no JSON-RPC answer", len(failed.Call.FaultForm.Envelope), 0)
}

func TestIDOfAnswers(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		sent, got string
		differs   bool
	}{
		{`1`, `1`, false}, {`1`, `1.0`, false}, {`1`, `"1"`, true}, {`1`, `2`, true}, {`1`, `null`, true},
		{`"a"`, `"a"`, false}, {`"\u00e9"`, `"é"`, false}, {`"a"`, `"b"`, true}, {`"1"`, `1`, true},
		{`9007199254740993`, `9007199254740993`, false}, {`1e2`, `100`, false},
	} {
		f := filled(w.rpc("a:1", "/", "GetTask", answered(c.sent, `{"jsonrpc":"2.0","id":`+c.got+`,"result":{}}`)))
		check(t, c.sent+" answered by "+c.got, f.Call.FaultForm.IDDiffers, c.differs)
	}
	f := filled(w.rpc("a:1", "/", "GetTask", answered("1", `{"jsonrpc":"2.0","result":{}}`)))
	check(t, "no id", f.Call.FaultForm.IDDiffers, true)
}

func TestReasonsByTheirLetters(t *testing.T) {
	for reason, want := range map[string]string{
		"TaskNotFoundError": "TASK_NOT_FOUND", "taskNotFound": "TASK_NOT_FOUND", "TASK-NOT-FOUND": "TASK_NOT_FOUND",
		"TASK_NOT_FOUND_ERROR": "TASK_NOT_FOUND", "AuthenticatedExtendedCardNotConfigured": "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
		"TASK_ARCHIVED": "", "Error": "", "": "", "任务": "",
	} {
		check(t, reason, nearReason(reason), want)
	}
}

func TestErrorsAsResults(t *testing.T) {
	for body, want := range map[string]bool{
		`{"code":-32001,"message":"m"}`:                       true,
		`{"error":"TaskNotFoundError"}`:                       true,
		`{"error":"org.x.TaskNotFoundError","message":"m"}`:   true,
		`{"code":7,"message":"m"}`:                            false,
		`{"error":"none","id":"t1"}`:                          false,
		`{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}`: false,
		`[]`: false,
	} {
		check(t, body, errorAsResult(jsontree.Parse([]byte(body)).Root()), want)
	}
}

// TestDetailsOfErrors: the entries of data and details are held against what each binding wants.
func TestDetailsOfErrors(t *testing.T) {
	w := newWorld(t)
	const info = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}`
	read := func(e string) *FaultFormFacts {
		doc := answered("1", `{"jsonrpc":"2.0","id":1,"error":`+e+`}`)
		return filled(w.rpc("a:1", "/", "GetTask", doc, func(c *decode.Call) {
			c.Outcome = spec.A2AError
			c.Fault = &decode.Fault{Shape: "rpc-array", Code: -32001, A2A: "TaskNotFoundError", GRPC: -1, At: "response/frame/0#/error",
				Reason: c.ResponseDoc.Root().Path("error", "data").Index(0).Get("reason").Str()}
		})).Call.FaultForm
	}
	f := read(`{"code":-32001,"message":"m","data":[` + info + `]}`)
	check(t, "well formed: data", f.Data, "array")
	check(t, "well formed: info", f.A2AInfo, true)
	check(t, "well formed: untyped", f.Untyped, "")
	check(t, "well formed: domain", f.OtherDomain, false)
	check(t, "code", f.CodeError, "TaskNotFoundError")
	check(t, "reason", f.ReasonError, "TaskNotFoundError")
	check(t, "place of the info", f.InfoAt, "response/frame/0#/error/data/0")
	f = read(`{"code":-32001,"message":"m","data":[{"@type":"x","reason":"TASK_NOT_FOUND","domain":"example.com"},"text"]}`)
	check(t, "other domain", f.OtherDomain, true)
	check(t, "untyped", f.Untyped+" "+f.UntypedAt, "string response/frame/0#/error/data/1")
	f = read(`{"code":-32001,"message":"m","details":[` + info + `]}`)
	check(t, "wrong member", f.WrongMember+" "+f.WrongAt, "details response/frame/0#/error/details")
	check(t, "no data", f.Data, "absent")
	f = read(`{"code":-32001,"message":"m","data":null}`)
	check(t, "null", f.Data, "null")
}
