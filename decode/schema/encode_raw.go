package schema

import (
	"encoding/base64"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"a2ascope/internal/jsontree"
)

// isForm reports a value that is written as it should stand on the wire.
// Struct and Value take any JSON, so there it would be data.
func isForm(f *fieldType, n jsontree.Node) bool {
	if !n.IsObject() || n.Len() != 1 {
		return false
	}
	if f.msg != nil && (f.msg.special == specialStruct || f.msg.special == specialValue) {
		return false
	}
	for c := range n.Children() {
		switch c.Key() {
		case "?varint", "?i32", "?i64", "?text", "?bytes", "?group":
			return true
		}
	}
	return false
}

// appendRaw adds a field to the bytes that the schema does not know: a number
// is a varint, a string a text, and a form says it itself.
func appendRaw(msg protoreflect.Message, number int32, n jsontree.Node) error {
	b := []byte(msg.GetUnknown())
	num := protowire.Number(number)
	switch n.Kind() {
	case jsontree.String:
		b = protowire.AppendTag(b, num, protowire.BytesType)
		b = protowire.AppendString(b, n.Str())
	case jsontree.Number:
		v, err := unsigned(n, 64)
		if err != nil {
			return err
		}
		b = protowire.AppendTag(b, num, protowire.VarintType)
		b = protowire.AppendVarint(b, v)
	case jsontree.Object:
		var form jsontree.Node
		for c := range n.Children() {
			form = c
		}
		var err error
		if b, err = appendForm(b, num, n, form); err != nil {
			return err
		}
	default:
		return at(n, "%s where a number, a string or a form such as {\"?bytes\": \"…\"} should be", n.Kind())
	}
	msg.SetUnknown(b)
	return nil
}

func appendForm(b []byte, num protowire.Number, n, form jsontree.Node) ([]byte, error) {
	if n.Len() != 1 {
		return nil, at(n, "a form has one member, here are %d", n.Len())
	}
	switch form.Key() {
	case "?varint":
		v, err := unsigned(form, 64)
		return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), v), err
	case "?i64":
		v, err := unsigned(form, 64)
		return protowire.AppendFixed64(protowire.AppendTag(b, num, protowire.Fixed64Type), v), err
	case "?i32":
		v, err := unsigned(form, 32)
		return protowire.AppendFixed32(protowire.AppendTag(b, num, protowire.Fixed32Type), uint32(v)), err
	case "?text":
		return protowire.AppendString(protowire.AppendTag(b, num, protowire.BytesType), form.Str()), nil
	case "?bytes":
		v, err := decode64(form)
		return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), v), err
	case "?group":
		v, err := decode64(form)
		if err != nil {
			return nil, err
		}
		if protowire.ConsumeFieldValue(num, protowire.StartGroupType, v) != len(v) {
			return nil, at(form, "not the fields of group %d with its end tag", num)
		}
		return append(protowire.AppendTag(b, num, protowire.StartGroupType), v...), nil
	}
	return nil, at(n, "unknown form %q; forms are ?varint, ?i32, ?i64, ?text, ?bytes, ?group", form.Key())
}

func unsigned(n jsontree.Node, bits int) (uint64, error) {
	if v, err := strconv.ParseUint(n.Text(), 10, bits); err == nil {
		return v, nil
	}
	if v, err := strconv.ParseInt(n.Text(), 10, 64); err == nil && bits == 64 {
		return uint64(v), nil
	}
	return 0, at(n, "%s is no whole number of %d bits", short(n), bits)
}

// decode64 reads base64 in either alphabet, padded or not.
func decode64(n jsontree.Node) ([]byte, error) {
	if !n.IsString() {
		return nil, at(n, "%s where base64 text should be", n.Kind())
	}
	b, err := fromBase64(n.Str())
	if err != nil {
		return nil, at(n, "not base64: %w", err)
	}
	return b, nil
}

func fromBase64(s string) ([]byte, error) {
	s = strings.TrimRight(s, "=")
	if strings.ContainsAny(s, "-_") {
		return base64.RawURLEncoding.DecodeString(s)
	}
	return base64.RawStdEncoding.DecodeString(s)
}

// short shows a value in an error without flooding it.
func short(n jsontree.Node) string {
	const most = 40
	raw := n.Raw()
	if len(raw) > most {
		return strings.ToValidUTF8(string(raw[:most]), "") + "…"
	}
	return string(raw)
}
