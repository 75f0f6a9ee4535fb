package diagnose

import "a2ascope/decode"

// Facts is what a condition sees. It is filled anew for each checkpoint and
// reused: nothing may keep a pointer into it. Every member is flat and cheap:
// a string, an int, a bool or a list of strings.
//
// Unknown is the zero value: "" for a version nobody showed, -1 for a gRPC
// status that was not seen, false for what is not proved.
type Facts struct {
	Call    *CallFacts    `cel:"call"`
	Agent   *AgentFacts   `cel:"agent"`
	Iface   *IfaceFacts   `cel:"iface"`
	Client  *ClientFacts  `cel:"client"`
	Task    *TaskFacts    `cel:"task"`
	Session *SessionFacts `cel:"session"`

	of    *decode.Call // the call the facts are of, for functions that read the raw trees
	slips slips        // of its bodies, found when a rule first asks
	store factStore
}

// factStore holds the structs the pointers of Facts lead to, so that one
// allocation serves a whole run.
type factStore struct {
	call    CallFacts
	agent   AgentFacts
	iface   IfaceFacts
	client  ClientFacts
	task    TaskFacts
	session SessionFacts
	request VersionFacts
	answer  VersionFacts
	said    DeclaredFacts
	path    PathFacts
	http    HTTPFacts
	rpc     RPCFacts
	grpc    GRPCFacts
	fault   FaultFacts
	stream  StreamFacts
	push    PushFacts
	card    CardFacts
	urls    CardURLFacts
	form    CardFormFacts
	before  CardBeforeFacts
	params  ParamsFacts
	body    BodyFacts
	query   QueryFacts
	layout  LayoutFacts
	refusal RefusalFacts
	news    WhatsNewFacts
	waiting WaitingFacts
	replace ReplacedFacts
	result  ResultFacts
	wrap    EnvelopeFacts
	mcp     MCPFacts
	policy  PolicyFacts
	change  ChangeFacts
	asks    AsksFacts
	gives   GivesFacts
	life    LifeFacts
	caps    CapsFacts
	tenants TenantFacts
	answers AnswerFacts
	list    ListFacts
	written FaultFormFacts
	deliver DeliveryFacts
	hook    HookFacts
	flow    FlowFacts
	parity  ParityFacts
	reach   ReachFacts
	access  AccessFacts
	cors    CORSFacts
	moved   RedirectFacts
}

// NewFacts returns facts of nothing.
func NewFacts() *Facts {
	f := &Facts{}
	f.reset()
	return f
}

// reset forgets everything and links the parts together.
func (f *Facts) reset() {
	f.of, f.slips = nil, slips{}
	s := &f.store
	// The lists are ours alone: their memory is used again.
	members, answer, old, young := s.params.Members[:0], s.result.Members[:0], s.params.Old[:0], s.params.New[:0]
	answered := s.iface.Answered[:0]
	strange, parts := s.query.Strange[:0], s.body.Parts[:0]
	*s = factStore{}
	s.params.Members, s.result.Members, s.params.Old, s.params.New = members, answer, old, young
	s.iface.Answered = answered
	s.query.Strange, s.body.Parts = strange, parts
	f.Call, f.Agent, f.Iface, f.Client, f.Task, f.Session = &s.call, &s.agent, &s.iface, &s.client, &s.task, &s.session
	c := f.Call
	c.Request, c.Response, c.Declared = &s.request, &s.answer, &s.said
	c.Path, c.HTTP, c.RPC, c.GRPC, c.Fault = &s.path, &s.http, &s.rpc, &s.grpc, &s.fault
	c.Stream, c.Push, c.Card, c.Params, c.Result = &s.stream, &s.push, &s.card, &s.params, &s.result
	c.FaultForm, c.Delivery, c.Hook = &s.written, &s.deliver, &s.hook
	c.Envelope, c.MCP, f.Iface.Policy, f.Session.Change = &s.wrap, &s.mcp, &s.policy, &s.change
	c.CardURLs, c.CardForm, c.CardBefore = &s.urls, &s.form, &s.before
	c.Asks, c.Gives, c.Life, c.Caps, c.Tenants = &s.asks, &s.gives, &s.life, &s.caps, &s.tenants
	c.Answer, c.List = &s.answers, &s.list
	c.Body, c.Query, c.Layout, c.Refusal = &s.body, &s.query, &s.layout, &s.refusal
	c.WhatsNew, c.Waiting, c.Replaced = &s.news, &s.waiting, &s.replace
	c.Flow, c.Parity = &s.flow, &s.parity
	s.grpc.Status, s.fault.GRPC, s.body.History = -1, -1, -1
	c.Reach, c.Access, c.CORS, c.Redirect = &s.reach, &s.access, &s.cors, &s.moved
}

