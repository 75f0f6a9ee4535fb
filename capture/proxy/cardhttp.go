package proxy

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"a2ascope/capture"
)

// nameValue is a field; the name is in lower case.
type nameValue struct{ name, value string }

// fieldEdit changes the value of a field, or drops it.
type fieldEdit struct {
	field int
	drop  bool
	value string
}

func editOf(edits []fieldEdit, i int) (fieldEdit, bool) {
	for _, e := range edits {
		if e.field == i {
			return e, true
		}
	}
	return fieldEdit{}, false
}

// getter is a head or a decoded header block.
type getter interface{ get(name string) string }

// cardPaths end the paths of agent cards: 0.3 and 1.0, 0.2, and the extended
// card over HTTP+JSON in 1.0, 0.3 and the drafts before.
var cardPaths = []string{
	"/.well-known/agent-card.json", "/.well-known/agent.json",
	"/extendedAgentCard", "/v1/card", "/agent/authenticatedExtendedCard",
}

// cardPath says whether a GET of the path asks for a card. Some agents serve
// it elsewhere, at their base path or at one the client was told.
func (p *Proxy) cardPath(path string) cardKind {
	for _, end := range cardPaths {
		if strings.HasSuffix(path, end) {
			return plainCard
		}
	}
	if slices.Contains(p.opt.CardPaths, path) {
		return plainCard
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	if last == "" || strings.HasSuffix(last, ".json") || strings.Contains(strings.ToLower(last), "card") {
		return maybeCard
	}
	return noCard
}

// isGRPCCard reports whether the path is that of a gRPC call for the extended
// card: GetAgentCard in 0.3, GetExtendedAgentCard in 1.0 and the draft.
func isGRPCCard(path string) bool {
	return strings.HasSuffix(path, ".A2AService/GetExtendedAgentCard") || strings.HasSuffix(path, ".A2AService/GetAgentCard")
}

// readable reports whether the body of a final answer may be held back and read as a card.
func (p *Proxy) readable(h getter, q asked) bool {
	media := strings.ToLower(h.get("content-type"))
	coding := strings.ToLower(strings.TrimSpace(h.get("content-encoding")))
	switch coding {
	case "", "identity", "gzip", "x-gzip", "deflate":
	default:
		return false
	}
	if !fits(h) {
		return false
	}
	switch q.card {
	case grpcCard:
		return strings.HasPrefix(media, "application/grpc") && !strings.HasPrefix(media, "application/grpc-web-text") && h.get("grpc-status") == ""
	case plainCard:
		return !strings.HasPrefix(media, "text/event-stream")
	}
	return strings.Contains(media, "json")
}

// fits reports whether an answer says no length that is too much to hold back.
func fits(h getter) bool {
	n, ok := parseLength([]byte(h.get("content-length")))
	return !ok || n <= maxCard
}

const tooLarge = "it is larger than 4 MiB"

// unreadCard is the note of an answer to a request for a card that was not held back.
func (p *Proxy) unreadCard(status int, q asked, h getter) *capture.Note {
	switch {
	case q.card == maybeCard:
		return nil
	case status >= 300 && status < 400 && h.get("location") != "":
		if a, ok := cutAddress(h.get("location")); ok {
			return cardLeft(q, "the agent redirects to "+a.before+a.host)
		}
		return nil
	case status != 200 && status != 206 && status != 203:
		return nil
	case h.get("grpc-status") != "":
		return nil // an error: there is no card
	case !fits(h):
		return cardLeft(q, tooLarge)
	case h.get("content-encoding") != "":
		return cardLeft(q, fmt.Sprintf("its content coding %s cannot be undone here", strconv.Quote(h.get("content-encoding"))))
	}
	return cardLeft(q, fmt.Sprintf("status %d with content type %s cannot be read as one", status, strconv.Quote(h.get("content-type"))))
}

// decoded removes the content coding of a card; removed names it.
func decoded(body []byte, coding string) (text []byte, removed string, err error) {
	var r io.Reader
	switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
	case "", "identity":
		return body, "", nil
	case "gzip", "x-gzip":
		r, err = gzip.NewReader(bytes.NewReader(body))
	case "deflate":
		r, err = zlib.NewReader(bytes.NewReader(body))
	default:
		return nil, "", fmt.Errorf("its coding %s cannot be undone here", strconv.Quote(coding))
	}
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(r, maxCard+1))
	}
	if err == nil && len(text) > maxCard {
		err = errors.New(tooLarge)
	}
	if err != nil {
		return nil, "", fmt.Errorf("its coding %s does not decode (%w)", coding, err)
	}
	return text, coding, nil
}

