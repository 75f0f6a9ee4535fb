package lang

import (
	"fmt"
)

// Words are the words of one language.
type Words struct {
	Code     string // "en", "zh"
	LangName string // the language's own name

	// Severities and signs; a letter is one or two cells wide.
	Error, Warning, Info                             string
	LetterError, LetterWarning, LetterInfo, LetterOK string

	Client, Agent, Exchange string
	Yes, No, Required       string

	// List.
	ColNumber, ColTime, ColPeers, ColBinding, ColBindingShort, ColVersion, ColOperation, ColStatus, ColTook, ColFinding, ColTask, ColPath, ColFile string
	OpenCall                                                                                                                                       string
	StatusReset, StatusNone, StatusFailed                                                                                                          string
	PushDelivery, NoRequest                                                                                                                        string
	ConnTLS, ConnEmpty, ConnUnknown, EmptyLive, EmptyLiveDone                                                                                      string
	EmptyLoading, EmptyDone, EmptyFilter, EmptyUnreadable                                                                                          string
	StandardInput                                                                                                                                  string
	TooSmall, NoMoreFindings, NothingSelected                                                                                                      string

	// Detail.
	TabDiagnosis, TabRequest, TabResponse, TabEvents, TabRaw, TabExplain string
	PasteCopies, NoPasteHere, KeyExplain, KeyCopyPaste                   string
	Cause, FixClient, FixServer, Evidence, EnterJumps                    string
	Blamed, RootCause, AlsoSeen, Spec, Rule, NotThere                    string
	FollowsFrom, FoldedInto, Recovered                                   string
	PlaceLine, PlaceHeader, PlaceBody, PlaceEvent, PlaceTrailer          string
	Healthy, NoFinding, WhatItIs, WhyItIs, NotRead, Breaches, Note       string
	FactOperation, FactMethod, FactBinding, FactOutcome                  string
	FactTask, FactContext, FactTenant, FactError, FactMessage            string
	ForeignError                                                         string
	Versions, VersionRequest, VersionResponse                            string
	VersionDeclared, VersionCard                                         string
	VersionAbsent, VersionEmpty, VersionUnseen, VersionUnknown           string
	FileDamage                                                           string
	ConnNoHTTP, ConnTLSMore, ConnEmptyMore                               string
	ConnUnknownMore, NothingHTTP                                         string
	NoRequestSeen, NoAnswerYet, NoBody, BodyNotSeen, BodyCut             string
	FieldUnknown, Trailers, TrailersOnly, StillOpen, ValueCut            string
	SSEComment, KeepAlive, FinalEvent, Incomplete                        string
	InsideJSON, EnterForJSON, NoEventsYet                                string
	NoFindingsYet, NoFindingsAtAll                                       string
	NoAgents, CardNotSeen, CardNotSeenShort, Card, CardShort             string
	DeclaredVersion, AnsweredVersions, NotCalled                         string
	CardVocabulary, CardProtocol, CardPreferred, CardStreaming           string
	CardPush, CardExtended, CardExtension, CardSecurity, CardSignatures  string
	CardFetched, EnterForCard, InsideCard                                string
	TitleList, TitleDetail, TitleEvents, TitleFindings                   string
	TitleOutput, KeyOutput, KeyOutputEnds, NoProgram, NoOutputYet        string
	TitleAgents, TitlePrompt, TitleCopy, TitleLesson, TitleEverywhere    string
	KeyMove, KeyEnds, KeyHalfPage, KeyPage, KeyOpen, KeyFindingNext      string
	KeyTabs, KeyScroll, KeyFollowLink, KeySearch, KeyWrap, KeyHex        string
	KeyBack, KeyEvent, KeyEventJSON, KeyGroup, KeyAgentInside, KeyLesson string
	KeyTake, KeyHistory, KeyDiagnosis, KeyTabNext, KeyFilter, KeyFollow  string
	KeyFocus, KeyFindings, KeyAgents, KeyCopy, KeyZoom, KeyLayout        string
	KeyLang, KeyCommand, KeyHelp, KeySuspend, KeyQuit, KeyComplete       string
	KeyMark, KeyMarkNext, KeyComment, KeyClear, KeySave                  string
	HelpAbout                                                            string

	// Prompts, commands, messages.
	PromptFilter, PromptSearch, PromptCommand, Column                   string
	PromptSave, PromptComment                                           string
	SuspendStops                                                        string
	NoMarks, MarkedOnly, NothingToClear, NothingHidden                  string
	NoSave, StillSaving, LeavingWhenSaved, NoAddress, CopyAddress       string
	SaveReplace, SaveOther, SaveNot, LeaveSave, LeaveLose, LeaveNot     string
	NotFound, NoFilter, NoLesson, ExchangeGone, FilterCleared           string
	Filtering, Following, Paused, HintHelp, FileUnreadable, FileDamaged string
	DragHint, OwnRules, WithoutScreen                                   string
	UsageLang, UsageTheme, UsageGoto, UsageSet                          string
	CopyTitle, CopyFinding, CopyJSON, CopyCurl, CopyRaw, NothingToCopy  string
	LayoutNames                                                         [4]string

	Review    Review
	Sentences sentences
	Lookups   lookups
}

