package decode

import (
	"math/bits"
	"strings"

	"a2ascope/decode/spec"
	"a2ascope/internal/jsontree"
)

// evidence names one kind of sign of a version in a body. A kind counts once
// per message, however often it is there: ten parts with "kind" say no more
// than one.
type evidence uint8

const (
	evKind evidence = iota
	evRoleLower
	evRoleEnum
	evContentRole
	evContent
	evPartType
	evSessionID
	evPartFile
	evPartFileWith
	evPartDataNested
	evPartFlat
	evReturnImmediately
	evTaskPushConfig
	evBlocking
	evBlockingDraft
	evConfigPush
	evConfigPushDraft
	evPushNotification
	evPushFlat
	evPushWrapped
	evPushWrappedDraft
	evPushParent
	evPushConfigIDDraft
	evNotificationConfigID
	evResourceName
	evPushTaskID
	evPushIDOnly
	evSchemes
	evScheme
	evSnake
	evMetadata
	evTenant
	evStateLower
	evStateEnum
	evStateCancelled
	evStateCanceled
	evWrapper
	evBareResult
	evFinal
	evListArray
	evConfigs
	evErrorInfo
	evProblemType
	evErrorShape03
	evCodeSince10
	evExtendedCardText
	evExtensions
	evXExtensions
	evMedia
	evCard10
	evCard03
	evCard02
	evCard01
	evDelivery10
	evDelivery03
	evRequestDraft
	evidenceCount
)

// evidenceTable is what each kind says, as the classification weighs it.
var evidenceTable = [evidenceCount]struct {
	why    string
	says   spec.Version
	weight Weight
}{
	evKind:           {"kind", spec.V03, Strong},
	evRoleLower:      {"role-lower", spec.V03, Strong},
	evRoleEnum:       {"role-enum", spec.V10, Strong},
	evContentRole:    {"content-with-role-enum", spec.V03, Decisive},
	evContent:        {"content", spec.V03, Strong},
	evPartType:       {"part-type", spec.V01, Strong},
	evSessionID:      {"session-id", spec.V01, Strong},
	evPartFile:       {"part-file", spec.V03, Strong},
	evPartFileWith:   {"part-file-with", spec.V03, Decisive},
	evPartDataNested: {"part-data-nested", spec.V03, Strong},
	evPartFlat:       {"part-flat", spec.V10, Strong},

	evReturnImmediately: {"return-immediately", spec.V10, Strong},
	evTaskPushConfig:    {"task-push-config", spec.V10, Strong},
	// Both names are of 0.3 and of the 1.0 draft; what else the body says decides which is meant.
	evBlocking:         {"blocking", spec.V03, Medium},
	evBlockingDraft:    {"blocking", spec.V10Draft, Medium},
	evConfigPush:       {"push-config", spec.V03, Medium},
	evConfigPushDraft:  {"push-config", spec.V10Draft, Medium},
	evPushNotification: {"push-notification", spec.V03, Strong},

	evPushFlat:             {"push-flat", spec.V10, Strong},
	evPushWrapped:          {"push-wrapped", spec.V03, Strong},
	evPushWrappedDraft:     {"push-wrapped-with-id", spec.V10Draft, Strong},
	evPushParent:           {"push-parent", spec.V03, Strong},
	evPushConfigIDDraft:    {"push-config-id", spec.V10Draft, Strong},
	evNotificationConfigID: {"push-notification-config-id", spec.V03, Decisive},
	evResourceName:         {"resource-name", spec.V03, Decisive},
	evPushTaskID:           {"push-task-id", spec.V10, Strong},
	evPushIDOnly:           {"push-id-only", spec.V03, Medium},
	evSchemes:              {"auth-schemes", spec.V03, Strong},
	evScheme:               {"auth-scheme", spec.V10, Strong},
	evSnake:                {"snake-case", spec.V03, Medium},
	evMetadata:             {"metadata", spec.V03, Weak},
	evTenant:               {"tenant", spec.V10, Strong},

	evStateLower:     {"state-lower", spec.V03, Strong},
	evStateEnum:      {"state-enum", spec.V10, Strong},
	evStateCancelled: {"state-cancelled", spec.V03, Decisive},
	evStateCanceled:  {"state-canceled", spec.V10, Strong},
	evWrapper:        {"result-wrapper", spec.V10, Strong},
	evBareResult:     {"result-bare", spec.V03, Strong},
	evFinal:          {"final", spec.V03, Strong},
	evListArray:      {"push-list-array", spec.V03, Strong},
	evConfigs:        {"push-list-object", spec.V10, Strong},

	evErrorInfo:        {"error-info", spec.V10, Strong},
	evProblemType:      {"problem-type", spec.V10Draft, Strong},
	evErrorShape03:     {"error-shape", spec.V03, Medium},
	evCodeSince10:      {"error-code", spec.V10, Medium},
	evExtendedCardText: {"extended-card-text", spec.V03, Weak},
	evExtensions:       {"extensions-header", spec.V10, Medium},
	evXExtensions:      {"x-extensions-header", spec.V03, Medium},
	evMedia:            {"media-type", spec.V10, Medium},

	evCard10: {"card-vocabulary", spec.V10, Strong},
	evCard03: {"card-vocabulary", spec.V03, Strong},
	evCard02: {"card-vocabulary", spec.V02, Strong},
	evCard01: {"card-vocabulary", spec.V01, Strong},

	evDelivery10:   {"delivery-wrapper", spec.V10, Strong},
	evDelivery03:   {"delivery-bare", spec.V03, Strong},
	evRequestDraft: {"request-member", spec.V10Draft, Strong},
}

