package diagnose

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// good is a built-in rule without a mistake; each case breaks one line of it.
const good = `at: response
for:
  kind: [call]
  binding: [JSONRPC]
if: call.fault.code == -32601
let:
  method: call.method
severity: error
blame: client
sure: certain
evidence: [request/frame/0#/method]
symptom: {en: "Method {method} is unknown.", zh: "方法 {method} 不存在。"}
cause:
  en: The server does not know it.
  zh: 服务器不认识它。
fix:
  client: {en: Use another., zh: 换一个。}
spec: ["1.0 §9.4"]
rank: 90
`

func loadOne(text string, builtIn bool) (*Set, []error) {
	set, errs := Load(fstest.MapFS{"call/x.yaml": {Data: []byte(text)}}, builtIn)
	return set, append(errs, set.Compile()...)
}

func TestLoadGood(t *testing.T) {
	set, errs := loadOne(good, true)
	for _, err := range errs {
		t.Error(err)
	}
	r := set.Rule("call/x")
	if r == nil || r.Family != "call" || r.Rank != 90 || r.Symptom.ZH == "" || r.Fix.Client.EN != "Use another." {
		t.Fatalf("read as %+v", r)
	}
}

// TestLoadErrors breaks the good rule in every way the loader knows.
func TestLoadErrors(t *testing.T) {
	type edit struct{ old, new string }
	for name, tt := range map[string]struct {
		edit edit
		want string
	}{
		"unknown key":         {edit{"severity: error", "severety: error"}, "call/x.yaml:8:1: unknown key 'severety' — did you mean 'severity'?"},
		"unknown key in for":  {edit{"  binding: [JSONRPC]", "  bindings: [JSONRPC]"}, "call/x.yaml:4:3: unknown key 'bindings' in 'for' — did you mean 'binding'?"},
		"missing key":         {edit{"spec: [\"1.0 §9.4\"]\n", ""}, "call/x.yaml:1:1: key 'spec' is missing"},
		"key twice":           {edit{"rank: 90\n", "rank: 90\nrank: 91\n"}, "call/x.yaml:20:1: key 'rank' is there twice"},
		"key in for twice":    {edit{"  kind: [call]\n", "  kind: [call]\n  kind: [card]\n"}, "call/x.yaml:4:3: key 'kind' is there twice"},
		"missing zh":          {edit{", zh: 换一个。", ""}, "call/x.yaml:17:11: 'fix.client' has no 'zh'"},
		"missing en":          {edit{"  en: The server does not know it.\n", ""}, "call/x.yaml:14:3: 'cause' has no 'en'"},
		"hole without let":    {edit{"方法 {method}", "方法 {metod}"}, "call/x.yaml:12:54: hole {metod} has no 'let' — did you mean 'method'?"},
		"hole in block":       {edit{"  en: The server does not know it.\n", "  en: |\n    First.\n    Then {nope}.\n"}, "call/x.yaml:16:10: hole {nope} has no 'let'"},
		"hole in evidence":    {edit{"[request/frame/0#/method]", "[\"request/frame/0#/{m}\"]"}, "call/x.yaml:11:12: hole {m} has no 'let'"},
		"unused let":          {edit{"  method: call.method\n", "  method: call.method\n  other: call.method\n"}, "call/x.yaml:8:3: let 'other' is used by no text and no evidence"},
		"let frame":           {edit{"  method: call.method\n", "  method: call.method\n  frame: call.method\n"}, "call/x.yaml:8:3: the hole {frame} is always there: give yours another name"},
		"let name":            {edit{"  method: call.method\n", "  method: call.method\n  Other: call.method\n"}, "call/x.yaml:8:3: 'Other' is no name for a hole: use small letters, digits and _"},
		"let is int":          {edit{"method: call.method", "method: call.http.status"}, "call/x.yaml:7:11: a hole must give a string, this gives an int: write string(…)"},
		"let in one language": {edit{"method: call.method", "method: {en: call.method}"}, "call/x.yaml:7:11: a hole that differs by language needs both 'en' and 'zh'"},
		"unknown check":       {edit{"if: call.fault.code == -32601", "check: nope"}, "call/x.yaml:5:8: unknown check 'nope'"},
		"bad place":           {edit{"request/frame/0#/method", "request/frames/0#/method"}, "call/x.yaml:11:12: "},
		"unknown code":        {edit{"if: call.fault.code == -32601", "if: shape.slipped(\"asked/missing/Message.mesageId\")"}, "call/x.yaml:5:34: no difference of a body is called 'asked/missing/Message.mesageId': 'Message.mesageId' is none — did you mean 'Message.messageId'?"},
		"unknown code in let": {edit{"method: call.method", "method: shape.value(\"asked/enum-worng\")"}, "call/x.yaml:7:30: no difference of a body is called 'asked/enum-worng': 'enum-worng' is none — did you mean 'enum-wrong'?"},
		"unknown checkpoint":  {edit{"at: response", "at: responce"}, "call/x.yaml:1:5: 'responce' is not a checkpoint (request, response, frame, silent, end, card) — did you mean 'response'?"},
		"unknown kind":        {edit{"[call]", "[cal]"}, "call/x.yaml:3:10: 'cal' is not a kind (call, card, push, preflight, infra, connection, other) — did you mean 'call'?"},
		"unknown binding":     {edit{"[JSONRPC]", "[JSON-RPC]"}, "call/x.yaml:4:13: 'JSON-RPC' is not a binding (JSONRPC, HTTP+JSON, GRPC, none) — did you mean 'JSONRPC'?"},
		"unknown outcome":     {edit{"  binding: [JSONRPC]", "  outcome: [okay]"}, "call/x.yaml:4:13: 'okay' is not an outcome"},
		"unknown operation":   {edit{"  binding: [JSONRPC]", "  operation: [message/send]"}, "call/x.yaml:4:15: 'message/send' is not an operation"},
		"unknown version":     {edit{"  binding: [JSONRPC]", "  version: [\"1.1\"]"}, "call/x.yaml:4:13: '1.1' is not a version (0.1, 0.2, 0.3, 1.0-draft, 1.0, mixed, none) — did you mean '0.1'?"},
		"unknown severity":    {edit{"severity: error", "severity: fatal"}, "call/x.yaml:8:11: 'fatal' is not a severity (error, warning, info)"},
		"unknown side":        {edit{"blame: client", "blame: clint"}, "call/x.yaml:9:8: 'clint' is not a side (client, server, hop, either, none, tool) — did you mean 'client'?"},
		"unknown grade":       {edit{"sure: certain", "sure: sure"}, "call/x.yaml:10:7: 'sure' is not a grade (certain, likely, possible)"},
		"no kind":             {edit{"  kind: [call]\n", ""}, "call/x.yaml:3:3: 'for' needs 'kind': say which exchanges the rule is about, for example [call]"},
		"empty list":          {edit{"[call]", "[]"}, "call/x.yaml:3:9: the list is empty"},
		"no condition":        {edit{"if: call.fault.code == -32601\n", ""}, "call/x.yaml:1:1: a rule needs 'if' or 'check'"},
		"no rank":             {edit{"rank: 90\n", ""}, "call/x.yaml:1:1: key 'rank' is missing"},
		"bad rank":            {edit{"rank: 90", "rank: high"}, "call/x.yaml:19:7: rank must be a whole number from 1 to 9999"},
		"no fix":              {edit{"fix:\n  client: {en: Use another., zh: 换一个。}\n", ""}, "call/x.yaml:1:1: key 'fix' is missing: say what the client must change, or 'blame: none'"},
		"bad table":           {edit{"rank: 90", "rank: 90\ntable: [13]"}, "call/x.yaml:20:9: '13' is no row of the failure table: it has rows 1 to 12"},
		"half a row":          {edit{"rank: 90", "rank: 90\ntable: [{row: 3}]"}, "call/x.yaml:20:9: a conditional row needs 'row' and 'if'"},
		"row is wrong":        {edit{"rank: 90", "rank: 90\ntable: [{row: 3, if: call.okay}]"}, "call/x.yaml:20:27: undefined field 'okay'"},
		"bad flag":            {edit{"rank: 90", "rank: 90\nper_peer: yes please"}, "call/x.yaml:20:11: true or false is expected here"},
		"unknown silence":     {edit{"rank: 90", "rank: 90\nsilences: [error/nope]"}, "call/x.yaml:20:12: silences names the unknown rule 'error/nope'"},
		"silences itself":     {edit{"rank: 90", "rank: 90\nsilences: [call/x]"}, "call/x.yaml:20:12: silences names the rule itself"},
		"silence_if half":     {edit{"rank: 90", "rank: 90\nsilences_if: [{rule: call/y}]"}, "call/x.yaml:20:15: a conditional silence needs 'rule' and 'if'"},
		"escalate half":       {edit{"rank: 90", "rank: 90\nescalate: [{if: call.ok}]"}, "call/x.yaml:20:12: an escalation needs 'severity', 'blame' or 'sure'"},
		"not YAML":            {edit{"rank: 90", "rank: 90\n  x: y: z"}, "call/x.yaml:20:1: not valid YAML: mapping values are not allowed in this context (a value with ': ' in it needs quotes or a block, >-)"},
		"second rule":         {edit{"rank: 90", "rank: 90\n---\nat: response"}, "call/x.yaml:21:1: a file holds one rule, and here a second document begins: give it a file of its own"},
		"empty value":         {edit{"blame: client", "blame: \"\""}, "call/x.yaml:9:8: the value is empty"},
		"list for a word":     {edit{"blame: client", "blame: [client]"}, "call/x.yaml:9:8: one word or sentence is expected here, not a list"},
		"word for a list":     {edit{"spec: [\"1.0 §9.4\"]", "spec: 9.4"}, "call/x.yaml:18:7: a list is expected here: [a, b]"},
		"word for a mapping":  {edit{"fix:\n  client: {en: Use another., zh: 换一个。}\n", "fix: Use another.\n"}, "call/x.yaml:16:6: 'fix' is a list of 'key: value', not a single value"},
		"not bool":            {edit{"call.fault.code == -32601", "call.fault.code"}, "call/x.yaml:5:5: a condition must be true or false, this gives an int"},
		"unknown field":       {edit{"call.fault.code == -32601", "call.metod == \"x\""}, "call/x.yaml:5:10: undefined field 'metod' — did you mean 'method'?"},
		"unknown inner field": {edit{"call.fault.code == -32601", "call.ok && call.fault.cod == 1"}, "call/x.yaml:5:27: undefined field 'cod' — did you mean 'code'?"},
		"unknown name":        {edit{"call.fault.code == -32601", "cal.ok"}, "call/x.yaml:5:5: unknown name 'cal' — did you mean 'call'?"},
		"unknown function":    {edit{"call.fault.code == -32601", "call.method.startswith(\"x\")"}, "call/x.yaml:5:17: unknown name 'startswith' — did you mean 'startsWith'?"},
		"one equals sign":     {edit{"call.fault.code == -32601", "call.method = \"x\""}, "call/x.yaml:5:17: '=' is no operator: write '==' to compare"},
		"one ampersand":       {edit{"call.fault.code == -32601", "call.ok & call.failed"}, "call/x.yaml:5:13: '&' is no operator: write '&&'"},
		"and":                 {edit{"call.fault.code == -32601", "call.ok and call.failed"}, "call/x.yaml:5:13: 'and' is written '&&'"},
		"types compared":      {edit{"-32601", "\"x\""}, "call/x.yaml:5:21: '==' cannot compare int with string"},
		"no members":          {edit{"code == -32601", "code.x == 1"}, "call/x.yaml:5:20: a value of type int has no members"},
		"ends early":          {edit{"== -32601", "=="}, "call/x.yaml:5:23: the expression ends too early: something is missing here"},
		"no closing quote":    {edit{"call.fault.code == -32601", "call.method == \"x"}, "call/x.yaml:5:20: the text that begins here has no closing quote"},
		"bad regex":           {edit{"call.fault.code == -32601", "call.method.matches(\"[\")"}, "call/x.yaml:5:5: error parsing regexp: missing closing ]: `[`"},
		"bracket not closed":  {edit{"call.fault.code == -32601", "(call.ok"}, "call/x.yaml:5:13: ')' is missing here"},
		"too few arguments":   {edit{"call.fault.code == -32601", "agent.serves(\"x\")"}, "call/x.yaml:5:17: 'serves' of AgentFacts does not take (string)"},
		"in a literal block":  {edit{"if: call.fault.code == -32601", "if: |\n  call.ok &&\n  call.metod == \"\""}, "call/x.yaml:7:8: undefined field 'metod' — did you mean 'method'?"},
		"in a folded block":   {edit{"if: call.fault.code == -32601", "if: >-\n  call.ok &&\n  call.metod == \"\""}, "call/x.yaml:7:8: undefined field 'metod' — did you mean 'method'?"},
		"in a quoted value":   {edit{"if: call.fault.code == -32601", "if: 'call.metod == \"\"'"}, "call/x.yaml:5:11: undefined field 'metod' — did you mean 'method'?"},
		"in two plain lines":  {edit{"if: call.fault.code == -32601", "if: call.ok &&\n  call.metod == \"\""}, "call/x.yaml:6:8: undefined field 'metod' — did you mean 'method'?"},
		"unless is wrong":     {edit{"rank: 90", "rank: 90\nunless: call.http.status"}, "call/x.yaml:20:9: a condition must be true or false, this gives an int"},
		"escalate is wrong":   {edit{"rank: 90", "rank: 90\nescalate: [{if: call.okay, severity: info}]"}, "call/x.yaml:20:22: undefined field 'okay'"},
		"unclosed brace":      {edit{"rank: 90", "rank: 90\nlet: {a"}, "call/x.yaml:"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(good, tt.edit.old, tt.edit.new, 1)
			if text == good {
				t.Fatal("the edit changes nothing")
			}
			_, errs := loadOne(text, true)
			for _, err := range errs {
				if strings.HasPrefix(err.Error(), tt.want) && (strings.HasSuffix(tt.want, " ") || strings.HasSuffix(tt.want, ":") || err.Error() == tt.want || strings.Contains(err.Error(), tt.want+" (")) {
					return
				}
			}
			t.Errorf("got  %v\nwant %s", errs, tt.want)
		})
	}
}

