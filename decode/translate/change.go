package translate

import (
	"a2ascope/decode"
	"a2ascope/internal/jsontree"
)

// Effect says what a change does to the meaning.
type Effect string

// The effects.
const (
	Renamed Effect = "renamed" // stands in another place
	Changed Effect = "changed" // written otherwise, or said by other means
	Dropped Effect = "dropped" // not needed: other means say it
	Added   Effect = "added"   // the other version wants it, and it follows from the rest
	Lost    Effect = "lost"    // the other version has no place for it
	Unsaid  Effect = "unsaid"  // the other version wants it, and nothing tells it
	Differs Effect = "differs" // the versions mean different things by it, or by its absence
	Kept    Effect = "kept"    // in no table: left as it was
)

// Effects lists all effects.
func Effects() []Effect {
	return []Effect{Renamed, Changed, Dropped, Added, Lost, Unsaid, Differs, Kept}
}

// Code is the reason for a change.
type Code string

// The reasons.
const (
	ByName         Code = "name"            // the member has another name
	BySnake        Code = "snake-case"      // JSON has camelCase
	Kind           Code = "kind"            // 0.3 JSON-RPC marks objects, 1.0 does not
	Role           Code = "role"            // another spelling
	State          Code = "state"           // another spelling
	EnumUnknown    Code = "enum-unknown"    // a value that no version has
	StateUnknown   Code = "state-unknown"   // "unknown" and UNSPECIFIED are only nearly the same
	Stamp          Code = "timestamp"       // 1.0 writes UTC
	StampUnclear   Code = "timestamp-form"  // no point in time that can be read
	Flat           Code = "flat"            // 1.0 writes it beside the others, 0.3 in an object of its own
	Wrapper        Code = "wrapper"         // the object that says what the answer is
	DataObject     Code = "data-object"     // 0.3 data is always an object
	TwiceBase64    Code = "twice-base64"    // SDKs of 0.3 encode the bytes of files twice
	PartContent    Code = "part-content"    // a part has exactly one content
	NoPlace        Code = "no-place"        // no member for it
	Tenant         Code = "tenant"          // 0.3 has no tenants
	Metadata       Code = "metadata"        // this request has none in the other version
	Final          Code = "final"           // 1.0 closes the stream instead
	LaterMember    Code = "later"           // not in the proto of 0.3.0, but in those of its SDKs
	Inverted       Code = "inverted"        // true there is false here
	Waiting        Code = "wait-default"    // what happens without blocking or returnImmediately
	HistoryZero    Code = "history-zero"    // 0 means none in 1.0, unlimited in 0.3
	Schemes        Code = "schemes"         // one scheme in 1.0, a list in 0.3
	SchemesMany    Code = "schemes-many"    // of several only the first
	ResourceName   Code = "resource-name"   // tasks/{id} as one name
	Missing        Code = "required"        // required there, absent here
	OtherVersion   Code = "other-version"   // already written as in the other version
	UnknownName    Code = "unknown"         // in no version
	WrongType      Code = "type"            // another JSON type than the table has
	Twice          Code = "twice"           // two members become one
	Method         Code = "method"          // what the operation is called
	Route          Code = "route"           // verb and path
	Verb           Code = "subscribe-verb"  // the documents disagree
	BaseV1         Code = "base-v1"         // whether /v1 is of the route or of the address
	BaseTenant     Code = "base-tenant"     // whether the path before the route ends in a tenant
	VersionField   Code = "version-header"  // A2A-Version is new in 1.0
	Extensions     Code = "extensions"      // A2A-Extensions has lost its X-
	MediaType      Code = "media-type"      // application/a2a+json is of 1.0
	QueryName      Code = "query"           // a parameter that the other version does not have
	CreateBody     Code = "create-body"     // the SDKs of 0.3 do not agree on it
	Interfaces     Code = "interfaces"      // 0.3 has one address and others beside it, 1.0 a list of interfaces
	OtherInterface Code = "other-interface" // an interface that speaks the other version
	SchemeType     Code = "scheme-type"     // 0.3 marks security schemes with type
	Signature      Code = "signature"       // of a text that is no longer the same
	PageToken      Code = "page-token"      // a list of 0.3 JSON-RPC has no pages
	ErrorDetail    Code = "error-detail"    // 1.0 names the error in data, too
	ErrorData      Code = "error-data"      // details are typed in 1.0
	ErrorCode      Code = "error-code"      // 0.3 does not have this error
)

// Codes lists all reasons.
func Codes() []Code {
	return []Code{ByName, BySnake, Kind, Role, State, EnumUnknown, StateUnknown, Stamp, StampUnclear, Flat, Wrapper, DataObject, TwiceBase64,
		PartContent, NoPlace, Tenant, Metadata, Final, LaterMember, Inverted, Waiting, HistoryZero, Schemes, SchemesMany, ResourceName,
		Missing, OtherVersion, UnknownName, WrongType, Twice, Method, Route, Verb, BaseV1, BaseTenant, VersionField, Extensions, MediaType, QueryName,
		CreateBody, Interfaces, OtherInterface, SchemeType, Signature, PageToken,
		ErrorDetail, ErrorData, ErrorCode}
}

// Change is one difference between a message and its translation.
type Change struct {
	Effect Effect
	Code   Code
	Member string       // as it is called where it was; of what is new, where it is now
	From   decode.Place // where it was; "" for what is new
	To     string       // JSON pointer into Body, or a header; "" for what is gone
	Count  int          // how often, the places are those of the first
}

// Bounds of a list of changes: what is beyond repeats what is before.
const maxChanges = 64

// spot is a place that is written down only when it is wanted: to find the
// pointer of a value costs a walk through all that stand before it.
type spot struct {
	node  jsontree.Node
	place decode.Place // of the document the node is in, or the place itself
}

func on(p decode.Place) spot { return spot{place: p} }

func (s spot) where() decode.Place {
	if s.node.Exists() {
		return s.place + decode.Place(s.node.PointerTo())
	}
	return s.place
}

// changes collects them.
type changes struct{ list []Change }

func (c *changes) note(e Effect, code Code, member string, from spot, to string) {
	for i := range c.list {
		if x := &c.list[i]; x.Effect == e && x.Code == code && x.Member == member {
			x.Count++
			return
		}
	}
	if len(c.list) < maxChanges {
		c.list = append(c.list, Change{e, code, member, from.where(), to, 1})
	}
}

// lossless reports whether the translation says all that was said, nothing more,
// and nothing is missing in it.
func lossless(list []Change) bool {
	for i := range list {
		if x := &list[i]; x.Effect == Lost || x.Effect == Unsaid || x.Code == OtherVersion {
			return false
		}
	}
	return true
}
