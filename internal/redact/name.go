package redact

import "strings"

// secretHeaders are secret by their exact name, in lower case.
var secretHeaders = map[string]bool{
	"authorization": true, "proxy-authorization": true, "cookie": true, "set-cookie": true,
	"x-a2a-notification-token": true, // 0.3 §9.5, 1.0 §13.2: the push token comes back in it
	"x-api-key":                true, "api-key": true, "apikey": true, "x-functions-key": true, "ocp-apim-subscription-key": true,
	"x-amz-security-token": true, "authentication-info": true, "x-forwarded-client-cert": true,
}

// IsSecretHeader reports whether the value of a header or of a metadata key is a secret.
func IsSecretHeader(name string) bool {
	n := strings.ToLower(name)
	if secretHeaders[n] {
		return true
	}
	if n == "" || strings.HasPrefix(n, "access-control-") || strings.HasPrefix(n, "sec-websocket-") {
		return false
	}
	for part := range strings.FieldsFuncSeq(n, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		switch part {
		case "token", "secret", "password", "passwd", "credential", "credentials", "apikey", "authtoken", "jwt", "session", "sessionid":
			return true
		}
	}
	return strings.HasSuffix(n, "-key") && strings.Contains(n, "api")
}

// Header returns the value of a header as it may be shown.
func (y Style) Header(name, value string) string {
	if y.off || value == "" || isMask(value) {
		return value
	}
	if !IsSecretHeader(name) {
		return y.Text(value)
	}
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization":
		// The scheme is no secret, and often the fault.
		if scheme, rest, ok := strings.Cut(value, " "); ok && isWord(scheme) && rest != "" {
			return scheme + " " + y.Secret(rest)
		}
	case "cookie":
		return y.cookies(value)
	case "set-cookie":
		pair, attrs, _ := strings.Cut(value, ";")
		if attrs != "" {
			attrs = ";" + attrs
		}
		return y.cookies(pair) + attrs
	}
	return y.mask(len(value))
}

// cookies keeps the names.
func (y Style) cookies(s string) string {
	parts := strings.Split(s, ";")
	for i, p := range parts {
		if name, v, ok := strings.Cut(p, "="); ok {
			parts[i] = name + "=" + y.Secret(v)
		} else {
			parts[i] = y.Secret(p)
		}
	}
	return strings.Join(parts, ";")
}

func isWord(s string) bool {
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != ""
}

// IsSecretMember reports whether the value of a JSON member of that name is a
// secret. Names are compared without case, '-' and '_'.
func IsSecretMember(name string) bool {
	if len(name) < 3 || len(name) > 40 {
		return false
	}
	var buf [40]byte
	n := buf[:0]
	for _, c := range []byte(name) {
		switch {
		case c == '-' || c == '_':
		case c >= 'A' && c <= 'Z':
			n = append(n, c+'a'-'A')
		default:
			n = append(n, c)
		}
	}
	switch string(n) {
	case "token", "credentials", "credential", "password", "passwd", "secret", "clientsecret", "accesstoken",
		"refreshtoken", "idtoken", "apikey", "xapikey", "privatekey", "authorization", "proxyauthorization",
		"cookie", "setcookie", "bearertoken", "authtoken", "sessiontoken", "secretkey", "accesskey", "signingkey",
		"clientassertion", "codeverifier", "xa2anotificationtoken", "pushtoken", "webhooksecret", "passphrase":
		return true
	}
	return false
}

// Evidence returns the value at a place of an exchange as it may be shown:
// "request/header/authorization", "request/frame/0#/params/…/token".
func (y Style) Evidence(place, value string) string {
	side, rest, _ := strings.Cut(place, "/")
	if side == "" || rest == "" {
		return y.Text(value)
	}
	kind, rest, _ := strings.Cut(rest, "/")
	switch kind {
	case "header", "trailer":
		name, _, _ := strings.Cut(rest, "/")
		return y.Header(name, value)
	case "query":
		if IsSecretMember(rest) && value != "" {
			return y.Secret(value)
		}
	case "frame":
		_, pointer, _ := strings.Cut(rest, "#")
		for tok := range strings.SplitSeq(pointer, "/") {
			if IsSecretMember(tok) && value != "" {
				return y.Secret(value)
			}
		}
		return y.Rest(value) // an object as a short piece of JSON
	}
	return y.Text(value)
}
