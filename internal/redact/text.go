package redact

import (
	"iter"
	"strings"
)

// Text masks credentials inside running text: what is known, "Bearer …",
// JWT-shaped words, and the values of token parameters in URLs and forms.
func (y Style) Text(s string) string {
	if y.off {
		return s
	}
	s = y.echoes(s)
	if !suspicious(s) {
		return s
	}
	var b strings.Builder
	last := 0
	for from, to := range secretsIn(s) {
		b.WriteString(s[last:from])
		b.WriteString(y.mask(to - from))
		last = to
	}
	if last == 0 {
		return s
	}
	b.WriteString(s[last:])
	return b.String()
}

// suspicious is the cheap first look: most text has none of these.
func suspicious(s string) bool {
	return strings.Contains(s, "eyJ") || strings.Contains(s, "earer ") || strings.Contains(s, "EARER ") ||
		strings.Contains(s, "asic ") || strings.ContainsRune(s, '=') || strings.ContainsRune(s, '@')
}

// secretsIn gives the spans of the secrets in a text, one after the other.
func secretsIn(s string) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for i := 0; i < len(s); i++ {
			if from, to := secretAt(s, i); to > 0 {
				if !yield(from, to) {
					return
				}
				i = to - 1
			}
		}
	}
}

// secretAt returns the span of the secret that begins at or is announced at i; to is 0 when there is none.
func secretAt(s string, i int) (from, to int) {
	switch s[i] {
	case ':':
		return userInfo(s, i)
	case '?', '&':
		return named(s, i+1)
	}
	if i > 0 && wordByte(s[i-1]) {
		return 0, 0
	}
	rest := s[i:]
	switch {
	case strings.HasPrefix(rest, "eyJ"):
		if n := jwt(rest); n > 0 {
			return i, i + n
		}
	case foldPrefix(rest, "bearer "), foldPrefix(rest, "basic "):
		j := i + strings.IndexByte(rest, ' ')
		for j < len(s) && s[j] == ' ' {
			j++
		}
		k := j
		for k < len(s) && credentialByte(s[k]) {
			k++
		}
		// "Bearer token required" is prose: a credential is long or has a digit in it.
		// A challenge (Bearer realm="x") has parameters instead.
		if k < len(s) && s[k] == '"' && s[k-1] == '=' {
			return 0, 0
		}
		if k-j >= 16 || k-j >= 6 && strings.ContainsAny(s[j:k], "0123456789") {
			return j, k
		}
	default:
		return param(s, i)
	}
	return 0, 0
}

// jwt returns the length of a JWT-shaped word: three base64url parts, the first two of JSON.
func jwt(s string) int {
	i := 0
	for part := range 3 {
		start := i
		for i < len(s) && base64URL(s[i]) {
			i++
		}
		if i-start < 8 && part < 2 {
			return 0
		}
		if part < 2 {
			if i >= len(s) || s[i] != '.' {
				return 0
			}
			i++
		}
	}
	return i
}

// params are query and form parameters whose value is a secret.
var params = [...]string{"access_token=", "refresh_token=", "id_token=", "token=", "api_key=", "apikey=", "api-key=",
	"client_secret=", "password=", "secret=", "sig=", "signature=", "x-amz-signature=", "x-amz-security-token=", "code_verifier=", "client_assertion="}

func param(s string, i int) (from, to int) {
	for _, p := range params {
		if foldPrefix(s[i:], p) {
			return paramValue(s, i+len(p))
		}
	}
	return 0, 0
}

// named finds the value of a query parameter that has the name of a secret member.
func named(s string, i int) (from, to int) {
	n := strings.IndexByte(s[i:min(len(s), i+41)], '=')
	if n < 0 || !IsSecretMember(s[i:i+n]) {
		return 0, 0
	}
	return paramValue(s, i+n+1)
}

// paramValue returns the span of the value of a parameter that begins at j.
func paramValue(s string, j int) (from, to int) {
	if strings.HasPrefix(s[j:], maskStart) {
		return 0, 0 // masked before
	}
	k := j
	for k < len(s) && s[k] != '&' && s[k] != ' ' && s[k] != '"' && s[k] != '\'' && s[k] != ';' && s[k] != ',' && s[k] != '#' && s[k] > 0x20 {
		k++
	}
	if k > j {
		return j, k
	}
	return 0, 0
}

// userInfo finds the password of https://user:password@host.
func userInfo(s string, i int) (from, to int) {
	if !strings.HasPrefix(s[i:], "://") {
		return 0, 0
	}
	end := i + 3
	for end < len(s) && s[end] != '/' && s[end] != '?' && s[end] != '#' && s[end] != '"' && s[end] > 0x20 {
		end++
	}
	at := strings.LastIndexByte(s[i+3:end], '@')
	if at <= 0 {
		return 0, 0
	}
	if c := strings.IndexByte(s[i+3:i+3+at], ':'); c >= 0 && c+1 < at {
		return i + 3 + c + 1, i + 3 + at
	}
	return 0, 0
}

func foldPrefix(s, p string) bool { return len(s) >= len(p) && strings.EqualFold(s[:len(p)], p) }

func base64URL(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

func credentialByte(c byte) bool {
	return base64URL(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '='
}

func wordByte(c byte) bool { return base64URL(c) && c != '-' }