// tally collects the evidence of one question. A nil tally takes nothing, for
// bodies whose schema already says the version.
type tally struct {
	seen    uint64 // kinds that are in signals
	event   uint64 // kinds seen since the last reset, for the version of one event
	signals []Signal
	fact    VersionFact // of signals[:counted]
	counted int
}

// add notes a kind of evidence that is a value of the document at in.
func (t *tally) add(e evidence, in Place, n jsontree.Node) {
	if t.fresh(e) {
		t.say(e, placeOf(in, n), short(n))
	}
}

// addAs is add with another word than the value itself.
func (t *tally) addAs(e evidence, in Place, n jsontree.Node, value string) {
	if t.fresh(e) {
		t.say(e, placeOf(in, n), value)
	}
}

// addAt notes evidence that stands outside of JSON.
func (t *tally) addAt(e evidence, at Place, value string) {
	if t.fresh(e) {
		t.say(e, at, value)
	}
}

// fresh counts the evidence for the event at hand and reports whether it is
// new to the exchange: only then its place is worth writing down.
func (t *tally) fresh(e evidence) bool {
	if t == nil {
		return false
	}
	bit := uint64(1) << e
	t.event |= bit
	return t.seen&bit == 0
}

func (t *tally) say(e evidence, at Place, value string) {
	t.seen |= 1 << e
	row := &evidenceTable[e]
	t.push(VersionSignal(at, value, row.says, row.weight, row.why))
}

// placeOf returns the place of a value in the frame that in points into.
func placeOf(in Place, n jsontree.Node) Place {
	var buf [160]byte
	frame := in[:strings.IndexByte(string(in), '#')+1]
	return Place(n.AppendPointer(append(buf[:0], frame...)))
}

func (t *tally) has(e evidence) bool { return t != nil && t.event&(1<<e) != 0 }

// push notes a signal that is no row of the table.
func (t *tally) push(s Signal) {
	if t.signals == nil {
		t.signals = make([]Signal, 0, 4)
	}
	t.signals = append(t.signals, s)
}

// pushOnce notes a signal unless one of the same reason is there.
func (t *tally) pushOnce(s Signal) {
	for i := range t.signals {
		if t.signals[i].Why == s.Why {
			return
		}
	}
	t.push(s)
}

// resolve adds the signals up. It costs nothing when none came since the last time.
func (t *tally) resolve(lowerOnTie bool) VersionFact {
	if t.counted != len(t.signals) {
		t.fact = resolve(t.signals, lowerOnTie)
		t.counted = len(t.signals)
	}
	return t.fact
}

// eventVersion adds up the kinds seen since the last reset.
func (t *tally) eventVersion() spec.Version {
	var s sums
	for m := t.event; m != 0; m &= m - 1 {
		row := &evidenceTable[bits.TrailingZeros64(m)]
		s.add(row.says, row.weight)
	}
	v, _ := s.winner(false)
	return v
}

const shortLimit = 80

// short renders a value for a signal: a string without quotes, other values as
// written, objects and arrays by their kind.
func short(n jsontree.Node) string {
	switch n.Kind() {
	case jsontree.Object:
		return "{…}"
	case jsontree.Array:
		return "[…]"
	case jsontree.String:
		return clip(n.Str(), shortLimit)
	}
	return clip(string(n.Raw()), shortLimit)
}

// clip shortens text to at most max bytes at a character's edge, with a mark where it was cut.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && s[max]&0xC0 == 0x80 {
		max--
	}
	return s[:max] + "…"
}
