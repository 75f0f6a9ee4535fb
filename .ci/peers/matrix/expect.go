package main

import (
	"fmt"
	"slices"
	"strings"
)

// js03Faults is what is found over HTTP+JSON on an agent of js03 although the
// client fits: it misses a member in the push configuration that its own client
// sends, and breaks when the task to subscribe to is not known.
var js03Faults = []string{"params/required-field-missing", "error/server-internal-error"}

// expect is what the tap has to say about a run: the root causes of severity
// error. required must be among them, and nothing but allowed may.
func (r run) expect() (required string, allowed []string) {
	other := r.client.version != r.server.version
	switch {
	case !other && r.binding == rest && r.server.name == "js03":
		return "", js03Faults
	case !other:
		return "", nil
	case r.way == "card" && r.client.version == "1.0":
		return "discover/card-is-v03", nil
	case r.way == "card":
		return "", []string{"discover/"}
	case r.way == "compat":
		switch {
		case r.binding == rest && r.client.name == "go10":
			// Its layer for 0.3 leaves /v1 out.
			return "call/rest-prefix-mismatch", []string{"call/list-tasks-on-v03", "call/extended-card-route-mismatch"}
		case r.binding == rest:
			return "", js03Faults
		case r.binding == grpc && r.client.name == "go10":
			// It asks for ListTasks although 0.3 has no such method there.
			return "call/grpc-method-not-served", []string{"call/list-tasks-on-v03"}
		}
		return "", nil
	case r.binding == grpc:
		return "call/grpc-service-not-served", nil
	case r.client.version == "0.3" && r.server.name == "js10":
		return "version/v03-client-rejected", nil // it looks at the version first
	case r.binding == rest && r.client.name == "go10":
		// It sends a body with every GET, which the agent refuses before it
		// looks at the path, in a form of its own.
		return "call/rest-prefix-mismatch", []string{"params/request-refused-as-invalid"}
	case r.binding == rest && r.server.name == "js03":
		// Without a card, a 404 for :subscribe may be the verb or the prefix.
		return "call/rest-prefix-mismatch", []string{"call/subscribe-verb-refused"}
	case r.binding == rest:
		return "call/rest-prefix-mismatch", nil
	}
	return "call/method-not-found-cross-version", nil
}

// calls is how many calls of a run the tap must have seen, at least and at most.
func (r run) calls() (least, most int) {
	n := len(r.client.ops)
	switch {
	case r.way == "card" && r.client.version != r.server.version:
		return 0, 0 // the card ends it
	case r.way == "compat":
		return n - 1, n // some layers do not send what 0.3 does not have
	}
	return n, n
}

// judge compares what the tap said with what it has to.
func (r run) judge(res result) error {
	required, allowed := r.expect()
	var wrong []string
	var calls int
	roots, explained := map[string]string{}, map[int]bool{} // the first line of what a rule says
	for _, n := range res.lines {
		switch n.Type {
		case "exchange":
			if n.Binding != nil && *n.Binding == r.binding {
				calls++
			}
			if n.Gaps > 0 {
				wrong = append(wrong, fmt.Sprintf("exchange %d has %d gaps", n.Exchange, n.Gaps))
			}
		case "finding":
			explained[n.Exchange] = true
			if n.Root && n.Severity == "error" {
				roots[n.Rule] = n.Symptom
			}
		}
	}
	for _, n := range res.lines {
		// A stream that its client cut may be truncated: nothing is wrong with it.
		if n.Type == "exchange" && n.Outcome != "ok" && n.Outcome != "truncated" && !explained[n.Exchange] {
			wrong = append(wrong, fmt.Sprintf("exchange %d: %s without a finding", n.Exchange, n.Outcome))
		}
	}
	if least, most := r.calls(); calls < least || calls > most {
		wrong = append(wrong, fmt.Sprintf("%d calls seen, want %d", calls, most))
	}
	if required != "" && roots[required] == "" {
		wrong = append(wrong, "the cause is not named: "+required)
	}
	for rule, symptom := range roots {
		if rule != required && !slices.ContainsFunc(allowed, func(p string) bool { return strings.HasPrefix(rule, p) }) {
			wrong = append(wrong, "a cause that is not there: "+rule+": "+symptom)
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return fmt.Errorf("%s\nthe client said:\n%s", strings.Join(wrong, "\n"), res.direct)
	}
	return nil
}