// sentences are the texts with holes; the methods fill them.
type sentences struct {
	AndMore, SeenTimes, OfAll, NoExchange, UnknownCommand, FilesFailed string
	NotJSON, BodyShown, CodingRemoved, ConnBytes                       string
	BytesLost, BytesLostUnknown                                        string
	Counts, CountsShort, FindingsTitle                                 string
	CallsFailed, CallsOK, AgentsTitle                                  string
	ProgramEnded, OutputRunning, OutputEnded, OutputLost               string
	VersionMixed, SetDone, Copied, CopiedCut                           string
	NextHint, PrevHint                                                 string
	TableRow                                                           string
	OpenStream, EmptyAddress, EmptyCleared, Cleared, Uncleared         string
	Saving, Saved, SavedPlain, SaveFailed, FileExists, LeaveUnsaved    string
	CopiedText, RulesWrong, RuleMistakes, NoticesMissed                string
	Conns, ConnsShort, Exchanges, EventsSeen, Dropped, Memory          string
	MemoryOf, Spilled, Forgotten, RowsForgotten, Hidden, Recording     string
}

// lookups are the words for codes; "" is what is said of a code that is not in it.
type lookups struct {
	Operation, Outcome, Blame, Sure, End, Declared, NotA2A map[string]string
	Mode, Conn, ConnMore                                   map[string]string
}

// languages is the one list of languages. The first is the one that is used
// where a language is not known.
var languages = [...]*Words{&en, &zh}

// Get returns the words of a language.
func Get(code string) *Words {
	for _, w := range languages {
		if w.Code == code {
			return w
		}
	}
	return languages[0]
}

// Known reports whether there is such a language.
func Known(code string) bool { return Get(code).Code == code }

// Codes returns the codes of all languages.
func Codes() []string {
	out := make([]string, len(languages))
	for i, w := range languages {
		out[i] = w.Code
	}
	return out
}

// After returns the code of the language after this one, around the end.
func After(code string) string {
	for i, w := range languages {
		if w.Code == code {
			return languages[(i+1)%len(languages)].Code
		}
	}
	return languages[0].Code
}

func find(m map[string]string, code string) string {
	if s, ok := m[code]; ok {
		return s
	}
	return m[""]
}

// OperationWords says in plain words what an operation is for; "" when it is not known.
func (w *Words) OperationWords(op string) string { return find(w.Lookups.Operation, op) }

// Outcome is the word for an outcome.
func (w *Words) Outcome(code string) string { return find(w.Lookups.Outcome, code) }

// Blame says who has something to change.
func (w *Words) Blame(code string) string { return find(w.Lookups.Blame, code) }

// Sure is the word for a grade of certainty; "" where nothing needs to be said.
func (w *Words) Sure(code string) string { return find(w.Lookups.Sure, code) }

// EndWords says how an exchange ended.
func (w *Words) EndWords(code string) string { return find(w.Lookups.End, code) }

// DeclaredIn says where a client declared its version.
func (w *Words) DeclaredIn(code string) string { return find(w.Lookups.Declared, code) }

// NotA2A says what traffic is that is not A2A.
func (w *Words) NotA2A(protocol string) string { return find(w.Lookups.NotA2A, protocol) }

// AndMore says that n more are not shown.
func (w *Words) AndMore(n int) string { return fmt.Sprintf(w.Sentences.AndMore, n) }

// SeenTimes says how often a finding was seen.
func (w *Words) SeenTimes(n int) string { return fmt.Sprintf(w.Sentences.SeenTimes, n) }

// TableRow names rows of the failure table.
func (w *Words) TableRow(rows string) string { return fmt.Sprintf(w.Sentences.TableRow, rows) }

