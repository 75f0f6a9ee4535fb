package samples_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/capture/script"
	"a2ascope/decode/schema"
	"a2ascope/diagnose"
)

// fieldCase is a line of cases/cases.jsonl.
type fieldCase struct {
	ID, Kind, Binding string
	Row               any `json:"section5_row"`
	Wire              []exchange
	Rules             []string
	Remarks           string `json:"rules_remark"`
}

// exchange is one request and its answer as a case tells them.
type exchange struct {
	Request  caseRequest
	Response caseResponse
}

type caseRequest struct {
	Method, Path, HTTP string
	Headers            map[string]string
	Body               json.RawMessage
	Message            json.RawMessage `json:"grpc_message"`
}

type caseResponse struct {
	Status       int
	Headers      map[string]string
	Body         json.RawMessage
	SSE          []string
	Message      json.RawMessage `json:"grpc_message"`
	Trailers     map[string]json.RawMessage
	TrailersOnly bool `json:"trailers_only"`
	Error        string
}

func cases(t *testing.T) []fieldCase {
	t.Helper()
	f, err := os.Open("cases/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []fieldCase
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<22)
	for sc.Scan() {
		var c fieldCase
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if len(all) != 104 {
		t.Fatalf("%d cases, want 104", len(all))
	}
	return all
}

// onTheWire is false for what a case tells in words because it is no HTTP
// exchange; the rest of the case is played.
func (q caseRequest) onTheWire() bool {
	return regexp.MustCompile(`^[A-Z]+$`).MatchString(q.Method) && strings.HasPrefix(q.Path, "/")
}

// message is the gRPC request. One case tells it in words: the 0.3 client puts
// its message into field 1.
func (q caseRequest) message() string {
	if strings.Contains(string(q.Message), "(client: Message request)") {
		return `{"request":{"messageId":"m1","role":"ROLE_USER","content":[{"text":"hi"}]}}`
	}
	return compact(q.Message)
}

// play writes the case in the language of plays: each exchange on a connection
// of its own to its authority, one second apart.
func (c fieldCase) play() string {
	var b strings.Builder
	for i, w := range c.Wire {
		if strings.Contains(string(w.Request.Body), "ClientHello") {
			// Told in words: the hello, and what a gRPC server without TLS says to it.
			fmt.Fprintf(&b, "+ 1s\n= c%d client 192.0.2.1:%d server 192.0.2.2:50051\n>x 16 03 01 00 05 01 00 00 01 00\n+ 5ms\n<x 00 00 06 04 00 00 00 00 00 00 05 00 00 40 00\n! close server\n", i, 40000+i)
			continue
		}
		if !w.Request.onTheWire() {
			continue
		}
		if i > 0 {
			b.WriteString("+ 1s\n")
		}
		host := w.Request.Headers["host"]
		fmt.Fprintf(&b, "= c%d client 192.0.2.1:%d name %s\n", i, 40000+i, host)
		if w.Request.Message != nil {
			w.grpc(&b)
		} else {
			w.http(&b)
		}
	}
	return b.String()
}

func (w exchange) http(b *strings.Builder) {
	r := w.Response
	if strings.Contains(r.Error, "refused") {
		b.WriteString("! refused\n")
		return
	}
	fmt.Fprintf(b, "> %s %s\n", w.Request.Method, w.Request.Path)
	headers(b, ">", w.Request.Headers)
	body(b, ">", w.Request.Body)
	switch {
	case r.Status == 0:
		b.WriteString("+ 30s\n! close client\n")
		return
	}
	fmt.Fprintf(b, "+ 5ms\n< %d\n", r.Status)
	headers(b, "<", r.Headers)
	if r.SSE == nil {
		body(b, "<", r.Body)
		return
	}
	b.WriteString("<\n")
	for i, line := range r.SSE {
		if line == "(connection closed)" {
			b.WriteString("<\n! close server\n\n")
			return
		}
		if i > 0 && strings.HasPrefix(line, "data:") && strings.HasPrefix(r.SSE[i-1], "data:") {
			b.WriteString("<\n") // each is an event of its own
		}
		// A line that is written with its escapes stands for these bytes.
		if strings.Contains(line, `\r\n`) {
			fmt.Fprintf(b, "<x %x\n", strings.NewReplacer(`\r`, "\r", `\n`, "\n").Replace(line))
			continue
		}
		line, _, _ = strings.Cut(line, " (t=")
		fmt.Fprintf(b, "< %s\n", line)
	}
	b.WriteString("<\n\n")
}

func (w exchange) grpc(b *strings.Builder) {
	fmt.Fprintf(b, "> grpc %s\n", w.Request.Path)
	headers(b, ">", w.Request.Headers)
	fmt.Fprintf(b, "> %s\n", w.Request.message())
	r := w.Response
	b.WriteString("+ 5ms\n")
	if r.Message != nil {
		fmt.Fprintf(b, "< %s\n", compact(r.Message))
	}
	fmt.Fprintf(b, "< status %s %s\n", text(r.Trailers["grpc-status"]), text(r.Trailers["grpc-message"]))
	if d := r.Trailers["grpc-status-details-bin(decoded)"]; d != nil {
		fmt.Fprintf(b, "< details %s\n", compact(d))
	}
	b.WriteString("\n")
}

func headers(b *strings.Builder, mark string, fields map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name == "content-length" || name == "transfer-encoding" {
			continue // framing is added
		}
		fmt.Fprintf(b, "%s %s: %s\n", mark, name, fields[name])
	}
}

