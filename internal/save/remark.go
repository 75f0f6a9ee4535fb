package save

import (
	"fmt"
	"strings"

	"a2ascope/capture"
	"a2ascope/capture/pcap"
	"a2ascope/diagnose"
	"a2ascope/internal/redact"
	"a2ascope/internal/session"
)

// remark is what a file of packets says of an exchange: what was found, for
// those who open it with another program, and what people attached, which is
// read back.
type remark struct {
	found string // a line for each finding
	notes []capture.Note
	nth   int  // the number of the exchange on its connection; 0: not known yet
	told  bool // it is written
}

// remarkOn collects what is known of a row, whose request may be nil, and whose
// notes are given.
func remarkOn(r *session.Row, request *capture.Head, notes []capture.Note, plain bool) *remark {
	k := &remark{}
	mask := redact.For(request, plain)
	var lines []string
	for _, f := range r.Findings {
		lines = append(lines, fmt.Sprintf("%s %s: %s", f.Severity, f.Rule.ID, f.TextsFor(diagnose.EN, plain).Symptom))
	}
	k.found = strings.Join(lines, "\n")
	for _, n := range notes {
		if n.ByPeople() {
			n.Text = mask.Rest(n.Text)
			k.notes = append(k.notes, n)
		}
	}
	return k
}

// comments are those of a packet.
func (k *remark) comments() (all []string) {
	if k.found != "" {
		all = append(all, k.found)
	}
	for _, n := range k.notes {
		all = append(all, pcap.MarkNote(k.nth, n))
	}
	return all
}
