package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"a2ascope/capture"
)

// known are values that are masked wherever they stand, the longest first.
type known struct{ values []string }

// minKnown is how long a value must be to be known by: a shorter one may stand
// in a text by chance. Cookies hold words as well as secrets.
const (
	minKnown       = 8
	minKnownCookie = 16
)

// For is how an exchange is shown to people: masked, unless they asked for plain.
func For(request *capture.Head, plain bool) Style {
	if plain {
		return Off
	}
	return Words.Knowing(request)
}

// Knowing returns the style for the exchange of a request: what stood in its
// head in the place of a secret is one wherever else it stands, also as a URL or
// JSON writes it. Servers repeat what they refuse ("invalid key sk-…").
func (y Style) Knowing(request *capture.Head) Style {
	y.known = nil
	if request == nil {
		return y
	}
	k := &known{}
	for _, f := range request.Fields {
		if IsSecretHeader(f.Name) {
			k.header(strings.ToLower(f.Name), f.Value)
		}
	}
	for from, to := range secretsIn(request.Target) {
		k.add(request.Target[from:to], minKnown)
	}
	if len(k.values) > 0 {
		y.known = k
	}
	return y
}

func (k *known) header(name, value string) {
	switch name {
	case "authorization", "proxy-authorization":
		scheme, rest, ok := strings.Cut(value, " ")
		if !ok || !isWord(scheme) {
			rest = value
		}
		k.add(strings.TrimSpace(rest), minKnown)
		if plain, err := base64.StdEncoding.DecodeString(rest); err == nil && strings.EqualFold(scheme, "basic") {
			_, password, _ := strings.Cut(string(plain), ":")
			k.add(password, minKnown)
		}
	case "cookie":
		for part := range strings.SplitSeq(value, ";") {
			_, v, _ := strings.Cut(part, "=")
			k.add(v, minKnownCookie)
		}
	default:
		k.add(strings.TrimSpace(value), minKnown)
	}
}

func (k *known) add(v string, atLeast int) {
	if len(v) < atLeast || strings.Contains(v, maskStart) || strings.Trim(v, "*") == "" {
		return // too short, or masked before
	}
	k.insert(v)
	if strings.IndexFunc(v, mayBeEscaped) < 0 {
		return
	}
	plain := []string{v}
	if strings.ContainsAny(v, "%+") {
		plain = append(plain, unescaped(v, url.QueryUnescape), unescaped(v, url.PathUnescape))
	}
	for i, p := range plain {
		if len(p) < atLeast || slices.Contains(plain[:i], p) {
			continue
		}
		k.insert(p)
		for _, s := range []string{url.QueryEscape(p), url.PathEscape(p)} {
			k.insert(s)
			k.insert(lowerHex(s))
		}
		if !strings.ContainsFunc(p, mayBeJSON) {
			continue
		}
		for _, html := range []bool{true, false} {
			s := jsonEscaped(p, html)
			k.insert(s)
			k.insert(strings.ReplaceAll(s, "/", `\/`)) // as PHP does
		}
	}
}

// mayBeEscaped reports whether a character is written in another way in a URL or
// in JSON, or is of another one that is.
func mayBeEscaped(r rune) bool {
	return r > 127 || !wordByte(byte(r)) && r != '-' && r != '.' && r != '~'
}

// mayBeJSON is the same for JSON.
func mayBeJSON(r rune) bool { return r > 126 || r < ' ' || strings.ContainsRune(`"\/<>&`, r) }

// lowerHex writes %2F as %2f.
func lowerHex(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], bytes.ToLower(b[i+1:i+3]))
		}
	}
	return string(b)
}

func unescaped(v string, by func(string) (string, error)) string {
	if s, err := by(v); err == nil {
		return s
	}
	return v
}

func jsonEscaped(v string, html bool) string {
	var b strings.Builder
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(html)
	if w.Encode(v) != nil {
		return v
	}
	return strings.TrimSuffix(b.String(), "\"\n")[1:]
}

func (k *known) insert(v string) {
	i := 0
	for i < len(k.values) && len(k.values[i]) >= len(v) {
		if k.values[i] == v {
			return
		}
		i++
	}
	k.values = slices.Insert(k.values, i, v)
}

// echoes masks what is known.
func (y Style) echoes(s string) string {
	if y.known == nil {
		return s
	}
	for _, v := range y.known.values {
		if strings.Contains(s, v) {
			s = strings.ReplaceAll(s, v, y.mask(len(v)))
		}
	}
	return s
}
