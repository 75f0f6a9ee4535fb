package proxy

import (
	"bytes"
	"encoding/binary"
	"strings"

	"golang.org/x/net/http2/hpack"

	"a2ascope/capture"
)

// fragment adds a frame that is in held to the header block that is open.
func (f *frames) fragment() {
	p := f.held[f.mark:]
	if f.kind != frameContinuation {
		f.opened = blockHead{open: true, kind: f.kind, flags: f.flags, stream: f.stream}
		f.block = f.block[:0]
		if f.flags&flagPadded != 0 {
			if len(p) == 0 || int(p[0]) > len(p)-1 {
				f.giveUp()
				return
			}
			p = p[1 : len(p)-int(p[0])]
		}
		extra := 0
		switch {
		case f.kind == framePush:
			extra = 4
		case f.flags&flagPriority != 0:
			extra = 5
		}
		if len(p) < extra {
			f.giveUp()
			return
		}
		f.opened.priority = append(f.opened.priority[:0], p[:extra]...)
		p = p[extra:]
	}
	f.block = append(f.block, p...)
	if f.flags&flagEndHeaders == 0 {
		return
	}
	f.headers()
	f.held = f.held[:0]
	if cap(f.held) > 2*bufferSize {
		f.held, f.block = nil, nil
	}
	f.opened = blockHead{priority: f.opened.priority}
}

// headers handles a block that is complete.
func (f *frames) headers() {
	f.fields = f.fields[:0]
	f.dec.SetAllowedMaxDynamicTableSize(f.shared.tableSize(f.from))
	if _, err := f.dec.Write(f.block); err != nil {
		f.giveUp()
		return
	}
	if err := f.dec.Close(); err != nil {
		f.giveUp()
		return
	}
	if f.from == capture.Client {
		if f.opened.kind == frameHeaders && f.request() {
			f.editing = true
		}
	} else if f.opened.kind == frameHeaders && f.shared.active.Load() > 0 && f.shared.response(f) {
		return // kept back
	}
	if f.editing {
		f.split.put(f.encode(f.opened, f.fields))
	} else {
		f.split.put(f.held)
	}
}

// encode writes a header block without a table.
func (f *frames) encode(b blockHead, fields []hpack.HeaderField) []byte {
	f.encoded.Reset()
	for _, hf := range fields {
		_ = f.enc.WriteField(hf) // a bytes.Buffer takes everything
	}
	return appendBlock(nil, b, f.encoded.Bytes())
}

// appendBlock cuts a block into HEADERS (or PUSH_PROMISE) and CONTINUATION frames.
func appendBlock(out []byte, b blockHead, block []byte) []byte {
	kind, flags := b.kind, b.flags&^(flagPadded|flagEndHeaders)
	lead := b.priority
	for {
		n := min(len(block), maxPayload-len(lead))
		if n == len(block) {
			flags |= flagEndHeaders
		}
		out = appendFrame(out, kind, flags, b.stream, len(lead)+n)
		out = append(out, lead...)
		out = append(out, block[:n]...)
		block = block[n:]
		if flags&flagEndHeaders != 0 {
			return out
		}
		kind, flags, lead = frameContinuation, 0, nil
	}
}

func appendFrame(out []byte, kind, flags byte, stream uint32, n int) []byte {
	out = append(out, byte(n>>16), byte(n>>8), byte(n), kind, flags)
	return binary.BigEndian.AppendUint32(out, stream)
}

// request looks at a request's header block and makes its edits. It reports
// whether there are any.
func (f *frames) request() bool {
	var method, path, media string
	edited := false
	host := ""
	for i, hf := range f.fields {
		switch hf.Name {
		case ":method":
			method = hf.Value
		case ":path":
			path = hf.Value
		case "content-type":
			media = hf.Value
		case ":authority", "host":
			if host == "" {
				host = hf.Value
			}
			if own := f.to.origin.Authority(); f.at.isOurs(hf.Value) && own != hf.Value {
				f.fields[i].Value = own
				edited = true
			}
		case ":scheme":
			// The agent is to see the scheme of its own leg.
			if s := f.hop.scheme(); s != "" && hf.Value != s && (hf.Value == "http" || hf.Value == "https") {
				f.fields[i].Value = s
				edited = true
			}
		}
	}
	if method == "" || f.p.opt.NoCardRewrite {
		return edited
	}
	q := asked{base: f.p.baseOf(f.at, host), path: pathOf(path)}
	switch {
	case method == "GET":
		q.card = f.p.cardPath(q.path)
	case method == "POST" && isGRPCCard(q.path):
		q.card = grpcCard
	case method == "POST" && !strings.HasPrefix(media, "application/grpc") && f.opened.flags&flagEndStream == 0:
		f.shared.scan(f.stream, q)
	}
	if q.card == noCard {
		return edited
	}
	if q.card == plainCard {
		edits, what := f.p.cardRequestEdits(namesOf(f.fields), q.base)
		if len(edits) > 0 {
			f.fields, edited = editFields(f.fields, edits), true
			q.edits = what
		}
	}
	f.shared.watch(f.stream, q)
	return edited
}

// editFields makes edits in a decoded block.
func editFields(fields []hpack.HeaderField, edits []fieldEdit) []hpack.HeaderField {
	out := make([]hpack.HeaderField, 0, len(fields))
	for i, hf := range fields {
		if e, ok := editOf(edits, i); ok {
			if e.drop {
				continue
			}
			hf.Value = e.value
		}
		out = append(out, hf)
	}
	return out
}

func namesOf(fields []hpack.HeaderField) []nameValue {
	names := make([]nameValue, len(fields))
	for i, hf := range fields {
		names[i] = nameValue{hf.Name, hf.Value}
	}
	return names
}

func cloneFields(fields []hpack.HeaderField) []hpack.HeaderField {
	return append([]hpack.HeaderField(nil), fields...)
}

// fieldList lets the rules for cards read a decoded block.
type fieldList []hpack.HeaderField

func (l fieldList) get(name string) string {
	for _, hf := range l {
		if hf.Name == name {
			return hf.Value
		}
	}
	return ""
}

// data decides what is done with a DATA frame.
func (f *frames) data() {
	f.flow = f.remain
	if f.from == capture.Client {
		if f.shared.active.Load() > 0 {
			if st := f.shared.scanning(f.stream); st != nil {
				f.mode, f.taking = frameScan, st
			}
		}
		return
	}
	if f.shared.active.Load() > 0 {
		if st := f.shared.holding(f.stream); st != nil {
			f.mode, f.taking = frameTake, st
			return
		}
	}
	if !f.shared.admit(f.flow) {
		f.mode = frameWait
	}
}

// isHTTP2 reports how much of b agrees with the client's preface.
func isHTTP2(b []byte) (yes, maybe bool) {
	n := min(len(b), len(clientHi))
	if !bytes.Equal(b[:n], []byte(clientHi[:n])) {
		return false, false
	}
	return n == len(clientHi), true
}
