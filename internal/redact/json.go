package redact

import (
	"bytes"

	"a2ascope/internal/jsontree"
)

// Span is a piece of a text and what may be shown in its place.
type Span struct {
	Start, End int
	With       string
}

// Spans returns the secret values of a document in the order of the text. With
// is valid JSON wherever the piece is. A document that is cut or broken is
// masked as far as it was read; RestOf masks what stands behind.
func Spans(doc *jsontree.Doc) []Span {
	var out []Span
	walk(doc.Root(), false, &out)
	return out
}

func walk(n jsontree.Node, secret bool, out *[]Span) {
	switch n.Kind() {
	case jsontree.Object:
		for c := range n.Children() {
			walk(c, secret || IsSecretMember(c.Key()), out)
		}
	case jsontree.Array:
		for c := range n.Children() {
			walk(c, secret, out)
		}
	case jsontree.String:
		start, end := n.Span()
		if with, ok := String(n.Raw(), secret); ok {
			*out = append(*out, Span{start, end, with})
		}
	case jsontree.Number:
		if secret {
			start, end := n.Span()
			*out = append(*out, Span{start, end, `"` + Mask(end-start) + `"`})
		}
	}
}

// String returns the quoted JSON string that may be shown for a quoted one;
// ok is false when it may be shown as it is. secret says that its member's
// name makes it one.
func String(quoted []byte, secret bool) (with string, ok bool) {
	if len(quoted) < 3 { // "" hides nothing
		return "", false
	}
	inner := string(quoted[1 : len(quoted)-1])
	if secret {
		return `"` + Mask(len(inner)) + `"`, true
	}
	// A mask has neither quotes nor backslashes, and secrets neither: the result stays a JSON string.
	if t := Text(inner); t != inner {
		return `"` + t + `"`, true
	}
	return "", false
}

// JSON returns the text of a document with its secrets masked. Where the text
// is no JSON from some byte on, that rest is masked as running text.
func JSON(doc *jsontree.Doc) []byte {
	spans := Spans(doc)
	end := len(doc.Text)
	if doc.Err != nil {
		end = lastEnd(spans) // what broke off may be a secret: it is no node
	}
	out := make([]byte, 0, len(doc.Text))
	at := 0
	for _, s := range spans {
		out = append(out, doc.Text[at:s.Start]...)
		out = append(out, s.With...)
		at = s.End
	}
	out = append(out, doc.Text[at:end]...)
	if end < len(doc.Text) {
		out = append(out, Rest(string(doc.Text[end:]))...)
	}
	return out
}

func lastEnd(s []Span) int {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1].End
}

// Body returns a body as it may be shown: JSON by its spans, everything else as running text.
func Body(data []byte) []byte {
	if doc := jsontree.Parse(data); doc.Root().Exists() {
		return JSON(doc)
	}
	return []byte(Rest(string(data)))
}

// SameLength overwrites the secret strings of a document where they stand
// inside other bytes, such as the protobuf message the document was read from,
// and keeps the length: offsets of a hex dump stay right.
func SameLength(data []byte, doc *jsontree.Doc) []byte {
	var out []byte
	for _, s := range secretStrings(doc.Root(), false, nil) {
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

func secretStrings(n jsontree.Node, secret bool, out []string) []string {
	switch n.Kind() {
	case jsontree.Object, jsontree.Array:
		for c := range n.Children() {
			out = secretStrings(c, secret || IsSecretMember(c.Key()), out)
		}
	case jsontree.String:
		if secret || Text(n.Str()) != n.Str() {
			out = append(out, n.Str())
		}
	}
	return out
}
