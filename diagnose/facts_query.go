package diagnose

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// QueryFacts is the query of a REST call, and the values of paging and
// filtering over every binding.
type QueryFacts struct {
	Strange   []string `cel:"strange"`    // names of parameters that the operation does not have
	StrangeAt string   `cel:"strange_at"` // of the first that Right stands for, else of the first
	Meant     string   `cel:"meant"`      // a strange name that is a known one spelled otherwise,
	Right     string   `cel:"right"`      // and how 1.0 spells it

	Bad      string `cel:"bad"`       // the parameter or member whose value is out of range
	BadValue string `cel:"bad_value"` // what was sent
	BadWant  string `cel:"bad_want"`  // 1..100, not-negative, state, boolean, timestamp
	BadAt    string `cel:"bad_at"`
}

// maxStrange bounds the names listed; names longer than a word are cut.
const maxStrange = 12

func fillQuery(q *QueryFacts, c *decode.Call) {
	if c.Binding == spec.HTTPJSON && len(c.Path.Query) > 0 {
		q.fillNames(c)
		for _, name := range ranged {
			if v, ok := c.Path.Query[name]; ok && v != "" && q.Bad == "" {
				q.judge(name, v, false, "request/query/"+name)
			}
		}
	}
	switch c.Operation {
	case spec.ListTasks, spec.GetTask:
		if !c.Params.IsObject() {
			return
		}
		for _, name := range ranged {
			if m := c.Params.Get(name); q.Bad == "" && m.Exists() && m.Kind() != jsontree.Null {
				q.judge(name, m.Text(), m.Kind() != jsontree.String, string(c.ParamsAt.Below(pointerBelow(c.Params, m))))
			}
		}
	}
}

// ranged are the parameters whose values have a range or a form (1.0 §3.1.4, §11.5).
var ranged = []string{"pageSize", "historyLength", "status", "includeArtifacts", "statusTimestampAfter"}

// judge compares a value with its range. typed: it was no JSON string and no
// query parameter, so that its type was judged as that of any member.
func (q *QueryFacts) judge(name, value string, typed bool, at string) {
	bad, want := false, ""
	switch name {
	case "pageSize":
		n, ok := number(value)
		bad, want = !ok || n < 1 || n > 100, "1..100"
	case "historyLength":
		n, ok := number(value)
		bad, want = !ok || n < 0, "not-negative"
	case "status": // in a body the rules of enums speak
		if strings.HasPrefix(at, "request/query/") {
			s, v, ok := spec.StateByWord(value)
			bad, want = !ok || generation(string(v)) != "1.0" && s.V10 != value, "state"
		}
	case "includeArtifacts":
		bad, want = !typed && value != "true" && value != "false", "boolean"
	case "statusTimestampAfter":
		_, err := time.Parse(time.RFC3339, value)
		bad, want = err != nil, "timestamp"
	}
	if bad {
		q.Bad, q.BadValue, q.BadWant, q.BadAt = name, cut(value), want, at
	}
}

func number(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// fillNames lists the parameters that the operation does not have, in the order of the query.
func (q *QueryFacts) fillNames(c *decode.Call) {
	m := c.Exchange.Request.Method
	if m != "GET" && m != "DELETE" {
		return
	}
	known := spec.QueryParams(c.Operation)
	names := make([]string, 0, len(c.Path.Query))
	for name := range c.Path.Query {
		names = append(names, name)
	}
	slices.Sort(names) // a map has no order
	for _, name := range names {
		if slices.Contains(known, name) || ofEverybody(name) || len(q.Strange) == maxStrange {
			continue
		}
		right, ok := spec.RightQueryParam(c.Operation, name)
		if !ok {
			right, ok = respelled(known, name)
		}
		if ok && q.Right == "" {
			q.Meant, q.Right, q.StrangeAt = cut(name), right, "request/query/"+name
		}
		q.Strange = append(q.Strange, cut(name))
	}
	if q.StrangeAt == "" && len(q.Strange) > 0 {
		q.StrangeAt = "request/query/" + q.Strange[0]
	}
}

// respelled finds the parameter that a name is in other case, or without its underscores.
func respelled(known []string, name string) (string, bool) {
	plain := strings.NewReplacer("_", "", "-", "").Replace(lower(name))
	for _, k := range known {
		if lower(k) == plain {
			return k, true
		}
	}
	return "", false
}

// ofEverybody: parameters that are nobody's mistake: those of every operation, and what
// gateways, tracing, caches and authentication put on an url.
func ofEverybody(name string) bool {
	n := lower(name)
	switch n {
	case "a2a-version", "a2a-extensions", "tenant", "_", "v", "alt", "format", "locale", "lang", "traceparent", "tracestate", "baggage", "code", "subscription-key", "api-version":
		return true
	}
	for _, w := range [...]string{"key", "token", "auth", "sig", "secret", "credential", "trace", "span", "request-id", "request_id", "requestid", "correlation", "session"} {
		if strings.Contains(n, w) && n != "pagetoken" && n != "page_token" && n != "page-token" {
			return true
		}
	}
	return strings.HasPrefix(n, "utm_") || strings.HasPrefix(n, "x-")
}

// keysOfCard takes the parameters away that the agent's card names for its API key.
func keysOfCard(q *QueryFacts, k *card) {
	if len(q.Strange) == 0 || k == nil {
		return
	}
	for s := range k.card.Node.Get("securitySchemes").Children() {
		if in := s.Get("apiKeySecurityScheme"); in.IsObject() {
			s = in
		}
		name := s.Get("name").Str()
		if name == "" || s.Get("location").Str() != "query" && s.Get("in").Str() != "query" {
			continue
		}
		q.Strange = slices.DeleteFunc(q.Strange, func(x string) bool { return x == name })
		if q.Meant == name {
			q.Meant, q.Right, q.StrangeAt = "", "", ""
		}
	}
	switch {
	case len(q.Strange) == 0:
		q.StrangeAt = ""
	case q.Right == "":
		q.StrangeAt = "request/query/" + q.Strange[0]
	}
}
