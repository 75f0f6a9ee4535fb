package spec

import (
	"net/url"
	"strings"
)

// Route is how the end of a path was read. The path before it is
// base [ "/v1" ] [ "/" tenant ]; telling these apart needs a card.
type Route struct {
	Op               Operation
	Template         string // "tasks/{id}:cancel"
	Verbs            []string
	Before           string // path before the route, without the trailing "/"
	TaskID, ConfigID string // percent-decoded
	VerbOK           bool
	Generic          bool // weak evidence alone: /tasks, /tasks/{id}, /extendedAgentCard, /v1/card
	Singular         bool // task/{id}/…: the letter of the 0.3 proto
	Old02            bool // a route of 0.2 only
	V1Required       bool // only a route because "v1" stands before it
	SlashForColon    bool // near miss: message/send, tasks/x/cancel
	EscapedColon     bool // near miss: message%3Asend
	TrailingSlash    bool
}

// route is a template with its operation for each verb it takes.
type route struct {
	Template string
	ByVerb   []verbOp // the first is assumed for a verb that is not listed
	Verbs    []string
	Generic  bool
	Spec     string
}

type verbOp struct {
	Verb string
	Op   Operation
}

// routes are the REST templates of every version: 0.3 §3.5.6 and proto, 1.0 §5.3, §11.3 and proto.
// The verb of subscribe differs between proto (GET) and prose (POST) in both versions.
var (
	routeSend      = route{"message:send", []verbOp{{"POST", SendMessage}}, []string{"POST"}, false, "0.3 §3.5.6, 1.0 §5.3"}
	routeStream    = route{"message:stream", []verbOp{{"POST", SendStreamingMessage}}, []string{"POST"}, false, "0.3 §3.5.6, 1.0 §5.3"}
	routeCancel    = route{"tasks/{id}:cancel", []verbOp{{"POST", CancelTask}}, []string{"POST"}, false, "0.3 §3.5.6, 1.0 §5.3"}
	routeSubscribe = route{"tasks/{id}:subscribe", []verbOp{{"POST", SubscribeToTask}, {"GET", SubscribeToTask}}, []string{"POST", "GET"}, false, "0.3 §3.5.6, 1.0 §5.3"}
	routeConfig    = route{"tasks/{id}/pushNotificationConfigs/{cid}", []verbOp{{"GET", GetPushConfig}, {"DELETE", DeletePushConfig}}, []string{"GET", "DELETE"}, false, "0.3 §3.5.6, 1.0 §5.3"}
	routeConfigs   = route{"tasks/{id}/pushNotificationConfigs", []verbOp{{"GET", ListPushConfigs}, {"POST", CreatePushConfig}}, []string{"GET", "POST"}, false, "0.3 §3.5.6, 1.0 §5.3"}
	routeSingular  = route{"task/{id}/pushNotificationConfigs", []verbOp{{"POST", CreatePushConfig}}, []string{"POST"}, false, "0.3 proto"}
	routeOld       = route{"tasks/{id}/pushNotifications/{cid}", []verbOp{{"GET", GetPushConfig}}, []string{"GET"}, false, "0.2.2 proto"}
	routeOlds      = route{"tasks/{id}/pushNotifications", []verbOp{{"GET", ListPushConfigs}, {"POST", CreatePushConfig}}, []string{"GET", "POST"}, false, "0.2.2 proto"}
	routeOldSet    = route{"task/{id}/pushNotifications", []verbOp{{"POST", CreatePushConfig}}, []string{"POST"}, false, "0.2.2 proto"}
	routeTask      = route{"tasks/{id}", []verbOp{{"GET", GetTask}}, []string{"GET"}, true, "0.3 §3.5.6, 1.0 §5.3"}
	routeTasks     = route{"tasks", []verbOp{{"GET", ListTasks}}, []string{"GET"}, true, "1.0 §5.3"}
	routeExtended  = route{"extendedAgentCard", []verbOp{{"GET", GetExtendedAgentCard}}, []string{"GET"}, true, "1.0 §5.3"}
	routeCard      = route{"card", []verbOp{{"GET", GetExtendedAgentCard}}, []string{"GET"}, true, "0.3 §3.5.6"}
	routeOldCard   = route{"agent/authenticatedExtendedCard", []verbOp{{"GET", GetExtendedAgentCard}}, []string{"GET"}, false, "0.2.6 §5"}
)

