package lang

// Translate holds the words about a message that is shown in another version.
type Translate struct {
	Request, Answer string // titles; %s the version
	Card, Delivery  string
	Event           string // heading of an event: its number, its kind
	Command, Body   string // what a paste is
	Where           string // %s the version
	Message         string // the gRPC message as JSON

	Clean    string // nothing is lost
	Careful  string // but something means another thing
	Losses   string // something is
	Same     string // nothing changes at all
	TooLarge string // %s size
	Masked   string

	ColChange, ColWas, ColIs string

	Effect, Code, Reason map[string]string
}

// TranslateWords returns the words of a language; English where it is not known.
func TranslateWords(code string) *Translate {
	if code == "zh" {
		return &translateZH
	}
	return &translateEN
}

var translateEN = Translate{
	Request: "The same call in %s", Answer: "Its answer in %s", Card: "The same card in %s", Delivery: "The same delivery in %s", Event: "event %d, the first %s",
	Command: "as a command", Body: "its body", Message: "its message as JSON",
	Where:    "It goes to the address of this call; where the agent really serves %s is in its card.",
	Clean:    "All that is said in it can be said in %s. What is written otherwise:",
	Careful:  "All that is said in it can be said in %s, but not everything means the same there: look at the lines that are marked as different.",
	Losses:   "Not all that is said in it can be said in %s: the first lines of the table name what is lost or missing.",
	Same:     "It is written in the same way in %s.",
	TooLarge: "The text is too large to be shown here (%s).",
	Masked:   "Secrets in it are masked: put yours in before you send it.",

	ColChange: "what", ColWas: "was", ColIs: "is now",

	Effect: map[string]string{
		"renamed": "moved", "changed": "changed", "dropped": "not needed", "added": "added", "lost": "LOST", "unsaid": "MISSING", "differs": "DIFFERENT", "kept": "left as it is",
	},
	Reason: map[string]string{
		"not-a-call": "", "version": "", "unreadable": "", "no-success": "", "other-object": "",
		"no-operation":  "%s has no such operation: there is nothing to call.",
		"no-task":       "An agent of %s posts the whole task; this delivery holds only what changed.",
		"other-dialect": "The body has the form of another binding, and is not translated to %s.",
	},
	Code: map[string]string{
		"name":            "it has another name there",
		"snake-case":      "members are written in camelCase",
		"kind":            "0.3 JSON-RPC marks objects with kind; in 1.0 the member that is there says what it is",
		"role":            "0.3 JSON-RPC writes user and agent, everything else ROLE_USER and ROLE_AGENT",
		"state":           "0.3 JSON-RPC writes states in lower case; CANCELLED has two L in 0.3 and one in 1.0",
		"enum-unknown":    "the value is in no version, so there is none to write instead",
		"state-unknown":   "\"unknown\" and TASK_STATE_UNSPECIFIED are only nearly the same",
		"timestamp":       "1.0 writes points in time in UTC",
		"timestamp-form":  "it is no point in time that can be read; 1.0 wants RFC 3339 in UTC",
		"flat":            "1.0 writes it directly into the object, 0.3 into an object of its own",
		"wrapper":         "1.0 says with a member around it what the answer is; 0.3 JSON-RPC has the object itself",
		"data-object":     "data is any JSON in 1.0 and always an object in 0.3: put into a member value, which the peer has to know",
		"twice-base64":    "some SDKs of 0.3 encode the bytes twice; the wire does not tell which did",
		"part-content":    "a part has exactly one of text, raw, url and data",
		"no-place":        "there is no member for it",
		"tenant":          "0.3 has no tenants",
		"metadata":        "this request has no metadata there",
		"final":           "0.3 marks the last event with final; 1.0 closes the stream instead",
		"later":           "not in the proto of 0.3.0; the SDKs of 0.3 have it",
		"inverted":        "blocking and returnImmediately mean the opposite of each other",
		"wait-default":    "without it 1.0 waits for the task, protobuf of 0.3 reads false and does not wait, and the JSON schema of 0.3 leaves it open; write it down where it matters",
		"history-zero":    "0 means no history in 1.0 and all of it in the proto of 0.3",
		"schemes":         "one scheme in 1.0, a list in 0.3",
		"schemes-many":    "1.0 has one scheme: only the first is left",
		"resource-name":   "0.3 over protobuf names tasks/{id}/pushNotificationConfigs/{id}, everything else has plain ids",
		"required":        "it is required there, and nothing tells its value",
		"other-version":   "it is already written as in the other version: ignored here, heard there",
		"unknown":         "it is in no version",
		"type":            "it is another JSON type than the tables have",
		"twice":           "another member has become this one already",
		"method":          "the operation has another name",
		"route":           "the route is another: 0.3 begins with /v1, 1.0 does not",
		"subscribe-verb":  "the documents disagree about GET and POST; written is what most peers take",
		"base-v1":         "whether /v1 belongs to the address of the agent cannot be told from the path",
		"base-tenant":     "whether the path before the route ends in a tenant cannot be told from it; 0.3 has none",
		"version-header":  "1.0 wants A2A-Version with every request; 0.3 does not know it",
		"extensions":      "1.0 has taken the X- from the name",
		"media-type":      "application/a2a+json is of 1.0",
		"query":           "the other version does not have this parameter, or names it otherwise",
		"create-body":     "the SDKs of 0.3 do not agree on this body: some send only the configuration",
		"interfaces":      "0.3 has one address (JSONRPC and 0.3.0 where it does not say) and others beside it, 1.0 a list of interfaces, each with its version",
		"other-interface": "a 0.3 card cannot say that an interface speaks another version: a 0.3 client would call it with 0.3 names",
		"scheme-type":     "0.3 says with type what a security scheme is, 1.0 with the member that holds it",
		"signature":       "a signature is of one text: the card has to be signed again",
		"page-token":      "a list of 0.3 JSON-RPC has no pages",
		"error-detail":    "1.0 names the error in data as well, with google.rpc.ErrorInfo; in 0.3 the code alone says which it is",
		"error-data":      "data is a list of typed details in 1.0; 0.3 leaves its form to the server",
		"error-code":      "0.3 does not have this error: its clients take the code for an unknown failure",
	},
}

