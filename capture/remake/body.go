package remake

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"

	"a2ascope/capture"
	"a2ascope/capture/wire"
)

// tail is what the coding and gRPC-Web put behind the last frame.
func (s *message) tail() []byte {
	var b []byte
	if s.web && s.trailers != nil {
		var text []byte
		for _, f := range s.trailers.Fields {
			text = append(text, f.Name+": "+f.Value+"\r\n"...)
		}
		b = append(binary.BigEndian.AppendUint32([]byte{0x80}, uint32(len(text))), text...)
		if s.webText {
			b = base64.StdEncoding.AppendEncode(nil, b)
		}
		s.trailers = nil
	}
	if k := s.coding(); k != nil {
		if len(b) > 0 {
			b = k.write(b)
		}
		b = append(b, k.end()...)
	}
	return b
}

// coding is the coder of the body, nil when there is none. A body without a
// frame has none: it was empty.
func (s *message) coding() coder {
	if !s.coded {
		return nil
	}
	return s.coder
}

// encode makes bytes of a frame.
func (s *message) encode(f *capture.Frame) item {
	if len(f.Data) == 0 && f.Size > 0 && f.Lost == 0 && f.Form != capture.GRPCMessage {
		return item{lost: max(f.WireSize, 1)} // the session let go of it
	}
	it := item{data: f.Data, lost: f.Lost}
	if it.lost == 0 && s.codings == nil && f.Coding == "" && (f.Form == capture.WholeBody || f.Form == capture.GRPCMessage) {
		it.lost = max(f.Size-int64(len(f.Data)), 0) // it was cut at a limit
	}
	broken := s.broken
	s.broken = false
	switch {
	case f.Form == capture.SSEEvent, f.Form == capture.SSEComment:
		it.data = event(f)
	case f.Form == capture.LooseData && s.sse && !f.Cut:
		it.data = append(bytes.Clone(f.Data), '\n')
	case f.Form == capture.GRPCMessage:
		it.data = grpcMessage(f, it.lost, broken)
		if s.webText {
			it.data = base64.StdEncoding.AppendEncode(nil, it.data)
		}
		broken = false
	}
	if len(s.codings) == 0 || broken {
		return it
	}
	if !s.coded {
		s.coded, s.coder = true, coderOf(s.codings)
	}
	if s.coder != nil {
		it.data = s.coder.write(it.data)
	}
	return it
}

// event is an event or a comment as its sender might have written it.
func event(f *capture.Frame) []byte {
	text, verbatim := wire.Join(f)
	switch {
	case verbatim && len(f.Raw) > 0:
		return append(bytes.Clone(f.Raw), '\n')
	case f.Cut:
		return bytes.TrimSuffix(text, []byte{'\n'})
	}
	return text
}

// grpcMessage is a message with its prefix: a flag and the length.
func grpcMessage(f *capture.Frame, lost int64, broken bool) []byte {
	data, flag := f.Data, byte(0)
	if f.Coding != "" {
		flag = 1
		if k := coderOf([]string{f.Coding}); k != nil && !broken {
			data = append(k.write(data), k.end()...)
		}
	}
	size := int64(len(data)) + max(lost, 0)
	if lost < 0 {
		size = max(size, f.Size) + 1 // its end is not there
	}
	return append(binary.BigEndian.AppendUint32([]byte{flag}, uint32(size)), data...)
}