// TestLoadOneMistakeOneError: a single mistake gives a single report.
func TestLoadOneMistakeOneError(t *testing.T) {
	for _, e := range [][2]string{
		{"call.fault.code == -32601", "call.method = \"x\""},
		{"call.fault.code == -32601", "call.metod == \"x\""},
		{"severity: error", "severity: fatal"},
		{"blame: client", "blame: clint"},
		{"方法 {method}", "方法 {metod}"},
	} {
		_, errs := loadOne(strings.Replace(good, e[0], e[1], 1), true)
		if len(errs) != 1 {
			t.Errorf("%s: %d reports: %v", e[1], len(errs), errs)
		}
	}
}

func TestLoadFiles(t *testing.T) {
	files := fstest.MapFS{
		"calls/a.yaml": {Data: []byte(good)},
		"call/b.yml":   {Data: []byte(good)},
		"call/c.yaml":  {Data: nil},
		"call/d.yaml":  {Data: []byte("- a\n- b\n")},
		"call/e.yaml":  {Data: []byte(good)},
		"call/f.yaml":  {Data: []byte(good)},
		"call/f.txtar": {Data: []byte("ignored")},
	}
	set, errs := Load(files, true)
	errs = append(errs, set.Compile()...)
	got := fmt.Sprint(errs)
	for _, want := range []string{
		"calls/a.yaml: unknown family 'calls' — did you mean 'call'?",
		"call/b.yml: a rule file ends in .yaml: rename it",
		"call/c.yaml:1:1: the file is empty: a rule begins with 'at:'",
		"call/d.yaml:1:1: a rule is a list of 'key: value' lines, the first of them 'at:'",
		"call/f.yaml: rank 90 is already that of call/e",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %q in\n%s", want, strings.Join(strings.Split(got, "call"), "\ncall"))
		}
	}
	if len(errs) != 5 {
		t.Errorf("%d errors: %v", len(errs), errs)
	}
}