var translateZH = Translate{
	Request: "同一次调用用 %s 的写法", Answer: "它的应答用 %s 的写法", Card: "同一张卡片用 %s 的写法", Delivery: "同一次推送用 %s 的写法", Event: "第 %d 个事件，第一个 %s",
	Command: "完整的命令", Body: "它的消息体", Message: "它的消息（JSON）",
	Where:    "发往这次调用的地址；智能体在哪个地址提供 %s，以卡片为准。",
	Clean:    "其中的内容都能用 %s 表达。写法不同的地方：",
	Careful:  "其中的内容都能用 %s 表达，但有些地方含义并不相同：请看标明“含义不同”的几行。",
	Losses:   "其中有些内容无法用 %s 表达：表格最前面几行列出丢失的和缺少的内容。",
	Same:     "在 %s 里写法完全相同。",
	TooLarge: "内容太长，不在这里显示（%s）。",
	Masked:   "其中的敏感信息已遮盖：发送前请换成自己的。",

	ColChange: "内容", ColWas: "原来在", ColIs: "现在在",

	Effect: map[string]string{
		"renamed": "换了位置", "changed": "写法改变", "dropped": "不需要", "added": "补上", "lost": "【丢失】", "unsaid": "【缺少】", "differs": "【含义不同】", "kept": "原样保留",
	},
	Reason: map[string]string{
		"not-a-call": "", "version": "", "unreadable": "", "no-success": "", "other-object": "",
		"no-operation":  "%s 没有这个操作，没有可以调用的方法。",
		"no-task":       "%s 的智能体推送完整的任务；这次推送只有变化的部分。",
		"other-dialect": "消息体用的是另一种绑定的写法，不转换成 %s。",
	},
	Code: map[string]string{
		"name":            "在那个版本里名称不同",
		"snake-case":      "成员名应当用驼峰写法",
		"kind":            "0.3 的 JSON-RPC 用 kind 标明对象类型；1.0 靠出现的是哪个成员来区分",
		"role":            "0.3 的 JSON-RPC 写 user、agent，其他都写 ROLE_USER、ROLE_AGENT",
		"state":           "0.3 的 JSON-RPC 用小写状态；CANCELLED 在 0.3 里是两个 L，在 1.0 里是一个",
		"enum-unknown":    "任何版本都没有这个值，也就没有对应的写法",
		"state-unknown":   "“unknown”与 TASK_STATE_UNSPECIFIED 只是相近，并不等同",
		"timestamp":       "1.0 的时间用 UTC",
		"timestamp-form":  "这不是能读懂的时间；1.0 要求 RFC 3339 格式的 UTC 时间",
		"flat":            "1.0 直接写在对象里，0.3 另放在一个对象里",
		"wrapper":         "1.0 在外面加一层成员说明应答是什么；0.3 的 JSON-RPC 直接返回对象本身",
		"data-object":     "1.0 的 data 可以是任意 JSON，0.3 的只能是对象：已放进成员 value，对端须事先知道",
		"twice-base64":    "0.3 的一些 SDK 会把字节编码两次；从网络上看不出是哪一种",
		"part-content":    "一个 part 里 text、raw、url、data 只能有一个",
		"no-place":        "那里没有对应的成员",
		"tenant":          "0.3 没有租户",
		"metadata":        "那个版本的这个请求没有 metadata",
		"final":           "0.3 用 final 标明最后一个事件；1.0 改为关闭流",
		"later":           "0.3.0 的 proto 里没有，0.3 的各 SDK 里有",
		"inverted":        "blocking 与 returnImmediately 含义相反",
		"wait-default":    "不写时，1.0 会等待任务；0.3 的 protobuf 当作 false，不等待；0.3 的 JSON schema 没有规定。有影响时请明确写出",
		"history-zero":    "0 在 1.0 里表示不要历史，在 0.3 的 proto 里表示全部",
		"schemes":         "1.0 只有一个方案，0.3 是列表",
		"schemes-many":    "1.0 只有一个方案：只保留第一个",
		"resource-name":   "0.3 的 protobuf 用 tasks/{id}/pushNotificationConfigs/{id} 这样的名称，其他都用单独的 id",
		"required":        "那里必须有这一项，但没有任何依据能得出它的值",
		"other-version":   "它已经是另一个版本的写法：在这里被忽略，在那里会生效",
		"unknown":         "任何版本都没有它",
		"type":            "它的 JSON 类型与表中的不同",
		"twice":           "已有另一个成员变成了同一个成员",
		"method":          "这个操作的名称不同",
		"route":           "路径不同：0.3 以 /v1 开头，1.0 没有",
		"subscribe-verb":  "用 GET 还是 POST，文档不一致；这里写的是多数对端接受的那种",
		"base-v1":         "从路径看不出 /v1 是不是智能体地址的一部分",
		"base-tenant":     "路由之前的路径是否以租户结尾，从路径本身看不出来；0.3 没有租户",
		"version-header":  "1.0 的每个请求都要带 A2A-Version；0.3 没有这个请求头",
		"extensions":      "1.0 去掉了名称里的 X-",
		"media-type":      "application/a2a+json 属于 1.0",
		"query":           "另一个版本没有这个参数，或者名称不同",
		"create-body":     "0.3 的各 SDK 对这个消息体写法不一：有的只发配置本身",
		"interfaces":      "0.3 是一个主地址（没写时为 JSONRPC、0.3.0）加上附加地址，1.0 是接口列表，每个接口有自己的版本",
		"other-interface": "0.3 的卡片无法说明某个接口用的是别的版本：0.3 客户端会用 0.3 的名称去调用它",
		"scheme-type":     "0.3 用 type 说明安全方案的种类，1.0 靠外面那一层成员",
		"signature":       "签名只对原文有效：卡片须重新签名",
		"page-token":      "0.3 的 JSON-RPC 列表不分页",
		"error-detail":    "1.0 在 data 里用 google.rpc.ErrorInfo 再次说明是哪个错误；0.3 只看错误码",
		"error-data":      "data 在 1.0 里是带类型的详情列表；0.3 不规定它的形式",
		"error-code":      "0.3 没有这个错误：它的客户端会把这个错误码当作未知故障",
	},
}
