package decode

import (
	"fmt"
	"strings"

	"a2ascope/internal/jsontree"
)

// Dump writes the facts of a call as stable text, a line for each that is
// known, for tests and for reading. Documents are not in it.
func Dump(c *Call) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		b.WriteString(name)
		b.WriteByte(' ')
		fmt.Fprintf(&b, format, args...)
		b.WriteByte('\n')
	}
	text := func(name, value string) {
		if value != "" {
			line(name, "%s", value)
		}
	}
	line("kind", "%s %s %s", c.Kind, c.Protocol, c.Sure)
	if c.Tentative {
		text("tentative", "or "+string(c.Fallback))
	}
	text("binding", string(c.Binding))
	text("operation", string(c.Operation))
	text("method", c.Method)
	flags := ""
	for _, f := range []struct {
		yes  bool
		word string
	}{{c.Misnamed, " misnamed"}, {c.Streaming, " streaming"}, {c.Path.VerbMismatch, " verb-mismatch"}, {c.GRPC.SchemaGuessed, " schema-guessed"}, {c.GRPC.Web, " grpc-web"}} {
		if f.yes {
			flags += f.word
		}
	}
	text("flags", strings.TrimSpace(flags))
	line("phase", "%s", c.Phase)
	text("outcome", string(c.Outcome))
	dumpSignals(&b, "identity", "", "", c.Identity)
	dumpVersion(&b, "request", c.Request)
	dumpVersion(&b, "response", c.Response)
	dumpDeclared(&b, &c.Declared)
	text("dialect", string(c.Dialect))
	dumpPath(&b, c)
	if c.RPC.IsEnvelope || c.RPC.AnswerOK {
		line("rpc", "id %s answer %s batch %d", orDash(c.RPC.ID), orDash(c.RPC.ResponseID), c.RPC.Batch)
	}
	if c.GRPC.Service != "" || c.GRPC.Status >= 0 && c.GRPC.StatusAt != "" {
		line("grpc", "%s %s %s schema %s status %d %s", orDash(c.GRPC.Package), orDash(c.GRPC.Service), orDash(c.GRPC.Method),
			orDash(c.GRPC.Schema), c.GRPC.Status, c.GRPC.Message)
	}
	text("task", c.TaskID)
	text("context", c.ContextID)
	if c.Tenant != "" {
		line("tenant", "%s at %s", c.Tenant, c.TenantFrom)
	}
	dumpNode(&b, "params", c.Params, c.ParamsAt)
	dumpNode(&b, "result", c.Result, c.ResultAt)
	for i := range c.Events {
		dumpEvent(&b, &c.Events[i])
	}
	if p := c.Push; p != nil {
		line("push", "url %s config %s task %s token %v bare %v %s", orDash(p.URL), orDash(p.ConfigID), orDash(p.TaskID), p.Token, p.Bare, p.Kind)
	}
	if c.AgentCard != nil {
		dumpCard(&b, c.AgentCard)
	}
	if c.Fault != nil {
		dumpFault(&b, "fault", c.Fault)
	}
	for _, p := range c.Problems {
		line("problem", "%s at %s: %s", p.Code, p.At, p.Text)
	}
	return b.String()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func dumpSignals(b *strings.Builder, name, value, sure string, signals []Signal) {
	if value != "" || sure != "" {
		fmt.Fprintf(b, "%s %s %s\n", name, value, sure)
	} else if len(signals) > 0 {
		fmt.Fprintf(b, "%s\n", name)
	}
	for _, s := range signals {
		fmt.Fprintf(b, "  %3d %s %s at %s %s\n", s.Weight, s.Says, s.Why, s.Where, s.Value)
	}
}

func dumpVersion(b *strings.Builder, name string, f VersionFact) {
	value := string(f.Value)
	if f.Call != "" || f.Body != "" {
		value += fmt.Sprintf("(name %s, body %s)", f.Call, f.Body)
	}
	dumpSignals(b, name, value, string(f.Sure), f.Signals)
}

