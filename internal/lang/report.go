package lang

// Report holds the words of the headless outputs.
type Report struct {
	Error, Warning, Info          string
	Client, Server, Hop           string // who has to change something
	Either, Nobody, Tool          string
	Why, Fix, FixClient           string
	FixServer, Proof, Spec, Row   string
	Follows, Recovered, Folded    string // Recovered: %d exchange; Folded: %d repetitions
	AsAt                          string // %d exchange
	Damage, Unreadable, Encrypted string
	Summary                       string // %d errors, %d warnings, %d infos, %d exchanges, %d A2A, %d files
	TableRows, Healthy, NoA2A     string
	HealthyPart                   string // some rules did not judge
	Packets, Connections          string
	Connection                    string
	Exchanges, Likely, Possible   string
	StillOpen, NoAnswer, Events   string
	Title, Absent                 string
}

// ReportWords returns the words of a language; English where it is not known.
func ReportWords(code string) Report {
	if code == "zh" {
		return reportZH
	}
	return reportEN
}

var reportEN = Report{
	Error: "ERROR", Warning: "WARNING", Info: "INFO",
	Client: "client", Server: "agent", Hop: "proxy or gateway", Either: "client or agent", Nobody: "nobody", Tool: "this tool",
	Why: "why", Fix: "fix", FixClient: "fix (client)", FixServer: "fix (agent)", Proof: "proof", Spec: "spec", Row: "failure table row",
	Follows: "follows from it", Recovered: "recovered: the client got through with exchange #%d", Folded: "seen %d times", AsAt: "as at #%d",
	Damage: "damaged input", Unreadable: "could not be read", Encrypted: "not read",
	Summary:   "%d errors, %d warnings, %d infos in %d exchanges (%d A2A) of %d file(s)",
	TableRows: "failure table rows", Healthy: "No finding: every A2A exchange that was seen is explained.",
	NoA2A:       "No A2A traffic was found here.",
	HealthyPart: "No finding by the rules that judged; some are switched off or ignored.",
	Packets:     "packets", Connections: "connections", Connection: "connection", Exchanges: "exchanges", Likely: "likely", Possible: "possible",
	StillOpen: "still open", NoAnswer: "no answer", Events: "events", Title: "a2ascope report",
	Absent: "not there",
}

var reportZH = Report{
	Error: "错误", Warning: "警告", Info: "提示",
	Client: "客户端", Server: "智能体", Hop: "代理或网关", Either: "客户端或智能体", Nobody: "无需改动", Tool: "本工具",
	Why: "原因", Fix: "修复", FixClient: "修复（客户端）", FixServer: "修复（智能体）", Proof: "证据", Spec: "规范", Row: "故障表第几行",
	Follows: "由此引起", Recovered: "已恢复：客户端随后通过第 %d 个交互成功", Folded: "共出现 %d 次", AsAt: "同 #%d",
	Damage: "输入有损坏", Unreadable: "无法读取", Encrypted: "未读取",
	Summary:   "%d 个错误、%d 个警告、%d 个提示；共 %d 个交互（其中 A2A %d 个），%d 个文件",
	TableRows: "故障表行号", Healthy: "没有发现问题：所见的 A2A 交互都有解释。",
	NoA2A:       "这里没有发现 A2A 流量。",
	HealthyPart: "参与判断的规则没有发现问题；另有规则被停用或忽略。",
	Packets:     "个数据包", Connections: "个连接", Connection: "连接", Exchanges: "个交互", Likely: "很可能", Possible: "可能",
	StillOpen: "尚未结束", NoAnswer: "无应答", Events: "个事件", Title: "a2ascope 报告",
	Absent: "没有",
}