func TestLoadCycle(t *testing.T) {
	rule := func(rank int, more string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(strings.Replace(good, "rank: 90", fmt.Sprintf("rank: %d\n%s", rank, more), 1))}
	}
	load := func(files fstest.MapFS) []error {
		set, errs := Load(files, true)
		return append(errs, set.Compile()...)
	}
	errs := load(fstest.MapFS{
		"call/a.yaml": rule(1, "silences: [call/b]"),
		"call/b.yaml": rule(2, "silences: [call/c]"),
		"call/c.yaml": rule(3, "silences: [call/a]"),
	})
	if len(errs) != 1 || errs[0].Error() != "call/a.yaml: silences go round in a circle: call/a → call/b → call/c → call/a" {
		t.Errorf("static circle: %v", errs)
	}
	errs = load(fstest.MapFS{
		"call/a.yaml": rule(1, "silences: [call/b]"),
		"call/b.yaml": rule(2, "silences_if: [{rule: call/a, if: call.ok}]"),
	})
	if len(errs) != 0 {
		t.Errorf("a conditional edge takes the place of the opposite one: %v", errs)
	}
	errs = load(fstest.MapFS{
		"call/a.yaml": rule(1, "silences: [call/b]"),
		"call/b.yaml": rule(2, "silences: [call/c]"),
		"call/c.yaml": rule(3, "silences_if: [{rule: call/a, if: call.ok}]"),
	})
	if len(errs) != 1 {
		t.Errorf("circle through a condition: %v", errs)
	}
}

