package schema

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"a2ascope/internal/jsontree"
)

// report adds an issue about the current path, and its weight to the score;
// beyond the bound it only counts.
func (w *walker) report(list *[]Issue, i Issue, score int) {
	w.score += score
	if len(*list) >= maxIssues {
		w.dropped++
		return
	}
	i.Pointer = w.pointer()
	*list = append(*list, i)
}

// pointer returns the RFC 6901 pointer to what is being written.
func (w *walker) pointer() string {
	var b strings.Builder
	for _, s := range w.path {
		b.WriteByte('/')
		if s.index >= 0 {
			b.WriteString(strconv.Itoa(s.index))
			continue
		}
		b.WriteString(jsontree.EscapePointer(string(s.key)))
	}
	return b.String()
}

// breakage reports the value at the current path as unreadable.
func (w *walker) breakage(f *fieldType, r raw, text string) {
	number := 0
	if f != nil {
		number = int(f.number)
	}
	w.report(&w.broken, Issue{Number: number, Wire: wireName(r.typ), Size: r.size(), Text: text}, scoreBroken)
}

// wrongType writes a value whose wire type is not that of its field.
func (w *walker) wrongType(f *fieldType, r raw, want string) {
	w.breakage(f, r, "wire type "+wireName(r.typ)+" where "+want+" should be")
	w.form(r)
}

// form writes a value the way it stands on the wire: {"?varint":5}.
func (w *walker) form(r raw) {
	switch r.typ {
	case protowire.VarintType:
		w.out = append(w.out, `{"?varint":`...)
		w.out = strconv.AppendUint(w.out, r.v, 10)
	case protowire.Fixed64Type:
		w.out = append(w.out, `{"?i64":`...)
		w.out = strconv.AppendUint(w.out, r.v, 10)
	case protowire.Fixed32Type:
		w.out = append(w.out, `{"?i32":`...)
		w.out = strconv.AppendUint(w.out, r.v, 10)
	case protowire.StartGroupType:
		w.out = append(w.out, `{"?group":`...)
		w.base64(r.b)
	default:
		if !readable(r.b) {
			w.bytesForm(r.b)
			return
		}
		w.out = append(w.out, `{"?text":`...)
		w.text(r.b)
	}
	w.out = append(w.out, '}')
}

func (w *walker) bytesForm(b []byte) {
	w.out = append(w.out, `{"?bytes":`...)
	w.base64(b)
	w.out = append(w.out, '}')
}
