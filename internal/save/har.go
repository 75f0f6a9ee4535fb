package save

import (
	"context"
	"encoding/json"
	"io"

	"a2ascope/capture"
	"a2ascope/capture/har"
	"a2ascope/decode"
	"a2ascope/decode/spec"
	"a2ascope/diagnose"
	"a2ascope/internal/jsontree"
	"a2ascope/internal/redact"
	"a2ascope/internal/session"
)

// harRedactor masks in words where lengths do not matter, and gRPC messages in place.
func harRedactor(x *capture.Exchange) *har.Redactor {
	y := redact.Words.Knowing(x.Request)
	return &har.Redactor{
		Header: func(name, value string) string { return header(name, value, y) },
		Text:   y.Text,
		Body:   func(from capture.Side, f *capture.Frame) []byte { return bodyData(x.Request, from, f, y) },
	}
}

// writeHAR writes the exchanges as HAR, with what was found in _a2ascope.
func writeHAR(ctx context.Context, to io.Writer, v *session.View, o *Options) (n Count, err error) {
	h := har.Options{Creator: "a2ascope", Version: o.Version, Unmasked: o.Plain}
	if !o.Plain {
		h.Redact = harRedactor
	}
	w := har.NewWriter(to, h)
	err = rows(ctx, v, o, func(r *session.Row) error {
		n.add(r)
		if r.Conn != nil {
			e := o.connection(r)
			extra, err := json.Marshal(knownOfConnection(r, e.Body.(*capture.ConnInfo), o))
			if err != nil {
				return err
			}
			return w.Connection(e, extra)
		}
		x := o.exchange(r)
		extra, err := json.Marshal(known(r, x, o))
		if err != nil {
			return err
		}
		return w.Exchange(x, extra)
	})
	if err != nil {
		return n, err
	}
	return n, w.Close()
}

// knownJSON is the member "_a2ascope" of an entry.
type knownJSON struct {
	Number    int           `json:"exchange,omitempty"` // none of a connection without HTTP
	Kind      string        `json:"kind"`
	Protocol  string        `json:"protocol,omitempty"`
	Binding   string        `json:"binding,omitempty"`
	Operation string        `json:"operation,omitempty"`
	Outcome   string        `json:"outcome,omitempty"`
	Findings  []findingJSON `json:"findings"`
	Marked    bool          `json:"marked,omitempty"`
	Note      string        `json:"note,omitempty"`    // what somebody wrote about it
	Decoded   *decodedJSON  `json:"decoded,omitempty"` // gRPC: the messages as JSON
}

type findingJSON struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Blame    string `json:"blame"`
	Counts   bool   `json:"counts"`
	Symptom  string `json:"symptom"`
}

type decodedJSON struct {
	Request  json.RawMessage   `json:"request,omitempty"`
	Response []json.RawMessage `json:"response,omitempty"`
}

func known(r *session.Row, x *capture.Exchange, o *Options) knownJSON {
	c := r.Call()
	k := knownJSON{Number: r.Number, Kind: string(c.Kind), Protocol: string(c.Protocol), Binding: string(c.Binding),
		Operation: string(c.Operation), Outcome: string(c.Outcome)}
	k.said(r, x.Notes, redact.For(x.Request, o.Plain), o.Plain)
	if c.Binding == spec.GRPC {
		k.Decoded = decoded(c, o.Plain)
	}
	return k
}

func knownOfConnection(r *session.Row, info *capture.ConnInfo, o *Options) knownJSON {
	k := knownJSON{Kind: string(spec.KindConnection)}
	k.said(r, info.Notes, redact.For(nil, o.Plain), o.Plain)
	return k
}

// said adds what was found in a row, and what people attached to it.
func (k *knownJSON) said(r *session.Row, notes []capture.Note, mask redact.Style, plain bool) {
	k.Marked, k.Note = capture.Remarks(notes)
	k.Note = mask.Text(k.Note)
	k.Findings = []findingJSON{}
	for _, f := range r.Findings {
		k.Findings = append(k.Findings, findingJSON{f.Rule.ID, string(f.Severity), string(f.Blame), f.Counts(), f.TextsFor(diagnose.EN, plain).Symptom})
	}
}

// decoded reads the messages as they are written: masked in place, so that the
// JSON and the bytes beside it say the same.
func decoded(c *decode.Call, plain bool) *decodedJSON {
	if !plain {
		again := *c
		again.Exchange, again.Compacted = newMasker().exchange(c.Exchange), true
		c = &again
	}
	c = c.Full()
	d := &decodedJSON{Request: docJSON(c.RequestDoc)}
	if j := docJSON(c.ResponseDoc); j != nil {
		d.Response = append(d.Response, j)
	}
	for i := range c.Events {
		if j := docJSON(c.Events[i].Doc); j != nil {
			d.Response = append(d.Response, j)
		}
	}
	if d.Request == nil && d.Response == nil {
		return nil
	}
	return d
}

func docJSON(d *jsontree.Doc) json.RawMessage {
	if d == nil || d.Err != nil || !json.Valid(d.Text) {
		return nil
	}
	return d.Text
}
