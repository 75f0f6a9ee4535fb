// Package save writes what was seen to files that this program and others
// open: HAR and pcapng, with secrets masked unless that is not wanted.
//
//	View ──▶ Write ──▶ .har     messages, findings in _a2ascope
//	           │  └──▶ .pcapng  packets made of the exchanges (capture/remake)
//	Source ─▶ Recording ─▶ .pcapng while it runs: the bytes as they came when
//	             nothing is masked, else made of the events as they come; at
//	             the end what was found and attached is added (remark.go)
//
// Words: a target is the file that is being written. Write makes it appear when
// it is whole; a Recording grows in place, so that a crash leaves what was
// recorded.
//
// Invariants: a file is for its owner only; one that is there is replaced only
// when that was asked for; a secret that redact knows reaches no file that is
// masked; a file that is read and written again with the same options is the
// same. A failure to write never touches the traffic or the session.
//
// Start reading at save.go, then mask.go; for recordings at record.go.
package save