// MatchRoute matches the end of an escaped path, longest template first, as
// the specification's templates would: {id} is one segment, and a custom verb
// is what follows the last ":" of it. %3A is a character of an id, not a verb.
func MatchRoute(verb, path string) (Route, bool) {
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	var r Route
	if len(path) > 1 && path[len(path)-1] == '/' {
		r.TrailingSlash = true
		path = path[:len(path)-1]
	}
	rest, last := cutLast(path)
	rest2, second := cutLast(rest)
	rest3, third := cutLast(rest2)
	rest4, fourth := cutLast(rest3)

	switch {
	case last == "message:send":
		return r.as(verb, &routeSend, rest), true
	case last == "message:stream":
		return r.as(verb, &routeStream, rest), true
	case strings.EqualFold(last, "message%3Asend"):
		r.EscapedColon = true
		return r.as(verb, &routeSend, rest), true
	case strings.EqualFold(last, "message%3Astream"):
		r.EscapedColon = true
		return r.as(verb, &routeStream, rest), true
	case second == "message" && (last == "send" || last == "stream"):
		r.SlashForColon = true
		if last == "send" {
			return r.as(verb, &routeSend, rest2), true
		}
		return r.as(verb, &routeStream, rest2), true
	case fourth == "tasks" && third != "" && second == "pushNotificationConfigs" && last != "":
		r.TaskID, r.ConfigID = unescape(third), unescape(last)
		return r.as(verb, &routeConfig, rest4), true
	case fourth == "tasks" && third != "" && second == "pushNotifications" && last != "":
		r.TaskID, r.ConfigID, r.Old02 = unescape(third), unescape(last), true
		return r.as(verb, &routeOld, rest4), true
	case last == "pushNotificationConfigs" && second != "" && (third == "tasks" || third == "task"):
		r.TaskID = unescape(second)
		if third == "task" {
			r.Singular = true
			return r.as(verb, &routeSingular, rest3), true
		}
		return r.as(verb, &routeConfigs, rest3), true
	case last == "pushNotifications" && second != "" && (third == "tasks" || third == "task"):
		r.TaskID, r.Old02 = unescape(second), true
		if third == "task" {
			r.Singular = true
			return r.as(verb, &routeOldSet, rest3), true
		}
		return r.as(verb, &routeOlds, rest3), true
	case third == "tasks" && second != "" && (last == "cancel" || last == "subscribe"):
		r.SlashForColon, r.TaskID = true, unescape(second)
		if last == "cancel" {
			return r.as(verb, &routeCancel, rest3), true
		}
		return r.as(verb, &routeSubscribe, rest3), true
	case second == "tasks" && last != "":
		return r.task(verb, last, rest2), true
	case second == "agent" && last == "authenticatedExtendedCard":
		r.Old02 = true
		return r.as(verb, &routeOldCard, rest2), true
	case last == "tasks":
		return r.as(verb, &routeTasks, rest), true
	case last == "extendedAgentCard":
		return r.as(verb, &routeExtended, rest), true
	case last == "card" && second == "v1":
		r.V1Required = true
		return r.as(verb, &routeCard, rest), true
	}
	return Route{}, false
}

// task reads the segment after "tasks": an id, or an id with a custom verb.
func (r Route) task(verb, segment, before string) Route {
	if i := strings.LastIndexByte(segment, ':'); i > 0 {
		switch segment[i+1:] {
		case "cancel":
			r.TaskID = unescape(segment[:i])
			return r.as(verb, &routeCancel, before)
		case "subscribe":
			r.TaskID = unescape(segment[:i])
			return r.as(verb, &routeSubscribe, before)
		}
	}
	r.TaskID = unescape(segment)
	return r.as(verb, &routeTask, before)
}

func (r Route) as(verb string, t *route, before string) Route {
	r.Template, r.Verbs, r.Generic = t.Template, t.Verbs, t.Generic
	r.Before = strings.TrimRight(before, "/")
	r.Op = t.ByVerb[0].Op
	for _, v := range t.ByVerb {
		if v.Verb == verb {
			r.Op, r.VerbOK = v.Op, true
		}
	}
	if !r.VerbOK && (verb == "PUT" || verb == "PATCH") { // a write can only mean the operation that writes
		for _, v := range t.ByVerb {
			if v.Verb == "POST" {
				r.Op = v.Op
			}
		}
	}
	return r
}

// cutLast splits at the last "/"; without one there is no segment.
func cutLast(path string) (before, segment string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", ""
	}
	return path[:i], path[i+1:]
}

func unescape(segment string) string {
	if s, err := url.PathUnescape(segment); err == nil {
		return s
	}
	return segment
}

// lookAlikes are custom verbs of model APIs whose paths end like ours.
var lookAlikes = []string{
	"generateContent", "streamGenerateContent", "predict", "rawPredict", "streamRawPredict", "serverStreamingPredict",
	"predictLongRunning", "fetchPredictOperation", "directPredict", "explain", "countTokens", "computeTokens",
	"embedContent", "batchEmbedContents", "generateMessage", "generateText", "generateAnswer",
}

// ExcludedRoute reports paths such as /v1beta/models/x:generateContent, which are no A2A routes.
func ExcludedRoute(path string) bool {
	if i := strings.IndexByte(path, '?'); i >= 0 {
		path = path[:i]
	}
	i := strings.LastIndexByte(path, ':')
	if i < 0 {
		return false
	}
	for _, s := range lookAlikes {
		if path[i+1:] == s {
			return true
		}
	}
	return false
}
