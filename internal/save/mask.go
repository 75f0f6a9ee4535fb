package save

import (
	"bytes"
	"encoding/base64"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode/schema"
	"a2ascope/decode/spec"
	"a2ascope/internal/redact"
)

// masker overwrites secrets with as many stars as they have bytes. What it
// returns shares everything that holds no secret with what it was given.
type masker struct {
	request *capture.Head // of the exchange that is being masked
	y       redact.Style
}

func newMasker() *masker { return &masker{y: redact.Stars} }

// of turns to the exchange of a request.
func (k *masker) of(request *capture.Head) { k.request, k.y = request, redact.Stars.Knowing(request) }

// exchange masks everything that becomes bytes again.
func (k *masker) exchange(x *capture.Exchange) *capture.Exchange {
	n := *x
	k.of(x.Request)
	n.Request, n.Response = k.head(x.Request), k.head(x.Response)
	n.Interim = make([]*capture.Head, len(x.Interim))
	for i, h := range x.Interim {
		n.Interim[i] = k.head(h)
	}
	n.Sent, n.Received = k.frames(capture.Client, x.Sent), k.frames(capture.Server, x.Received)
	n.SentTrailer, n.Trailer = k.trailer(x.SentTrailer), k.trailer(x.Trailer)
	n.Notes = make([]capture.Note, len(x.Notes))
	for i := range x.Notes {
		n.Notes[i] = k.note(x.Notes[i])
	}
	if x.End != nil {
		end := *x.End
		end.Text = k.y.Text(end.Text)
		n.End = &end
	}
	return &n
}

// event masks one event of an exchange whose request head it has seen.
func (k *masker) event(e *capture.Event) {
	switch b := e.Body.(type) {
	case *capture.Head:
		if b.IsRequest() {
			k.of(b)
		}
		e.Body = k.head(b)
	case *capture.Frame:
		e.Body = k.frame(e.From, b)
	case *capture.Trailer:
		e.Body = k.trailer(b)
	case *capture.Note:
		n := k.note(*b)
		e.Body = &n
	case *capture.End:
		end := *b
		end.Text = k.y.Text(end.Text)
		e.Body = &end
	}
}

func (k *masker) head(h *capture.Head) *capture.Head {
	if h == nil {
		return nil
	}
	n := *h
	n.Target, n.Authority, n.Reason = k.y.Text(h.Target), k.y.Text(h.Authority), k.y.Text(h.Reason)
	n.Fields = k.fields(h.Fields)
	n.Raw = k.raw(h.Raw)
	return &n
}

func (k *masker) fields(fs capture.Fields) capture.Fields {
	out := fs
	for i, f := range fs {
		v := header(f.Name, f.Value, k.y)
		if v == f.Value {
			continue
		}
		if len(out) > 0 && &out[0] == &fs[0] {
			out = append(capture.Fields(nil), fs...)
		}
		out[i].Value = v
	}
	return out
}

// header masks a value; that of gRPC's rich errors holds a message.
func header(name, value string, y redact.Style) string {
	if !strings.EqualFold(name, "grpc-status-details-bin") {
		return y.Header(name, value)
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.StdEncoding} {
		if data, err := enc.DecodeString(value); err == nil {
			return enc.EncodeToString(maskMessage(schema.StatusMessage(), data, y.InPlace()))
		}
	}
	return value
}

// raw masks the lines of an HTTP/1 head where they stand.
func (k *masker) raw(raw []byte) []byte {
	if len(raw) == 0 {
		return raw
	}
	out := make([]byte, 0, len(raw))
	name := "" // of the last field: a line that begins with a space goes on with it
	for line := range bytes.Lines(raw) {
		text := string(bytes.TrimRight(line, "\r\n"))
		end := line[len(text):]
		key, value, ok := strings.Cut(text, ":")
		switch {
		case len(out) == 0:
			text = k.y.Text(text)
		case text == "":
		case text[0] == ' ' || text[0] == '\t':
			v := strings.TrimLeft(text, " \t")
			text = text[:len(text)-len(v)] + header(name, v, k.y)
		case !ok:
			text = k.y.Text(text)
		default:
			name = strings.TrimSpace(key)
			v := strings.TrimLeft(value, " \t")
			space := value[:len(value)-len(v)]
			v = strings.TrimRight(v, " \t")
			text = key + ":" + space + header(name, v, k.y) + value[len(space)+len(v):]
		}
		out = append(append(out, text...), end...)
	}
	return out
}