// body writes a JSON body on one line, a JSON string as the text itself.
func body(b *strings.Builder, mark string, raw json.RawMessage) {
	if s := text(raw); s != "" && s != "null" {
		fmt.Fprintf(b, "%s\n", mark)
		for line := range strings.SplitSeq(s, "\n") {
			fmt.Fprintf(b, "%s %s\n", mark, line)
		}
	}
	b.WriteString("\n")
}

// text is a JSON string's content, or the compact JSON of anything else.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return compact(raw)
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

func (c fieldCase) source() capture.Source {
	p, err := script.Parse(c.ID+".play", []byte(c.play()))
	if err != nil {
		panic(err)
	}
	return p.Source(script.Options{EncodeGRPC: schema.EncodeGRPC})
}

// TestCasesAreNamed: each case of the field whose rules exist gets its first
// rule as listed; no healthy look-alike gets an error that is not listed.
func TestCasesAreNamed(t *testing.T) {
	named := 0
	for _, c := range cases(t) {
		t.Run(c.ID, func(t *testing.T) {
			v := read(t, c.ID, func() (capture.Source, error) { return c.source(), nil })
			found := map[string]*diagnose.Finding{}
			for _, row := range rowsByNumber(v)[1:] {
				for _, f := range row.Findings {
					_, slug, _ := strings.Cut(f.Rule.ID, "/")
					if old := found[slug]; old == nil || f.FollowsFrom == nil && old.FollowsFrom != nil {
						found[slug] = f
					}
					if c.ID[0] == 'H' && f.Severity == diagnose.Error && f.Counts() && !slices.Contains(c.Rules, slug) {
						t.Errorf("healthy, but exchange %d has the error %s", row.Number, f.Rule.ID)
					}
				}
			}
			if c.ID[0] == 'H' || len(c.Rules) == 0 || notFromThisSide[c.ID] != "" {
				return
			}
			named++
			for i, slug := range c.Rules {
				switch f := found[slug]; {
				case f == nil && notOnTheWire[c.ID+" "+slug] != "":
				case f == nil:
					t.Errorf("%s is not found; found: %v\n%s", slug, slices.Collect(maps.Keys(found)), c.play())
				case i == 0 && f.FollowsFrom != nil:
					t.Errorf("%s should be the cause, but follows from %s", slug, f.FollowsFrom.Rule)
				}
			}
		})
	}
	if named < 70 {
		t.Errorf("only %d cases name a rule: the test does not test", named)
	}
}

// notOnTheWire are listed rules beside the cause that the case's bytes do not show.
var notOnTheWire = map[string]string{
	"C01 card-version-misdeclared":    "speaks once a call of 0.3 has succeeded; the case ends before",
	"C36 version-undeclared-rejected": "the refusal has no A2A code; version-error-wrong-code says what it means",
}

// notFromThisSide are cases whose first rule needs what one capture does not hold.
var notFromThisSide = map[string]string{
	"C84":  "nobody asked for agent.json, so nothing says that it is served; this side alone shows card-not-found",
	"C101": "needs the captures of both sides of the gateway: this side alone shows a signed card like any other",
	"C121": "without a card no-such-tenant may as well be the base path of the agent",
	"C124": "needs a streaming call: the case has none, and a capability that nobody used is not missed",
	"C29":  "needs the captures of both sides of the hop; this side alone shows version-missing-rejected",
}
