package lang

import (
	"fmt"
	"strings"
)

// Review holds the words of the three views over all traffic: the ladder, the
// coverage of scenarios, the migration.
type Review struct {
	List    map[string]string // ladder, coverage, migration
	Answer  map[string]string // passed, failed, partly, not-seen
	Item    map[string]string // the same of an item of the migration
	Phase   map[string]string
	Must    map[string]string // what had to become of a version
	Did     map[string]string // what became of it
	Agent   string
	Client  string
	FailsAt string // %d step, %s its title
	NoFail  string
	Counts  string // %d passed, failed, partly, not seen
	Items   string // the same of the migration
	Failing string // %s ids
	Times   string // %d
	More    string // %d tables not shown
	Hint    string
	Check   string
	Seen    string
	Fill    string
	Failure string
	Shows   string // the exchange itself does, without a rule
	PhaseIs string // %s

	Versions    string
	NoVersion   string
	ReadAs03    string
	Interface   string // %s versions
	Only        string // %s: the only one
	NoIface     string
	Showed      string // %s versions: no card says it, answers did
	DidIs       string // %s
	Disagree    string
	TwoOf       string // joins two versions
	EmptyPane   string
	NothingRun  string
	NotSeenYet  string
	Title       string
	Tab         map[string]string // ladder, coverage, migration: as heads of the three views
	Cause       string
	CauseShort  string
	Asks        string
	Shown       string
	ToSee       string
	CopyHint    string
	OneIsEnough string
	OneBinding  string
	PartUnseen  string // %s
	DidLine     string // %s
	HintList    string
	HintInside  string
	KeyInside   string
	KeyOutside  string

	// The version header of an exchange or a pair.
	VersionsTitle, VSent, VHas, VMust, VDid string
	Key                                     string
	KeyTabs                                 string
	KeyOpen                                 string
	KeyCopy                                 string
}

// ReviewWords returns the words of a language; English where it is not known.
func ReviewWords(code string) *Review { return &Get(code).Review }

// AnswerWord is the word for an answer in a list.
func (r *Review) AnswerWord(list, answer string) string {
	if list == "migration" {
		return find(r.Item, answer)
	}
	return find(r.Answer, answer)
}

// CountsOf says how many questions of a list had which answer: passed, failed,
// partly, not seen.
func (r *Review) CountsOf(list string, n [4]int) string {
	s := r.Counts
	if list == "migration" {
		s = r.Items
	}
	return fmt.Sprintf(s, n[0], n[1], n[2], n[3])
}

// Verdict says what had to become of the version a request declares, and what
// became of it. sent is "" when it declares none; declared tells that a card
// says what the interface has.
func (r *Review) Verdict(sent string, exposes []string, declared bool, must, did string) string {
	return r.SentIs(sent) + " → " + r.Has(exposes, declared) + " → " + r.MustWord(must) + fmt.Sprintf(r.DidIs, r.DidWord(did))
}

// SentIs says which version a request declares.
func (r *Review) SentIs(sent string) string {
	if sent == "" {
		return "A2A-Version: " + r.NoVersion + " → " + r.ReadAs03
	}
	return "A2A-Version: " + sent
}

// Has says which versions the interface has.
func (r *Review) Has(exposes []string, declared bool) string {
	all := strings.Join(exposes, r.TwoOf)
	switch {
	case len(exposes) == 0:
		return r.NoIface
	case !declared:
		return fmt.Sprintf(r.Showed, all)
	case len(exposes) == 1:
		return fmt.Sprintf(r.Only, all)
	}
	return fmt.Sprintf(r.Interface, all)
}

// MustWord says what had to become of a version.
func (r *Review) MustWord(must string) string { return find(r.Must, must) }

// DidWord says what became of it.
func (r *Review) DidWord(did string) string { return find(r.Did, did) }

