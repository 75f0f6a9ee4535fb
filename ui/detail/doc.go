// Package detail shows one exchange in five tabs:
//
//	1 Diagnosis   what happened, why, who changes what, and the proof
//	2 Request     what the client asked, decoded
//	3 Response    what the agent answered, decoded (streams: package events)
//	4 Raw         heads, trailers and bodies as sent
//	5 Explain     what it is and why we say so, in the other version too; to paste
//
// Every tab is a text document, made when the tab is looked at and kept until
// the exchange changes. Evidence of the findings is highlighted in all of
// them; Goto opens the tab that holds a place and scrolls to it.
//
// Start reading at detail.go, then diagnosis.go.
package detail