// CallFacts is one exchange read as A2A.
type CallFacts struct {
	Kind      string `cel:"kind"`      // call, card, push, preflight, infra, other
	Protocol  string `cel:"protocol"`  // a2a, mcp, …
	Binding   string `cel:"binding"`   // JSONRPC, HTTP+JSON, GRPC
	Operation string `cel:"operation"` // the 1.0 name, "" when unknown
	Method    string `cel:"method"`    // the wire's spelling
	Misnamed  bool   `cel:"misnamed"`
	Streaming bool   `cel:"streaming"` // the operation streams or the answer did
	Sure      string `cel:"sure"`      // certain, likely, possible
	Dialect   string `cel:"dialect"`   // J, P, snake, draft, 1.0
	Phase     string `cel:"phase"`     // asking, answered, streaming, ended
	Outcome   string `cel:"outcome"`   // ok, a2a-error, …, "" while nobody answered
	OK        bool   `cel:"ok"`
	Failed    bool   `cel:"failed"`  // there is an outcome and it is not ok
	Refused   bool   `cel:"refused"` // refused as invalid: -32600, -32602, -32603, 400, 422, bare 500, INVALID_ARGUMENT, INTERNAL
	Tenant    string `cel:"tenant"`
	TaskID    string `cel:"task_id"`
	ContextID string `cel:"context_id"`

	Request  *VersionFacts  `cel:"request"`
	Response *VersionFacts  `cel:"response"`
	Declared *DeclaredFacts `cel:"declared"`
	Path     *PathFacts     `cel:"path"`
	HTTP     *HTTPFacts     `cel:"http"`
	RPC      *RPCFacts      `cel:"rpc"`
	GRPC     *GRPCFacts     `cel:"grpc"`
	Fault    *FaultFacts    `cel:"fault"`
	Stream   *StreamFacts   `cel:"stream"`
	Push     *PushFacts     `cel:"push"`
	Card     *CardFacts     `cel:"card"`
	Params   *ParamsFacts   `cel:"params"`
	Body     *BodyFacts     `cel:"body"`
	Query    *QueryFacts    `cel:"query"`
	Layout   *LayoutFacts   `cel:"layout"`
	Refusal  *RefusalFacts  `cel:"refusal"`
	WhatsNew *WhatsNewFacts `cel:"whats_new"`
	Waiting  *WaitingFacts  `cel:"waiting"`
	Replaced *ReplacedFacts `cel:"replaced"`
	Result   *ResultFacts   `cel:"result"`
	Envelope *EnvelopeFacts `cel:"envelope"`
	MCP      *MCPFacts      `cel:"mcp"`

	CardURLs   *CardURLFacts    `cel:"card_urls"`
	CardForm   *CardFormFacts   `cel:"card_form"`
	CardBefore *CardBeforeFacts `cel:"card_before"`
	Asks       *AsksFacts       `cel:"asks"`
	Gives      *GivesFacts      `cel:"gives"`
	Life       *LifeFacts       `cel:"life"`
	Caps       *CapsFacts       `cel:"caps"`
	Tenants    *TenantFacts     `cel:"tenants"`
	Answer     *AnswerFacts     `cel:"answer"`
	List       *ListFacts       `cel:"list"`
	FaultForm  *FaultFormFacts  `cel:"fault_form"`
	Delivery   *DeliveryFacts   `cel:"delivery"`
	Hook       *HookFacts       `cel:"hook"`
	Flow       *FlowFacts       `cel:"flow"`
	Parity     *ParityFacts     `cel:"parity"`
	Reach      *ReachFacts      `cel:"reach"`
	Access     *AccessFacts     `cel:"access"`
	CORS       *CORSFacts       `cel:"cors"`
	Redirect   *RedirectFacts   `cel:"redirect"`
}

// VersionFacts is a version told from evidence.
type VersionFacts struct {
	Version     string `cel:"version"` // 0.1, 0.2, 0.3, 1.0-draft, 1.0, mixed, ""
	Gen         string `cel:"gen"`     // generation: "0.3" up to 0.3, "1.0" for 1.0 and its draft, "" for mixed and unknown
	Sure        string `cel:"sure"`
	Certain     bool   `cel:"certain"`
	Likely      bool   `cel:"likely"`   // likely or certain
	Call        string `cel:"call"`     // what the name says
	CallGen     string `cel:"call_gen"` // its generation; "" below likely
	CallCertain bool   `cel:"call_certain"`
	Body        string `cel:"body"` // what the body says
	BodyGen     string `cel:"body_gen"`
	Asked       string `cel:"asked"`        // the generation the server has to answer in: by the name where name and body disagree
	AskedLikely bool   `cel:"asked_likely"` // Asked is more than a guess: name and body, or the declared version, speak for it
}

// DeclaredFacts is the version the client claims.
type DeclaredFacts struct {
	Presence    string `cel:"presence"` // absent, empty, set, unknown
	Set         bool   `cel:"set"`
	Missing     bool   `cel:"missing"` // absent or empty
	Raw         string `cel:"raw"`
	Version     string `cel:"version"` // Major.Minor, "" when missing or malformed
	Gen         string `cel:"gen"`     // "0.3", "1.0" (major 1), "" for others
	Patch       bool   `cel:"patch"`
	Malformed   bool   `cel:"malformed"`
	Multi       bool   `cel:"multi"`
	Source      string `cel:"source"` // header, metadata, query
	Key         string `cel:"key"`    // the name of the header as it was written
	Query       string `cel:"query"`
	Semantic    string `cel:"semantic"`     // what a 1.0 server must read it as
	Hop         string `cel:"hop"`          // the call was seen twice: this is the capture "near" the client or "far" from it
	HopExchange int    `cel:"hop_exchange"` // the other one
	HopRaw      string `cel:"hop_raw"`      // what the other one declares
	Stripped    bool   `cel:"stripped"`     // declared on the near side, missing on the far side
	Place       string `cel:"place"`
}
