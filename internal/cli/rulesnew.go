package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"a2ascope/capture"
	"a2ascope/capture/script"
	"a2ascope/decode"
	"a2ascope/decode/schema"
	"a2ascope/decode/spec"
	"a2ascope/diagnose"
	"a2ascope/diagnose/ruletest"
	"a2ascope/internal/save"
	"a2ascope/internal/session"
)

type newRuleFlags struct {
	id, dir string
	plain   bool
}

func rulesNew(env *Env) *cobra.Command {
	var f newRuleFlags
	cmd := &cobra.Command{
		Use:   "new FILE#N",
		Short: "Begin a rule from an exchange",
		Long: `new writes the skeleton of a rule whose condition matches exchange number N of a
saved capture, and beside it that exchange as an example (a play), secrets masked,
with the findings it gives. Numbers are those of 'a2ascope check'.`,
		Example: `  a2ascope rules new trace.har#3 --id error/our-gateway-timeout
  a2ascope rules test my-rules
  a2ascope check --rules my-rules trace.har`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return env.rulesNew(cmd.Context(), &f, args[0]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.id, "id", "", "id of the rule, `family/slug` (default: my/ and what the exchange is)")
	fl.StringVarP(&f.dir, "output", "o", "my-rules", "write below this `folder`")
	fl.BoolVar(&f.plain, "no-redact", false, "do not mask tokens, credentials and cookies")
	return cmd
}

var ruleID = regexp.MustCompile(`^[a-z]+/[a-z0-9]+(-[a-z0-9]+)*$`)

func (e *Env) rulesNew(ctx context.Context, f *newRuleFlags, arg string) error {
	set, err := f.rulesThere()
	if err != nil {
		return err
	}
	_, all, row, err := e.exchangeAmong(ctx, set, arg)
	if err != nil {
		return err
	}
	c := row.Call().Full()
	id := f.id
	if id == "" {
		id = "my/" + slug(c)
	}
	switch {
	case !ruleID.MatchString(id):
		return fmt.Errorf("--id %q: write family/slug in lower case, such as error/our-gateway-timeout", id)
	case set.Rule(id) != nil && !set.Rule(id).Own():
		return fmt.Errorf("--id %q is a built-in rule: choose another, or begin one that takes its place with: a2ascope rules show --yaml %s", id, id)
	case set.Rule(id) != nil:
		return fmt.Errorf("--id %q: there is a rule of that name already; choose another", id)
	}
	base := filepath.Join(f.dir, filepath.FromSlash(id))
	if err := os.MkdirAll(filepath.Dir(base), 0o755); err != nil {
		return exit{exitInput, err.Error()}
	}
	rule, examples := base+".yaml", base+".txtar"
	for _, name := range []string{rule, examples} {
		if _, err := os.Lstat(name); err == nil {
			return exit{exitInput, name + " is there already; choose another --id or -o"}
		}
	}
	if err := os.WriteFile(rule, []byte(skeleton(c, filepath.Base(arg))), 0o644); err != nil {
		return exit{exitInput, err.Error()}
	}
	rep, err := f.example(examples, id, []*session.Row{row})
	if err == nil && len(rep.Failures) > 0 { // what came before may say how it is to be read
		rep, err = f.example(examples, id, before(all, row))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "%s\n%s\n", rule, examples)
	if len(rep.Failures) > 0 {
		for _, fail := range rep.Failures {
			fmt.Fprintln(e.Stderr, fail)
		}
		return exit{exitInput, "the example does not do as a play what it did in the capture; correct the condition or the play, then: a2ascope rules test " + f.dir}
	}
	fmt.Fprintf(e.Stdout, "Now write the condition and the texts, and a miss; then: a2ascope rules test %s\nTo use it: --rules %s\n", f.dir, f.dir)
	if !f.plain {
		fmt.Fprintln(e.Stdout, "Secrets in the usual places are masked; read the example before you share it.")
	}
	return nil
}

// rulesThere loads what the folder holds already: the example runs with all of it.
func (f *newRuleFlags) rulesThere() (*diagnose.Set, error) {
	some := false
	_ = filepath.WalkDir(f.dir, func(_ string, d fs.DirEntry, err error) error {
		some = some || err == nil && filepath.Ext(d.Name()) == ".yaml"
		return nil
	})
	if !some { // it is new, or empty
		return ruleSet(nil)
	}
	return ruleSet([]string{f.dir})
}

// maxBefore bounds what an example has before the exchange it is about.
const maxBefore = 20

// before is the exchange with those that came before it: the nearest, and the cards.
func before(all session.Rows, row *session.Row) []*session.Row {
	var list []*session.Row
	for i := range row.Index {
		r := all.At(i)
		if !r.HasCall() || r.Conn != nil || r.File != row.File {
			continue
		}
		if r.Number >= row.Number-maxBefore || r.Call().AgentCard != nil {
			list = append(list, r)
		}
	}
	return append(list, row)
}

// example writes exchanges as the example of a rule, and tests it.
func (f *newRuleFlags) example(file, id string, rows []*session.Row) (*ruletest.Report, error) {
	xs := make([]*capture.Exchange, len(rows))
	for i, r := range rows {
		if xs[i] = r.Call().Full().Exchange; !f.plain {
			xs[i] = save.Masked(xs[i])
		}
	}
	// An example may hold what masking does not know: it is for its owner first.
	if err := os.WriteFile(file, exampleOf(xs), 0o600); err != nil {
		return nil, exit{exitInput, err.Error()}
	}
	return expectations(f.dir, id)
}

// expectations writes what the examples give beside them, and tests them.
func expectations(dir, id string) (*ruletest.Report, error) {
	set, err := ruleSet([]string{dir})
	if err != nil {
		return nil, err
	}
	if _, err := ruletest.Run(set, os.DirFS(dir), ruletest.Options{Rule: id, Draft: true, Update: wantWriter(dir)}); err != nil {
		return nil, exit{exitInput, err.Error()}
	}
	rep, err := ruletest.Run(set, os.DirFS(dir), ruletest.Options{Rule: id, Draft: true})
	if err != nil {
		return nil, exit{exitInput, err.Error()}
	}
	return rep, nil
}

// exampleOf is the archive beside the rule.
func exampleOf(xs []*capture.Exchange) []byte {
	play := script.Write(xs, script.WriteOptions{DecodeGRPC: schema.DecodeGRPC})
	return fmt.Appendf(nil, `-- hit/as-captured.play --
%s-- miss/%s --
# Put traffic here that looks alike and is fine: the rule has to keep silent.
> GET /replace-me
> Host: agent.example.test
< 204
`, play, ruletest.Placeholder)
}

// slug names an exchange: get-task-std-error.
func slug(c *decode.Call) string {
	var b strings.Builder
	for i, r := range string(c.Operation) {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	if b.Len() == 0 {
		b.WriteString(string(c.Kind))
	}
	if c.Outcome != "" {
		b.WriteString("-" + string(c.Outcome))
	}
	return b.String()
}

// skeleton is a rule that matches the call, with what to change said beside it.
func skeleton(c *decode.Call, from string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Begun from %s. What each line may hold: rules/README.md.
at: end                         # when it is judged; every exchange comes here
for:                            # an index: write as much of it as is true
  kind: [%s]
`, strings.Map(printable, from), c.Kind)
	for _, l := range []struct{ key, value string }{{"binding", string(c.Binding)}, {"operation", string(c.Operation)}, {"outcome", string(c.Outcome)}} {
		if l.value != "" {
			fmt.Fprintf(&b, "  %s: [%s]\n", l.key, l.value)
		}
	}
	b.WriteString("\n# The facts of the exchange that stand out; leave those that matter.\nif: |\n  " + strings.Join(conditions(c), " &&\n  ") + "\n")
	b.WriteString(`# unless: iface.served          # what would refute it

severity: warning               # error: explains a failure; warning: a silent hazard; info
blame: either                   # client, server, hop, either, none
sure: possible                  # certain, likely, possible
evidence:                       # places that prove it
`)
	for _, p := range evidenceOf(c) {
		fmt.Fprintf(&b, "  - %q\n", string(p))
	}
	b.WriteString(`
symptom:                        # for a tired person: what was seen, with the real names
  en: "` + ruletest.ToWriteEN + `: what is wrong with this exchange."
  zh: "` + ruletest.ToWriteZH + `：这个交互有什么问题。"
cause:
  en: "` + ruletest.ToWriteEN + `: why."
  zh: "` + ruletest.ToWriteZH + `：原因。"
fix:
  client: {en: "` + ruletest.ToWriteEN + `: something to paste.", zh: "` + ruletest.ToWriteZH + `：可以直接粘贴的改法。"}
`)
	sections := spec.OperationSpec(c.Operation)
	if sections == "" {
		sections = "1.0 §5.3"
	}
	fmt.Fprintf(&b, "spec: [\"%s\"]\n", strings.ReplaceAll(sections, ", ", `", "`))
	return b.String()
}

func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return -1
}

// conditions are the facts of the call, each as a term that holds.
func conditions(c *decode.Call) []string {
	var out []string
	term := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if v := c.Request.Value; v != spec.NoVersion {
		term("call.request.version == %q", string(v))
	}
	if f := c.Fault; f != nil && f.Code != 0 {
		term("call.fault.code == %d", f.Code)
	} else if f != nil && f.A2A != "" {
		term("call.fault.a2a == %q", f.A2A)
	}
	switch {
	case c.Binding == spec.GRPC && c.GRPC.Status >= 0:
		term("call.grpc.status == %d", c.GRPC.Status)
	case c.Exchange.Response != nil:
		term("call.http.status == %d", c.Exchange.Response.Status)
	default:
		term("call.http.status == 0")
	}
	return out
}

// evidenceOf lists the places where these facts stand.
func evidenceOf(c *decode.Call) []decode.Place {
	var out []decode.Place
	if c.Exchange.Request != nil {
		out = append(out, "request/line")
	}
	if c.Fault != nil && c.Fault.At != "" {
		out = append(out, c.Fault.At)
	}
	if c.Exchange.Response != nil {
		out = append(out, "response/line")
	}
	return out
}