func dumpDeclared(b *strings.Builder, d *Declared) {
	if d.Presence == "absent" || d.Presence == "" {
		return
	}
	fmt.Fprintf(b, "declared %s %q version %s from %s", d.Presence, d.Raw, orDash(string(d.Version)), d.Source)
	for _, f := range []struct {
		yes  bool
		word string
	}{{d.Patch, " patch"}, {d.Malformed, " malformed"}, {d.Multi, " multi"}} {
		if f.yes {
			b.WriteString(f.word)
		}
	}
	if d.Query != "" {
		fmt.Fprintf(b, " query %q", d.Query)
	}
	b.WriteByte('\n')
}

func dumpPath(b *strings.Builder, c *Call) {
	if c.Path.Template == "" {
		return
	}
	fmt.Fprintf(b, "path base %q v1 %s template %s rest %q\n", c.Path.Base, orDash(c.Path.V1), c.Path.Template, c.Path.Rest)
}

func dumpNode(b *strings.Builder, name string, n jsontree.Node, at Place) {
	if n.Exists() {
		fmt.Fprintf(b, "%s %s of %d at %s\n", name, n.Kind(), n.Len(), at)
	}
}

func dumpEvent(b *strings.Builder, e *StreamEvent) {
	fmt.Fprintf(b, "event %d %s at %s", e.Frame, e.Kind, e.At)
	for _, f := range []struct{ name, value string }{{"version", string(e.Version)}, {"task", e.TaskID}, {"context", e.ContextID}, {"state", e.State}} {
		if f.value != "" {
			fmt.Fprintf(b, " %s %s", f.name, f.value)
		}
	}
	for _, f := range []struct {
		yes  bool
		word string
	}{{e.Wrapped, " wrapped"}, {e.Member, " member"}, {e.Final, " final"}} {
		if f.yes {
			b.WriteString(f.word)
		}
	}
	b.WriteByte('\n')
	if e.Fault != nil {
		dumpFault(b, "  fault", e.Fault)
	}
}

func dumpFault(b *strings.Builder, name string, f *Fault) {
	fmt.Fprintf(b, "%s %s at %s http %d grpc %d code %d a2a %s std %s", name, f.Shape, f.At, f.HTTP, f.GRPC, f.Code, orDash(f.A2A), orDash(f.Std))
	for _, v := range []struct{ name, value string }{{"status", f.Status}, {"reason", f.Reason}, {"domain", f.Domain}, {"type", f.Type},
		{"details", strings.Join(f.Details, " ")}, {"sure", string(f.Sure)}} {
		if v.value != "" {
			fmt.Fprintf(b, " %s %s", v.name, v.value)
		}
	}
	if f.HasInfo {
		b.WriteString(" info")
	}
	if f.InBand {
		b.WriteString(" in-band")
	}
	fmt.Fprintf(b, " message %q\n", f.Message)
}

func dumpCard(b *strings.Builder, c *AgentCard) {
	fmt.Fprintf(b, "card %s %q version %s protocol %s preferred %s streaming %s push %s extended-card %s secured %v signatures %d",
		orDash(c.Vocabulary), c.Name, orDash(c.Version), orDash(c.Protocol), orDash(c.Preferred), orDash(string(c.Streaming)),
		orDash(string(c.PushNotes)), orDash(string(c.ExtCard)), c.Secured, c.Signatures)
	if c.Extended {
		b.WriteString(" extended")
	}
	b.WriteByte('\n')
	for _, i := range c.Interfaces {
		fmt.Fprintf(b, "  interface %s %s %s tenant %s from %s at %s\n", orDash(i.Binding), orDash(i.RawVer), i.URL, orDash(i.Tenant), i.From, i.At)
	}
	for _, e := range c.Extensions {
		fmt.Fprintf(b, "  extension %s required %v\n", e.URI, e.Required)
	}
}