func (k *masker) trailer(t *capture.Trailer) *capture.Trailer {
	if t == nil {
		return nil
	}
	return &capture.Trailer{Fields: k.fields(t.Fields), Only: t.Only}
}

func (k *masker) note(n capture.Note) capture.Note {
	n.Text = k.y.Text(n.Text)
	n.Original, n.Delivered = k.y.Body(n.Original), k.y.Body(n.Delivered)
	return n
}

func (k *masker) frames(from capture.Side, fs []capture.Timed[*capture.Frame]) []capture.Timed[*capture.Frame] {
	out := make([]capture.Timed[*capture.Frame], len(fs))
	for i, f := range fs {
		out[i] = capture.Timed[*capture.Frame]{At: f.At, V: k.frame(from, f.V)}
	}
	return out
}

func (k *masker) frame(from capture.Side, f *capture.Frame) *capture.Frame {
	data := bodyData(k.request, from, f, k.y)
	event, id := k.y.Text(f.Event), k.y.Text(f.ID)
	raw := k.y.Rest(string(f.Raw))
	if bytes.Equal(data, f.Data) && event == f.Event && id == f.ID && raw == string(f.Raw) {
		return f
	}
	n := *f
	n.Data, n.Event, n.ID, n.Raw = data, event, id, nil
	return &n
}

// grpcPrefix is how many bytes stand before a message, also in the remains of one.
const grpcPrefix = 5

// grpcData masks a message in place: no length in it changes. Its members are
// known by the method that the request names.
func grpcData(request *capture.Head, from capture.Side, f *capture.Frame, y redact.Style) []byte {
	if f.Coding == "unknown" || len(f.Data) == 0 {
		return f.Data
	}
	data, prefix := f.Data, []byte(nil)
	if f.Form == capture.LooseData {
		n := min(grpcPrefix, len(data))
		prefix, data = data[:n:n], data[n:]
	}
	masked := maskMessage(messageOf(request, from, data), data, y)
	if len(prefix) == 0 || bytes.Equal(masked, data) {
		if len(prefix) == 0 {
			return masked
		}
		return f.Data
	}
	return append(prefix, masked...)
}

// messageOf finds the type of a message. Of the two versions that share a
// package the one that fits better counts.
func messageOf(request *capture.Head, from capture.Side, data []byte) schema.Message {
	if request == nil {
		return schema.Message{}
	}
	pkg, service, method, ok := spec.SplitRPCPath(request.Path())
	if !ok {
		return schema.Message{}
	}
	rpc, ok := spec.RPCByPath(pkg, service, method)
	if !ok {
		if rpc, ok = spec.NearRPC(method); !ok {
			return schema.Message{}
		}
	}
	name := rpc.Request
	if from == capture.Server {
		name = rpc.Response
	}
	m, _ := schema.Named(rpc.Version, name)
	if rpc.Shared {
		if draft, ok := schema.Named(spec.V10Draft, name); ok && schema.Decode(draft, data).Score > schema.Decode(m, data).Score {
			return draft
		}
	}
	return m
}

// maskMessage overwrites the secret texts of a message: those under the name of
// one, and what looks like one wherever it stands.
func maskMessage(m schema.Message, data []byte, y redact.Style) []byte {
	out := bytes.Clone(data)
	schema.Texts(m, out, func(names []string, text []byte) {
		for _, n := range names {
			if redact.IsSecretMember(n) {
				copy(text, y.Secret(string(text)))
				return
			}
		}
		copy(text, y.Text(string(text)))
	})
	return out
}

// bodyData is what may be written of a frame, in a style for what has no lengths inside.
func bodyData(request *capture.Head, from capture.Side, f *capture.Frame, y redact.Style) []byte {
	if f.Form == capture.GRPCMessage || f.Form == capture.LooseData && strings.HasPrefix(request.MediaType(), "application/grpc") {
		return grpcData(request, from, f, y.InPlace())
	}
	return y.Body(f.Data)
}

// Masked returns the exchange with its secrets overwritten, for what is written elsewhere.
func Masked(x *capture.Exchange) *capture.Exchange {
	return newMasker().exchange(x)
}
