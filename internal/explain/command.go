package explain

import (
	"net/url"
	"slices"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/decode/translate"
	"a2ascope/diagnose"
	"a2ascope/internal/redact"
)

// sending is a request as a command line can send it.
type sending struct {
	verb, target string
	head         *capture.Head // whose connection it is
	fields       capture.Fields
	body         []byte
	grpc         bool
	mask         redact.Style
}

// Command is a command that sends the request of a call again: curl, or grpcurl
// for gRPC. Secrets are masked unless plain. It is "" when no request was seen.
func Command(c *decode.Call, plain bool) string {
	h := c.Exchange.Request
	if h == nil {
		return ""
	}
	s := sending{verb: h.Method, target: h.Target, head: h, fields: h.Fields, grpc: c.Binding == spec.GRPC, mask: redact.For(h, plain)}
	if s.grpc {
		if doc := decode.DocAt(c, "request", 0); doc != nil {
			s.body = doc.Text
		}
	} else if f := c.Exchange.Body(capture.Client); f != nil {
		s.body = f.Data
	}
	return s.String()
}

// commandOf sends a translated request to where the call went.
func commandOf(q *translate.Request, h *capture.Head, plain bool) string {
	s := sending{verb: q.Verb, target: q.Target, head: h, fields: q.Fields, body: q.Body, grpc: q.Binding == spec.GRPC, mask: redact.For(h, plain)}
	if _, typed := q.Fields.Lookup("content-type"); !typed && len(q.Body) > 0 {
		s.fields = append(slices.Clone(q.Fields), capture.Field{Name: "Content-Type", Value: spec.MediaJSON})
	}
	return s.String()
}

func (s *sending) String() string {
	if s.grpc {
		return s.grpcurl()
	}
	var b strings.Builder
	b.WriteString("curl -sS -i")
	if s.verb != "GET" {
		b.WriteString(" -X " + diagnose.ShellWord(s.verb))
	}
	b.WriteString(" " + diagnose.ShellWord(s.text(s.address())))
	typed := false
	for _, f := range s.fields {
		n := strings.ToLower(f.Name)
		typed = typed || n == "content-type"
		if !unsent[n] && !f.Unknown {
			b.WriteString(" \\\n  -H " + diagnose.ShellWord(f.Name+": "+s.value(f)))
		}
	}
	if len(s.body) > 0 {
		if !typed { // curl would call it a form
			b.WriteString(" \\\n  -H Content-Type:")
		}
		b.WriteString(" \\\n  --data-raw " + diagnose.ShellWord(string(s.bytes())))
	}
	return b.String() + "\n"
}

func (s *sending) grpcurl() string {
	var b strings.Builder
	b.WriteString("grpcurl")
	if s.head.Scheme != "https" {
		b.WriteString(" -plaintext")
	}
	for _, f := range s.fields {
		n := strings.ToLower(f.Name)
		if unsent[n] || f.Unknown || strings.HasPrefix(n, "grpc-") || n == "content-type" || n == "user-agent" {
			continue
		}
		b.WriteString(" \\\n  -H " + diagnose.ShellWord(f.Name+": "+s.value(f)))
	}
	if len(s.body) > 0 {
		b.WriteString(" \\\n  -d " + diagnose.ShellWord(string(s.bytes())))
	}
	path, _, _ := strings.Cut(s.target, "?")
	b.WriteString(" \\\n  " + diagnose.ShellWord(s.head.Authority) + " " + diagnose.ShellWord(strings.TrimPrefix(path, "/")))
	return b.String() + "\n"
}

// unsent are headers that the client library makes itself.
var unsent = map[string]bool{
	"content-length": true, "host": true, "connection": true, "accept-encoding": true, "transfer-encoding": true,
	"te": true, "proxy-connection": true, "keep-alive": true, "upgrade": true, "expect": true,
}

// address is the URL of the target.
func (s *sending) address() string {
	if u, err := url.Parse(s.target); err == nil && u.IsAbs() {
		return s.target
	}
	scheme := s.head.Scheme
	if scheme == "" {
		scheme = "http"
	}
	return scheme + "://" + s.head.Authority + s.target
}

func (s *sending) text(v string) string {
	return s.mask.Text(v)
}

func (s *sending) value(f capture.Field) string {
	return s.mask.Header(f.Name, f.Value)
}

func (s *sending) bytes() []byte {
	return s.mask.Body(s.body)
}
