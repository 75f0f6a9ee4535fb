package redact

import (
	"bytes"

	"a2ascope/internal/jsontree"
)

// span is a piece of a text and what may be shown in its place.
type span struct {
	start, end int
	with       string
}

// spans returns the secret values of a document in the order of the text. with
// is valid JSON wherever the piece is. A document that is cut or broken is
// masked as far as it was read.
func (y Style) spans(doc *jsontree.Doc) []span {
	var out []span
	if y.On() {
		y.walk(doc.Root(), false, &out)
	}
	return out
}

func (y Style) walk(n jsontree.Node, secret bool, out *[]span) {
	switch n.Kind() {
	case jsontree.Object:
		for c := range n.Children() {
			y.walk(c, secret || IsSecretMember(c.Key()), out)
		}
	case jsontree.Array:
		for c := range n.Children() {
			y.walk(c, secret, out)
		}
	case jsontree.String:
		start, end := n.Span()
		if with, ok := y.quoted(n.Raw(), secret); ok {
			*out = append(*out, span{start, end, with})
		}
	case jsontree.Number:
		if secret {
			start, end := n.Span()
			*out = append(*out, span{start, end, y.number(end - start)})
		}
	}
}

// quoted returns the quoted JSON string that may be shown for a quoted one;
// ok is false when it may be shown as it is. secret says that its member's
// name makes it one.
func (y Style) quoted(quoted []byte, secret bool) (with string, ok bool) {
	if len(quoted) < 3 { // "" hides nothing
		return "", false
	}
	inner := string(quoted[1 : len(quoted)-1])
	if secret {
		with := y.Secret(inner)
		return `"` + with + `"`, with != inner
	}
	// A mask has neither quotes nor backslashes, and secrets neither: the result stays a JSON string.
	if t := y.Text(inner); t != inner {
		return `"` + t + `"`, true
	}
	return "", false
}

// JSON returns the text of a document with its secrets masked. Where the text
// is no JSON from some byte on, that rest is masked as running text.
func (y Style) JSON(doc *jsontree.Doc) []byte {
	spans := y.spans(doc)
	end := len(doc.Text)
	if doc.Err != nil && y.On() {
		end = lastEnd(spans) // what broke off may be a secret: it is no node
	}
	out := make([]byte, 0, len(doc.Text))
	at := 0
	for _, s := range spans {
		out = append(out, doc.Text[at:s.start]...)
		out = append(out, s.with...)
		at = s.end
	}
	out = append(out, doc.Text[at:end]...)
	if end < len(doc.Text) {
		out = append(out, y.Rest(string(doc.Text[end:]))...)
	}
	return out
}

func lastEnd(s []span) int {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1].end
}

// Body returns a body as it may be shown: JSON by its spans, everything else as running text.
func (y Style) Body(data []byte) []byte {
	if y.off {
		return data
	}
	if doc := jsontree.Parse(data); doc.Root().Exists() {
		return y.JSON(doc)
	}
	return []byte(y.Rest(string(data)))
}

// SameLength overwrites the secret strings of a document where they stand
// inside other bytes, such as the protobuf message the document was read from,
// and keeps the length: offsets of a hex dump stay right.
func (y Style) SameLength(data []byte, doc *jsontree.Doc) []byte {
	if y.off {
		return data
	}
	var out []byte
	for _, s := range y.secretStrings(doc.Root(), false, nil) {
		if len(s) < 3 || !bytes.Contains(data, []byte(s)) {
			continue
		}
		if out == nil {
			out = bytes.Clone(data)
		}
		out = bytes.ReplaceAll(out, []byte(s), bytes.Repeat([]byte{'*'}, len(s)))
	}
	if out == nil {
		return data
	}
	return out
}

func (y Style) secretStrings(n jsontree.Node, secret bool, out []string) []string {
	switch n.Kind() {
	case jsontree.Object, jsontree.Array:
		for c := range n.Children() {
			out = y.secretStrings(c, secret || IsSecretMember(c.Key()), out)
		}
	case jsontree.String:
		if secret || y.Text(n.Str()) != n.Str() {
			out = append(out, n.Str())
		}
	}
	return out
}
