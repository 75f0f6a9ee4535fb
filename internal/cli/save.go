package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"a2ascope/capture"
	"a2ascope/capture/har"
	"a2ascope/decode"
	"a2ascope/internal/jsontree"
	"a2ascope/internal/redact"
	"a2ascope/internal/session"
)

// saveHAR writes the exchanges of a session as a HAR, with what was found in
// _a2ascope. The file is for its owner only and appears when it is whole.
func saveHAR(name string, v *session.View, plain bool) (n int, err error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".a2ascope-*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	var full *decode.Call // of the exchange that is being written
	o := har.Options{Creator: "a2ascope", Version: Version, Unmasked: plain}
	if !plain {
		o.Redact = &har.Redactor{Header: redact.Header, Text: redact.Text,
			Body: func(_ *capture.Exchange, from capture.Side, f *capture.Frame) []byte {
				return maskedBody(full, from, f)
			}}
	}
	w := har.NewWriter(f, o)
	for i := range v.Rows.Len() {
		row := v.Rows.At(i)
		if row.Call == nil {
			continue
		}
		full = row.Call.Full()
		extra, err := json.Marshal(found(row))
		if err != nil {
			return n, err
		}
		if err := w.Exchange(row.Call.Exchange, extra); err != nil {
			return n, fmt.Errorf("save %s: %w", name, err)
		}
		n++
	}
	if err := w.Close(); err != nil {
		return n, fmt.Errorf("save %s: %w", name, err)
	}
	if err := f.Close(); err != nil {
		return n, fmt.Errorf("save %s: %w", name, err)
	}
	return n, os.Rename(f.Name(), name)
}

// maskedBody masks JSON bodies. Of a gRPC message nothing can be masked in
// place: one that holds a secret is left out.
func maskedBody(full *decode.Call, from capture.Side, f *capture.Frame) []byte {
	if f.Form != capture.GRPCMessage {
		return redact.Body(f.Data)
	}
	docs := []*jsontree.Doc{full.RequestDoc}
	if from == capture.Server {
		docs = docs[:0]
		docs = append(docs, full.ResponseDoc)
		for i := range full.Events {
			docs = append(docs, full.Events[i].Doc)
		}
	}
	for _, d := range docs {
		if d != nil && len(redact.Spans(d)) > 0 {
			return nil
		}
	}
	return f.Data
}

type foundJSON struct {
	Number   int      `json:"exchange"`
	Findings []string `json:"findings"`
}

func found(r *session.Row) foundJSON {
	j := foundJSON{Number: r.Number, Findings: []string{}}
	for _, f := range r.Findings {
		j.Findings = append(j.Findings, f.Rule.ID)
	}
	return j
}