// OfAll says of how many rows a filter shows some.
func (w *Words) OfAll(n int) string { return fmt.Sprintf(w.Sentences.OfAll, n) }

// NoExchange says that a number is not there.
func (w *Words) NoExchange(n int) string { return fmt.Sprintf(w.Sentences.NoExchange, n) }

// FilesFailed says how many files could not be read, and why the first could not.
func (w *Words) FilesFailed(n, of int, why string) string {
	return fmt.Sprintf(w.Sentences.FilesFailed, n, of, why)
}

// UnknownCommand says that a command is not there, and which are.
func (w *Words) UnknownCommand(name, known string) string {
	return fmt.Sprintf(w.Sentences.UnknownCommand, name, known)
}

// NotJSON says where a text stops being JSON, and why.
func (w *Words) NotJSON(offset int, why string) string {
	return fmt.Sprintf(w.Sentences.NotJSON, offset, why)
}

// BodyShown says how much of a body was kept.
func (w *Words) BodyShown(part, all string) string {
	return fmt.Sprintf(w.Sentences.BodyShown, part, all)
}

// CodingRemoved says that a body was decompressed, and how large it was on the wire.
func (w *Words) CodingRemoved(coding, size string) string {
	return fmt.Sprintf(w.Sentences.CodingRemoved, coding, size)
}

// ConnBytes says how much each side sent.
func (w *Words) ConnBytes(client, agent string) string {
	return fmt.Sprintf(w.Sentences.ConnBytes, client, agent)
}

// BytesLost says how many bytes the capture misses, -1: unknown.
func (w *Words) BytesLost(n int64) string {
	if n < 0 {
		return w.Sentences.BytesLostUnknown
	}
	return fmt.Sprintf(w.Sentences.BytesLost, n)
}

// Counts is the number of findings by severity.
func (w *Words) Counts(errors, warnings, infos int, short bool) string {
	if short {
		return fmt.Sprintf(w.Sentences.CountsShort, errors, warnings, infos)
	}
	return fmt.Sprintf(w.Sentences.Counts, errors, warnings, infos)
}

// FindingsTitle heads the list of findings.
func (w *Words) FindingsTitle(errors, warnings, infos int) string {
	return fmt.Sprintf(w.Sentences.FindingsTitle, errors, warnings, infos)
}

// AgentsTitle heads the list of agents.
func (w *Words) AgentsTitle(n int) string { return fmt.Sprintf(w.Sentences.AgentsTitle, n) }

// OutputRunning heads the output of a program that runs.
func (w *Words) OutputRunning(name string) string {
	return fmt.Sprintf(w.Sentences.OutputRunning, name)
}

// OutputEnded heads the output of a program that has ended.
func (w *Words) OutputEnded(name string, code int) string {
	return fmt.Sprintf(w.Sentences.OutputEnded, name, code)
}

// ProgramEnded says it where the output is not seen.
func (w *Words) ProgramEnded(name string, code int) string {
	return fmt.Sprintf(w.Sentences.ProgramEnded, name, code)
}

// OutputLost says how many lines of output are no longer there.
func (w *Words) OutputLost(n int) string { return fmt.Sprintf(w.Sentences.OutputLost, n) }

// CallsFailed says how many calls there were and how many failed.
func (w *Words) CallsFailed(calls, failed int) string {
	if failed == 0 {
		return fmt.Sprintf(w.Sentences.CallsOK, calls)
	}
	return fmt.Sprintf(w.Sentences.CallsFailed, calls, failed)
}

// VersionMixed says that a request contradicts itself.
func (w *Words) VersionMixed(call, body string) string {
	return fmt.Sprintf(w.Sentences.VersionMixed, call, body)
}

// SetDone confirms a setting.
func (w *Words) SetDone(what, value string) string {
	return fmt.Sprintf(w.Sentences.SetDone, what, value)
}

// Copied says how much was copied; CopiedCut that it was cut there.
func (w *Words) Copied(size string) string { return fmt.Sprintf(w.Sentences.Copied, size) }

// CopiedCut says that what was copied was cut at a size.
func (w *Words) CopiedCut(size string) string { return fmt.Sprintf(w.Sentences.CopiedCut, size) }

// PrefixHint says what may follow the first of two keys.
func (w *Words) PrefixHint(key string) string {
	if key == "]" {
		return w.Sentences.NextHint
	}
	return w.Sentences.PrevHint
}
