package spec

import "slices"

// Disagreement is a point on which the documents of a version say different
// things: two sections of the specification, or the specification and the proto.
type Disagreement struct {
	ID         string
	Operations []Operation // empty: all calls
	Binding    []Binding   // empty: all bindings
	In         []Version   // the versions whose documents these are: V03, V10
	Faults     bool        // matters only where a call was refused
	Topic      Wording
	Sayings    []Saying
	Follow     Wording // what to build against, and why
}

// Saying is what one document says.
type Saying struct {
	Where string // "1.0 §11.3.2", "0.3 a2a.proto"
	Says  string // in the words of the wire
}

// Wording is a text in both languages. It stands here, beside the facts it is
// about: the two change together.
type Wording struct{ EN, ZH string }

var (
	streaming   = []Operation{SendStreamingMessage, SubscribeToTask}
	pushConfigs = []Operation{CreatePushConfig, GetPushConfig, ListPushConfigs, DeletePushConfig}
	only03      = []Version{V03}
	only10      = []Version{V10}
)

// disagreements: 0.3 at v0.3.0, 1.0 at v1.0.1 where nothing else is said.
var disagreements = []Disagreement{
	{
		ID: "subscribe-verb", Operations: []Operation{SubscribeToTask}, Binding: []Binding{HTTPJSON}, In: []Version{V03, V10},
		Topic: Wording{"The verb of subscribe", "订阅用哪个 HTTP 方法"},
		Sayings: []Saying{
			{"1.0 §5.3, §11.3.2", "POST /tasks/{id}:subscribe"}, {"1.0 a2a.proto", "GET /tasks/{id}:subscribe"},
			{"0.3 §3.5.6", "POST /v1/tasks/{id}:subscribe"}, {"0.3 a2a.proto", "GET /v1/tasks/{id}:subscribe"},
		},
		Follow: Wording{
			"Undecided, so neither verb is a fault. Clients in use send POST; some servers take only one. A server should accept both; a client should send POST and, when the verb is refused, try GET. A 404 for the task \"<id>:subscribe\" is such a refusal.",
			"尚无定论，所以用哪个都不算错。现有客户端都发 POST，有的服务器却只接受其中一种。服务器应当两种都接受；客户端先发 POST，被拒绝后再试 GET。报 404 说任务“<id>:subscribe”不存在，也属于这种拒绝。",
		},
	},
	{
		ID: "method-pattern", Binding: []Binding{JSONRPC}, In: only10,
		Topic: Wording{"How a JSON-RPC method is written", "JSON-RPC 方法名的写法"},
		Sayings: []Saying{
			{"1.0 §9.3", `"method": "category/action"`}, {"1.0 §9.1, §9.4", `"method": "SendMessage"`},
		},
		Follow: Wording{
			"§9.1 and §9.4: the names of 1.0 have no slash. The pattern in §9.3 is left over from 0.3.",
			"以 §9.1 和 §9.4 为准：1.0 的方法名没有斜杠。§9.3 里的写法是 0.3 的遗留。",
		},
	},
	{
		ID: "version-examples", In: only10,
		Topic: Wording{"The value of A2A-Version", "A2A-Version 的取值"},
		Sayings: []Saying{
			{"1.0 §3.2.6, §9.2, §10.2, §11.2, §14.2.1", "A2A-Version: 0.3"}, {"1.0 §3.6.1", "A2A-Version: 1.0"},
		},
		Follow: Wording{
			"Neither is to be copied: send the protocolVersion of the card entry that is called, as Major.Minor. The examples with 0.3, sent to an interface that has only 1.0, give VersionNotSupportedError.",
			"都不要照抄：应当发送所调用的那个卡片接口的 protocolVersion，格式为“主版本.次版本”。把示例里的 0.3 发给只支持 1.0 的接口，会得到 VersionNotSupportedError。",
		},
	},
	{
		ID: "version-carrier", Binding: []Binding{JSONRPC, HTTPJSON}, In: only10,
		Topic: Wording{"Where the version may stand", "版本可以写在哪里"},
		Sayings: []Saying{
			{"1.0 §3.6.1", "?A2A-Version=1.0 (MAY)"}, {"1.0 §9.2, §11.2", "A2A-Version: 1.0 (MUST)"},
		},
		Follow: Wording{
			"Send the header. A server that reads only headers takes a version in the query as missing, which means 0.3.",
			"放在请求头里。只读请求头的服务器会把写在查询参数里的版本当作缺失，也就是 0.3。",
		},
	},
	{
		ID: "tenant-routes", Binding: []Binding{HTTPJSON}, In: only10,
		Topic: Wording{"Routes with a tenant", "带租户的路径"},
		Sayings: []Saying{
			{"1.0 §11.3", "/message:send, …"}, {"1.0 a2a.proto", "/message:send, /{tenant}/message:send, …"},
		},
		Follow: Wording{
			"The proto: every route exists under /{tenant} too. So /v1/message:send can reach a 1.0 server as the tenant \"v1\" instead of failing.",
			"以 proto 为准：每条路径前面都可以加 /{tenant}。因此 /v1/message:send 在 1.0 服务器上不一定失败，可能被当成租户“v1”。",
		},
	},
	{
		ID: "rest-media-type", Binding: []Binding{HTTPJSON}, In: only10,
		Topic: Wording{"The media type of HTTP+JSON", "HTTP+JSON 的媒体类型"},
		Sayings: []Saying{
			{"v1.0.0 §11.1", "Content-Type: application/json"}, {"v1.0.1 §11.1", "Content-Type: application/a2a+json (SHOULD)"},
		},
		Follow: Wording{
			"Accept both; A2A-Version: 1.0 does not tell the two releases apart. Send application/a2a+json where the peer is known to take it.",
			"两种都要接受：A2A-Version: 1.0 分不出这两个发布版。确知对方接受时才发 application/a2a+json。",
		},
	},
	{
		ID: "list-tasks", Operations: []Operation{ListTasks}, In: only03,
		Topic: Wording{"Whether 0.3 can list tasks", "0.3 能不能列出任务"},
		Sayings: []Saying{
			{"0.3 §3.5.6", "tasks/list, GET /v1/tasks"}, {"0.3 a2a.json, a2a.proto", "–"},
		},
		Follow: Wording{
			"Schema and proto: 0.3 has no such operation. A 1.0 client that lists tasks has nothing to call on a 0.3 agent.",
			"以 schema 和 proto 为准：0.3 没有这个操作。1.0 客户端对 0.3 智能体列任务，是找不到对应方法的。",
		},
	},
	{
		ID: "push-rpc-names", Operations: pushConfigs, Binding: []Binding{GRPC}, In: only03,
		Topic: Wording{"Names of the gRPC methods for push configs", "推送配置的 gRPC 方法名"},
		Sayings: []Saying{
			{"0.3 §3.5.6", "CreateTaskPushNotification, ListTaskPushNotification, …"},
			{"0.3 a2a.proto", "CreateTaskPushNotificationConfig, ListTaskPushNotificationConfig, …"},
		},
		Follow: Wording{
			"The proto: with Config, and the list in the singular. 1.0 has the plural, ListTaskPushNotificationConfigs.",
			"以 proto 为准：名称带 Config，列表用单数。1.0 改成了复数 ListTaskPushNotificationConfigs。",
		},
	},
	{
		ID: "create-route", Operations: []Operation{CreatePushConfig}, Binding: []Binding{HTTPJSON}, In: only03,
		Topic: Wording{"The route that creates a push config", "创建推送配置的路径"},
		Sayings: []Saying{
			{"0.3 §3.5.6", "POST /v1/tasks/{id}/pushNotificationConfigs"}, {"0.3 a2a.proto", "POST /v1/task/{id}/pushNotificationConfigs"},
		},
		Follow: Wording{
			"The plural: that is what peers serve and call. Only a server that was generated literally from the proto of v0.3.0 has the singular.",
			"用复数：各实现提供和调用的都是它。只有严格按 v0.3.0 的 proto 生成的服务器才用单数。",
		},
	},
	{
		ID: "extended-card-method", Operations: []Operation{GetExtendedAgentCard}, Binding: []Binding{JSONRPC}, In: only03,
		Topic: Wording{"The method for the extended card", "扩展卡片的方法名"},
		Sayings: []Saying{
			{"0.3 §7.10, a2a.json", "agent/getAuthenticatedExtendedCard"}, {"0.3 §11.1.3", "agent/authenticatedExtendedCard"},
		},
		Follow: Wording{
			"The name with get. The other is that of 0.2.6; a server does well to know both.",
			"用带 get 的名称。另一个是 0.2.6 的旧名；服务器最好两个都认识。",
		},
	},
	{
		ID: "extended-card-field", Operations: []Operation{GetExtendedAgentCard}, Binding: []Binding{GRPC}, In: only10,
		Topic: Wording{"The field number of extended_agent_card", "extended_agent_card 的字段编号"},
		Sayings: []Saying{
			{"1.0 §A.2.2", "5"}, {"1.0 a2a.proto", "4"},
		},
		Follow: Wording{"The proto: 4.", "以 proto 为准：4。"},
	},
	{
		ID: "send-returns", Operations: []Operation{SendMessage}, In: only10,
		Topic: Wording{"When SendMessage returns", "SendMessage 何时返回"},
		Sayings: []Saying{
			{"1.0 §3.1.1", "MUST return immediately"}, {"1.0 §3.2.2, a2a.proto", "returnImmediately: false (default)"},
		},
		Follow: Wording{
			"§3.2.2 and the proto: without returnImmediately the agent answers when the task is done or waits for the client.",
			"以 §3.2.2 和 proto 为准：不带 returnImmediately 时，智能体要等任务结束或需要客户端介入时才应答。",
		},
	},
	{
		ID: "stream-end", Operations: streaming, In: only10,
		Topic: Wording{"When the stream ends", "流在什么时候结束"},
		Sayings: []Saying{
			{"1.0 §3.1.2, §3.1.6", "COMPLETED, FAILED, CANCELED, REJECTED"}, {"1.0 §11.7", "… + INPUT_REQUIRED, AUTH_REQUIRED"},
			{"1.0 §7.6.1", "AUTH_REQUIRED: SHOULD stay open"},
		},
		Follow: Wording{
			"At INPUT_REQUIRED and AUTH_REQUIRED a stream may close or stay open; a client has to bear both.",
			"在 INPUT_REQUIRED 和 AUTH_REQUIRED 时，流关闭或保持打开都可以；客户端两种情况都要能处理。",
		},
	},
	{
		ID: "event-names", Operations: streaming, In: only10,
		Topic: Wording{"The members that wrap events", "包裹事件的成员名"},
		Sayings: []Saying{
			{"1.0 What's New", "taskStatusUpdate, taskArtifactUpdate"}, {"1.0 a2a.proto", "statusUpdate, artifactUpdate"},
		},
		Follow: Wording{"The proto. The other names exist in no version.", "以 proto 为准。另外两个名称在任何版本里都不存在。"},
	},
	{
		ID: "error-body", Binding: []Binding{HTTPJSON}, In: only10, Faults: true,
		Topic: Wording{"The body of an error", "错误应答的消息体"},
		Sayings: []Saying{
			{"1.0 §6.4, §6.5", "application/problem+json"}, {"1.0 §11.6", `{"error": {"code": 404, "status": "NOT_FOUND", "message": "…", "details": […]}}`},
		},
		Follow: Wording{
			"§11.6, with an ErrorInfo whose domain is a2a-protocol.org in details. The form of §6.4 is that of the draft before 1.0.",
			"以 §11.6 为准，details 里要有 domain 为 a2a-protocol.org 的 ErrorInfo。§6.4 的写法属于 1.0 之前的草案。",
		},
	},
	{
		ID: "error-status", Binding: []Binding{HTTPJSON, GRPC}, In: only10, Faults: true,
		Topic: Wording{"The status that errors travel with", "错误所用的状态码"},
		Sayings: []Saying{
			{"v1.0.0 §5.4", "HTTP 400 ×5, 409, 415, 502; UNIMPLEMENTED ×3"}, {"v1.0.1 §5.4", "HTTP 400 ×7; FAILED_PRECONDITION ×6"},
		},
		Follow: Wording{
			"Accept both tables from a 1.0 peer, and decide by ErrorInfo.reason, never by the status alone.",
			"对 1.0 的对端，两张表都要接受；判断错误要看 ErrorInfo.reason，不能只看状态码。",
		},
	},
	{
		ID: "error-info-duty", Binding: []Binding{JSONRPC}, In: only10, Faults: true,
		Topic: Wording{"Whether a JSON-RPC error needs an ErrorInfo", "JSON-RPC 错误要不要带 ErrorInfo"},
		Sayings: []Saying{
			{"v1.0.0 §9.5", "MUST"}, {"v1.0.1 §9.5", "SHOULD"},
		},
		Follow: Wording{
			"Send it in error.data; do not rely on it: the code alone, -32001 to -32009, is unique.",
			"应当放进 error.data，但不要依赖它：-32001 到 -32009 的错误码本身就是唯一的。",
		},
	},
	{
		ID: "grpc-status-03", Binding: []Binding{GRPC}, In: only03, Faults: true,
		Topic: Wording{"The gRPC status of an A2A error in 0.3", "0.3 中 A2A 错误的 gRPC 状态"},
		Sayings: []Saying{
			{"0.3 §3.2.2", "as defined in the proto annotations"}, {"0.3 a2a.proto", "–"},
		},
		Follow: Wording{
			"Nothing is defined: each SDK has its own mapping, most often UNIMPLEMENTED without details. Do not judge an error of a 0.3 agent by the table of 1.0.",
			"没有定义：各 SDK 各有各的对应关系，最常见的是不带详情的 UNIMPLEMENTED。不要用 1.0 的表去判断 0.3 智能体的错误。",
		},
	},
	{
		ID: "header-section", In: only10,
		Topic: Wording{"Where A2A-Version is defined", "A2A-Version 在哪一节定义"},
		Sayings: []Saying{
			{"1.0 §14.2.1", "A2A-Version: §3.2.5"}, {"1.0 §3.2.6", "A2A-Version, A2A-Extensions"},
		},
		Follow: Wording{"§3.2.6: the number in the registration is old.", "§3.2.6：登记里的节号是旧的。"},
	},
}

// Disagreements returns what the documents of the given versions disagree on
// for a call. No versions: those of all; faults: the call was refused.
func Disagreements(op Operation, b Binding, in []Version, faults bool) []Disagreement {
	if op == GetAgentCard {
		return nil // every entry is about calls
	}
	var out []Disagreement
	for _, d := range disagreements {
		if len(d.Operations) > 0 && !slices.Contains(d.Operations, op) || len(d.Binding) > 0 && !slices.Contains(d.Binding, b) || d.Faults && !faults {
			continue
		}
		if len(in) == 0 || slices.ContainsFunc(in, func(v Version) bool { return slices.Contains(d.In, v) }) {
			out = append(out, d)
		}
	}
	return out
}