var reviewEN = Review{
	List:   map[string]string{"ladder": "ladder", "coverage": "coverage", "migration": "migration"},
	Answer: map[string]string{"passed": "passed", "failed": "failed", "partly": "partly", "not-seen": "not seen"},
	Item:   map[string]string{"passed": "done", "failed": "not done", "partly": "partly", "not-seen": "not seen"},
	Phase: map[string]string{
		"0.3-only": "0.3 only", "compatibility": "compatibility: speaks 0.3, reads both", "dual": "dual: speaks 1.0, 0.3 still works",
		"1.0-only": "1.0 only", "draft": "a draft of 1.0", "": "not known yet",
	},
	Must: map[string]string{
		"0.3": "must be processed as 0.3", "1.0": "must be processed as 1.0", "refused": "must be refused with VersionNotSupportedError",
		"0.3-refused": "must be processed as 0.3, or refused where 0.3 is not offered",
		"undefined":   "the specification does not say what then", "ignored": "0.3 knows no version header: ignored", "": "what must happen is not known",
	},
	Did: map[string]string{
		"0.3": "processed as 0.3", "1.0": "processed as 1.0", "refused": "refused with VersionNotSupportedError",
		"other": "failed for another reason", "": "the answer does not tell",
	},
	Agent: "agent", Client: "client", FailsAt: "fails at step %d: %s", NoFail: "no step failed",
	Counts: "%d passed, %d failed, %d partly, %d not seen", Items: "%d done, %d not done, %d partly, %d not seen", Failing: "failed: %s", Times: "%d times",
	More: "… and %d more", Hint: "check --review shows every step, with what shows it and how to see the rest.",
	Check: "check", Seen: "seen", Fill: "to see it", Failure: "failed by", Shows: "the exchange itself", PhaseIs: "phase: %s",
	Versions: "version header", NoVersion: "none", ReadAs03: "must be read as 0.3", Interface: "the interface has %s", Only: "the interface has %s only", NoIface: "no card seen that says what the interface has", Showed: "no card seen; its answers showed %s",
	DidIs: "; did: %s", Disagree: "not as specified", TwoOf: " and ",
	EmptyPane: "Nothing to review yet: no A2A exchange has ended.", NothingRun: "there is no command for this: it is the client that has to do it", NotSeenYet: "not seen: no exchange shows it",
	Title: "Review", Key: "review: ladder, coverage, migration", KeyTabs: "ladder, coverage, migration", KeyOpen: "go to the exchange that shows it; open, close a subject",
	Tab:   map[string]string{"ladder": "Ladder", "coverage": "Coverage", "migration": "Migration"},
	Cause: "This is the cause: the first step that failed.", CauseShort: "the cause", Asks: "The specification asks", Shown: "What shows it", ToSee: "To see it",
	CopyHint: "c copies:", OneIsEnough: "one of them is enough", OneBinding: "The card lists one binding: there is no other to compare it with.", PartUnseen: "%s: not seen", DidLine: "what happened: %s", HintList: "enter: the exchange · →: read here · c: copy the command", HintInside: "keys move here · esc: back to the list",
	KeyInside: "move into the answer", KeyOutside: "back to the list; to the subject, close it",
	VersionsTitle: "The version header: what the specification wants, what happened", VSent: "Sent", VHas: "Interface", VMust: "Specification", VDid: "What happened",
	KeyCopy: "copy the command that would show it",
}

var reviewZH = Review{
	List:   map[string]string{"ladder": "阶梯", "coverage": "覆盖", "migration": "迁移"},
	Answer: map[string]string{"passed": "通过", "failed": "失败", "partly": "部分", "not-seen": "未见"},
	Item:   map[string]string{"passed": "已完成", "failed": "未完成", "partly": "部分", "not-seen": "未见"},
	Phase: map[string]string{
		"0.3-only": "仅 0.3", "compatibility": "兼容：使用 0.3，两者都能读", "dual": "双版本：使用 1.0，0.3 仍可用",
		"1.0-only": "仅 1.0", "draft": "1.0 的草案", "": "尚不清楚",
	},
	Must: map[string]string{
		"0.3": "必须按 0.3 处理", "1.0": "必须按 1.0 处理", "refused": "必须以 VersionNotSupportedError 拒绝",
		"0.3-refused": "必须按 0.3 处理；不提供 0.3 时则拒绝",
		"undefined":   "规范没有说明该如何处理", "ignored": "0.3 没有版本请求头：忽略", "": "该如何处理尚不清楚",
	},
	Did: map[string]string{
		"0.3": "按 0.3 处理", "1.0": "按 1.0 处理", "refused": "以 VersionNotSupportedError 拒绝",
		"other": "因其他原因失败", "": "应答没有表明",
	},
	Agent: "智能体", Client: "客户端", FailsAt: "在第 %d 步失败：%s", NoFail: "没有失败的步骤",
	Counts: "通过 %d，失败 %d，部分 %d，未见 %d", Items: "已完成 %d，未完成 %d，部分 %d，未见 %d", Failing: "失败：%s", Times: "%d 次",
	More: "…… 还有 %d 个", Hint: "check --review 显示每一步、由哪个交互体现，以及如何看到其余部分。",
	Check: "检查", Seen: "已见", Fill: "如何看到", Failure: "失败依据", Shows: "交互本身", PhaseIs: "阶段：%s",
	Versions: "版本请求头", NoVersion: "无", ReadAs03: "必须当作 0.3", Interface: "接口提供 %s", Only: "接口仅提供 %s", NoIface: "没有看到说明该接口版本的卡片", Showed: "没有看到卡片；其应答表明有 %s",
	DidIs: "；实际：%s", Disagree: "与规范不符", TwoOf: " 和 ",
	EmptyPane: "还没有可评审的内容：尚无 A2A 交互结束。", NothingRun: "这里没有命令：需要由客户端来做", NotSeenYet: "未见：没有交互体现它",
	Title: "评审", Key: "评审：阶梯、覆盖、迁移", KeyTabs: "阶梯、覆盖、迁移", KeyOpen: "转到体现它的交互；展开、收起一个对象",
	Tab:   map[string]string{"ladder": "阶梯", "coverage": "覆盖", "migration": "迁移"},
	Cause: "这就是原因：第一个失败的步骤。", CauseShort: "原因", Asks: "规范的要求", Shown: "由何体现", ToSee: "如何看到",
	CopyHint: "按 c 复制：", OneIsEnough: "其中一个即可", OneBinding: "卡片只列出一个绑定：没有别的可供比较。", PartUnseen: "%s：未见", DidLine: "实际：%s", HintList: "回车：转到交互 · →：在此阅读 · c：复制命令", HintInside: "按键在此移动 · esc 回到列表",
	KeyInside: "进入说明", KeyOutside: "回到列表；回到对象并收起",
	VersionsTitle: "版本请求头：按规范应当如何，实际如何", VSent: "发送", VHas: "接口", VMust: "规范", VDid: "实际",
	KeyCopy: "复制能让它出现的命令",
}