func TestLoadOnto(t *testing.T) {
	base, _ := loadOne(good, true)
	user := strings.Replace(strings.Replace(good, "rank: 90", "silences: [call/x]", 1), `{en: "Method {method} is unknown.", zh: "方法 {method} 不存在。"}`, `"Method {method}?"`, 1)
	set, errs := LoadOnto(base, fstest.MapFS{"mine.yaml": {Data: []byte(user)}}, Folder{Path: "my"})
	if len(errs) != 0 {
		t.Fatal(errs)
	}
	r := set.Rule("mine")
	if r == nil || r.Family != "user" || r.Rank < userRank || r.Symptom.In(ZH) != "Method {method}?" {
		t.Errorf("read as %+v", r)
	}
	if len(base.Rules()) != 1 || len(set.Rules()) != 2 {
		t.Errorf("base has %d rules, set %d", len(base.Rules()), len(set.Rules()))
	}
	// A user's rule is compiled at once.
	_, errs = LoadOnto(base, fstest.MapFS{"mine.yaml": {Data: []byte(strings.Replace(user, "call.fault.code", "call.falt.code", 1))}}, Folder{})
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "mine.yaml:5:10: undefined field 'falt' — did you mean 'fault'?") {
		t.Errorf("%v", errs)
	}
}
