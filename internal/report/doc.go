// Package report writes what a session found, headless: text, jsonl, markdown.
//
//	session.View ──New──▶ Report (filtered, counted) ──format──▶ bytes
//
// A report is made once, from the last view; formats only lay it out. Output
// is deterministic: rows in capture order, findings after their exchange, no
// map is ranged over. Secrets are masked unless Options.Plain.
//
// The shapes are promised in docs/OUTPUT.md. Start reading at report.go.
package report