// cardRequestEdits changes the request for a card so that its answer can be
// changed: a coding that can be undone, no part of it, and no question about a
// version that the client did not get through the tap.
func (p *Proxy) cardRequestEdits(fields []nameValue, base string) (edits []fieldEdit, what []string) {
	asks, keeps := false, false
	for i, f := range fields {
		switch f.name {
		case "accept-encoding":
			now := "identity"
			if strings.Contains(strings.ToLower(f.value), "gzip") {
				now = "gzip"
			}
			if f.value != now {
				edits = append(edits, fieldEdit{field: i, value: now})
				what = append(what, "Accept-Encoding was "+f.value+" in the client's request")
			}
		case "if-none-match":
			asks = true
			kept := p.ownTags(f.value, base)
			keeps = keeps || kept != ""
			if kept != f.value {
				edits = append(edits, fieldEdit{field: i, value: kept, drop: kept == ""})
				what = append(what, "If-None-Match was "+f.value+" in the client's request")
			}
		case "range", "if-range":
			edits = append(edits, fieldEdit{field: i, drop: true})
			what = append(what, "the client asked for a part of it only")
		}
	}
	for i, f := range fields {
		if f.name == "if-modified-since" && !(asks && keeps) {
			edits = append(edits, fieldEdit{field: i, drop: true})
			what = append(what, "If-Modified-Since was "+f.value+" in the client's request")
		}
	}
	return edits, what
}

// cardAnswerEdits changes the head of an answer whose body was changed.
func (p *Proxy) cardAnswerEdits(fields []nameValue, q asked, length int) []fieldEdit {
	var edits []fieldEdit
	for i, f := range fields {
		switch f.name {
		case "content-length":
			edits = append(edits, fieldEdit{field: i, value: strconv.Itoa(length)})
		case "content-encoding", "content-md5", "digest", "content-digest", "repr-digest":
			edits = append(edits, fieldEdit{field: i, drop: true})
		}
	}
	if q.card == plainCard {
		edits = append(edits, p.etagEdits(fields, q.base)...)
	}
	return edits
}

// tagMark begins what the tap adds to an ETag: the hash of its mapping follows.
const tagMark = "-a2ascope-"

// etagEdits marks the ETag as that of a card which leads through the tap.
func (p *Proxy) etagEdits(fields []nameValue, base string) []fieldEdit {
	for i, f := range fields {
		if f.name == "etag" && strings.HasSuffix(f.value, `"`) && !p.etags.isUnchanged(f.value) {
			return []fieldEdit{{field: i, value: f.value[:len(f.value)-1] + tagMark + p.mapHash(base) + `"`}}
		}
	}
	return nil
}

// ownTags keeps those ETags of If-None-Match that the client got through the
// tap under the same mapping, as the agent knows them.
func (p *Proxy) ownTags(list, base string) string {
	end := tagMark + p.mapHash(base) + `"`
	var kept []string
	for _, t := range splitTags(list) {
		if own, ok := strings.CutSuffix(t, end); ok {
			kept = append(kept, own+`"`)
		} else if p.etags.isUnchanged(t) {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, ", ")
}

// splitTags cuts a list of entity tags; a comma may stand inside the quotes.
func splitTags(s string) []string {
	var out []string
	quoted, from := false, 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] == '"' {
			quoted = !quoted
		}
		if i == len(s) || s[i] == ',' && !quoted {
			if t := strings.TrimSpace(s[from:i]); t != "" {
				out = append(out, t)
			}
			from = i + 1
		}
	}
	return out
}

// tags remembers the ETags of cards in which nothing had to be changed.
type tags struct {
	mu  sync.Mutex
	all []string
}

const maxTags = 64

func (t *tags) unchanged(tag string) {
	if tag == "" || t.isUnchanged(tag) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.all) >= maxTags {
		t.all = slices.Delete(t.all, 0, 1)
	}
	t.all = append(t.all, strings.Clone(tag))
}

func (t *tags) isUnchanged(tag string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.all, tag)
}

func writeChunk(b *bytes.Buffer, body []byte) {
	if len(body) > 0 {
		fmt.Fprintf(b, "%x\r\n", len(body))
		b.Write(body)
		b.WriteString("\r\n")
	}
}

// shortHash names a list of strings in eight letters.
func shortHash(parts []string) string {
	h := fnv.New32a()
	for _, s := range parts {
		_, _ = io.WriteString(h, s)
		_, _ = h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}
