package wire

import (
	"bytes"
	"encoding/binary"

	"a2ascope/capture"
)

// Join writes a frame as a piece of a body so that Part reads it back as the
// same and it is written the same again. An event that was cut, for one, gets the end it lacked, and with
// it other lines. Remains of damaged streams may allow no such text: verbatim
// says that the text is the data alone.
func Join(f *capture.Frame) (text []byte, verbatim bool) {
	if f.Form != capture.SSEEvent && f.Form != capture.SSEComment {
		return joined(f), false
	}
	for _, raw := range [][]byte{f.Raw, nil} {
		g := *f
		g.Raw = raw
		text := joined(&g)
		for range 3 {
			read := Part(f.Form, text)
			if !same(read, f) {
				break
			}
			next := joined(read)
			if bytes.Equal(next, text) {
				return text, false
			}
			text = next
		}
	}
	return f.Data, true
}

// joined writes a frame as its sender might have; Part reads it again.
func joined(f *capture.Frame) []byte {
	switch f.Form {
	case capture.GRPCMessage:
		// Not compressed: Data is what was in it.
		return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(f.Data))), f.Data...)
	case capture.SSEEvent, capture.SSEComment:
	default:
		return f.Data
	}
	// The lines as they were; if more than the event comes of them, the lines
	// of its fields; or else new ones.
	for _, lines := range [][]byte{f.Raw, eventLines(f.Raw)} {
		if len(lines) == 0 {
			continue
		}
		for _, end := range ends(lines, f.Form) {
			text := append(bytes.Clone(lines), end...)
			if same(Part(f.Form, text), f) {
				return text
			}
		}
	}
	if f.Form == capture.SSEComment {
		return append(append([]byte(": "), f.Data...), '\n')
	}
	var b []byte
	if f.Event != "" {
		b = append(append(append(b, "event: "...), f.Event...), '\n')
	}
	if f.ID != "" {
		b = append(append(append(b, "id: "...), f.ID...), '\n')
	}
	for line := range bytes.SplitSeq(f.Data, []byte{'\n'}) {
		b = append(append(append(b, "data: "...), line...), '\n')
	}
	return append(b, '\n')
}

// ends are the ways to end lines so that they are complete.
func ends(lines []byte, form capture.Form) []string {
	switch {
	case bytes.HasSuffix(lines, []byte("\r\n")):
		return []string{"\r\n"}
	case bytes.HasSuffix(lines, []byte("\r")):
		return []string{"\r"}
	case bytes.HasSuffix(lines, []byte("\n")):
		return []string{"\n"}
	case form == capture.SSEComment:
		return []string{"\n", "\n\n"}
	}
	return []string{"\n\n"}
}

// eventLines leaves out the lines that are no field of an event.
func eventLines(raw []byte) []byte {
	var out []byte
	for line := range bytes.Lines(raw) {
		for _, name := range []string{"data", "event", "id", "retry"} {
			if bytes.HasPrefix(line, []byte(name)) {
				out = append(out, line...)
				break
			}
		}
	}
	return out
}

var eventStream = &capture.Head{Fields: capture.Fields{{Name: "content-type", Value: "text/event-stream"}}}

// Part reads the frame of a piece of a body.
func Part(form capture.Form, text []byte) *capture.Frame {
	f := &capture.Frame{Form: form, Data: text}
	switch form {
	case capture.GRPCMessage:
		f.Data = text[min(5, len(text)):]
	case capture.SSEEvent, capture.SSEComment:
		units := Units(capture.Server, eventStream, text)
		if len(units) != 1 {
			break
		}
		if u, ok := units[0].(*capture.Frame); ok && u.Form == form {
			f.Data, f.Event, f.ID, f.Raw = u.Data, u.Event, u.ID, u.Raw
		}
	}
	return f
}

func same(a, b *capture.Frame) bool {
	return bytes.Equal(a.Data, b.Data) && a.Event == b.Event && a.ID == b.ID && a.Raw != nil
}
