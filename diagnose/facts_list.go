package diagnose

import (
	"strings"
	"time"

	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// ListFacts is what a page of ListTasks holds beside what was asked for
// (1.0 §3.1.4). Nothing of it is filled for other operations.
type ListFacts struct {
	Tasks       int    `cel:"tasks"`        // on the page
	PageSize    int    `cel:"page_size"`    // asked for, 0 when not sent
	PageSizeAt  string `cel:"page_size_at"` // where it was sent
	Misspelt    string `cel:"misspelt"`     // a query parameter that is one of ListTasks under another name, such as page_size; "" when none is
	Meant       string `cel:"meant"`        // the name it should have
	MisspeltAt  string `cel:"misspelt_at"`
	WrappedAt   string `cel:"wrapped_at"`   // the first task inside an object {"task": …}
	ArtifactsAt string `cel:"artifacts_at"` // the first artifacts of a task, where none were asked for
	DisorderAt  string `cel:"disorder_at"`  // the first status.timestamp that is later than that of the task before
	BeforeAt    string `cel:"before_at"`    // and that one

	Against      string `cel:"against"`       // the filter that a task of the page contradicts: contextId, status, statusTimestampAfter
	AgainstWant  string `cel:"against_want"`  // what the filter asks for
	AgainstValue string `cel:"against_value"` // what the task has
	AgainstAt    string `cel:"against_at"`
	FilterAt     string `cel:"filter_at"`

	Foreign   int    `cel:"foreign"`    // tasks that only calls with another credential made or read before
	ForeignAt string `cel:"foreign_at"` // the id of the first

	// A walk is the pages one client reads one after the other.
	Token        string `cel:"token"`         // the page token the client sent, under whatever name
	TokenAt      string `cel:"token_at"`      // where
	TokenName    string `cel:"token_name"`    // the wrong name it was sent under, "" for pageToken
	Again        bool   `cel:"again"`         // the page is one that this walk had before, and nothing was added meanwhile
	SameToken    bool   `cel:"same_token"`    // the next token is the one just sent
	TokenGivenAt string `cel:"next_token_at"` // where the next token stands
}

func fillList(l *ListFacts, c *decode.Call) {
	if c.Operation != spec.ListTasks || c.Kind != spec.KindCall {
		return
	}
	l.readQuery(c)
	if size, ok := wholeNumber(askedFor(c, "pageSize")); ok && size > 0 {
		l.PageSize, l.PageSizeAt = size, askedAt(c, "pageSize")
	}
	l.Token, l.TokenAt = askedFor(c, "pageToken"), askedAt(c, "pageToken")
	if l.Token == "" && l.Meant == "pageToken" {
		l.Token, l.TokenAt, l.TokenName = c.Path.Query[l.Misspelt], l.MisspeltAt, l.Misspelt
	}
	if c.Outcome != spec.OK || !c.Result.IsObject() {
		return
	}
	l.Tasks = c.Result.Get("tasks").Len()
	if next := c.Result.Get("nextPageToken"); next.IsString() {
		l.SameToken = l.Token != "" && next.Str() == l.Token
		l.TokenGivenAt = l.place(c, next)
	}
	if l.Tasks > 0 {
		l.readTasks(c)
	}
}

func (l *ListFacts) place(c *decode.Call, n jsontree.Node) string {
	return string(c.ResultAt.Below(pointerBelow(c.Result, n)))
}

// askedAt is where askedFor found its value.
func askedAt(c *decode.Call, name string) string {
	if c.Binding == spec.HTTPJSON {
		if _, ok := c.Path.Query[name]; ok {
			return "request/query/" + name
		}
		return ""
	}
	if n := c.Params.Get(name); n.Exists() {
		return string(c.ParamsAt.Below(pointerBelow(c.Params, n)))
	}
	return ""
}

// readQuery looks for a parameter that is meant as one of ListTasks. Of several
// the one for the page token is kept, then the first by name.
func (l *ListFacts) readQuery(c *decode.Call) {
	if c.Binding != spec.HTTPJSON {
		return
	}
	for name := range c.Path.Query {
		right, ok := spec.RightQueryParam(c.Operation, name)
		if !ok || l.Meant == "pageToken" && right != "pageToken" {
			continue
		}
		if l.Misspelt == "" || right == "pageToken" && l.Meant != "pageToken" || name < l.Misspelt {
			l.Misspelt, l.Meant, l.MisspeltAt = name, right, "request/query/"+name
		}
	}
}

func (l *ListFacts) readTasks(c *decode.Call) {
	f := filtersOf(c)
	wantsArtifacts := askedFor(c, "includeArtifacts") == "true"
	var last time.Time
	var lastNode jsontree.Node
	for t := range tasksOf(c) {
		if l.WrappedAt == "" && t.Get("task").IsObject() && !t.Has("id") {
			l.WrappedAt = l.place(c, t.Get("task"))
		}
		if a := t.Get("artifacts"); l.ArtifactsAt == "" && !wantsArtifacts && a.IsArray() {
			l.ArtifactsAt = l.place(c, a)
		}
		node := t.Path("status", "timestamp")
		stamp, err := time.Parse(time.RFC3339, node.Str())
		if err == nil {
			if l.DisorderAt == "" && !last.IsZero() && stamp.After(last) {
				l.DisorderAt, l.BeforeAt = l.place(c, node), l.place(c, lastNode)
			}
			last, lastNode = stamp, node
		} else {
			last = time.Time{}
		}
		if l.Against == "" {
			l.contradict(c, t, &f, stamp, err == nil)
		}
	}
}

// filters are the filters of a ListTasks call that can be compared with a task.
type filters struct {
	context string
	state   int // -1 for none
	after   time.Time
}

func filtersOf(c *decode.Call) filters {
	f := filters{context: askedFor(c, "contextId"), state: -1}
	if word := askedFor(c, "status"); word != "" {
		if s, ok := stateMeant(word); ok && s.Number > 0 {
			f.state = s.Number
		}
	}
	f.after, _ = time.Parse(time.RFC3339, strings.Replace(askedFor(c, "statusTimestampAfter"), " ", "+", 1)) // a plus of a query is read as a space
	return f
}

// stateMeant reads a state in any spelling, or by its number.
func stateMeant(word string) (spec.State, bool) {
	if s, _, ok := spec.StateByWord(word); ok {
		return s, true
	}
	if n, ok := wholeNumber(word); ok {
		return spec.StateByNumber(n)
	}
	return spec.WrongState(word)
}

// contradict compares a task with the filters.
func (l *ListFacts) contradict(c *decode.Call, t jsontree.Node, f *filters, stamp time.Time, stamped bool) {
	against := func(name string, n jsontree.Node) {
		l.Against, l.AgainstWant, l.AgainstValue = name, cut(askedFor(c, name)), cut(n.Text())
		l.AgainstAt, l.FilterAt = l.place(c, n), askedAt(c, name)
	}
	if id := t.Get("contextId"); f.context != "" && id.Str() != "" && id.Str() != f.context {
		against("contextId", id)
		return
	}
	if state := t.Path("status", "state"); f.state > 0 && state.Exists() {
		if s, ok := stateMeant(state.Text()); ok && s.Number != f.state {
			against("status", state)
			return
		}
	}
	if stamped && !f.after.IsZero() && stamp.Before(f.after) {
		against("statusTimestampAfter", t.Path("status", "timestamp"))
	}
}
