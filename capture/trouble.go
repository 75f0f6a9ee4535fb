package capture

import "strings"

// troubles are the reasons why a connection did not come to be, as the network
// and TLS libraries spell them; the first that is contained in the text counts.
var troubles = [...]struct{ text, code string }{
	{"refused the tap's certificate", "distrust"},
	{"no such host", "name"},
	{"connection refused", "refused"},
	{"connection was refused", "refused"},
	{"x509:", "certificate"},
	{"certificate", "certificate"},
	{"unknown ca", "certificate"},
	{"first record does not look like a tls handshake", "no-tls"},
	{"tls:", "tls"},
	{"i/o timeout", "timeout"},
	{"deadline exceeded", "timeout"},
	{"connection reset", "reset"},
	{"no route to host", "network"},
	{"network is unreachable", "network"},
}

// Trouble is a code for what a connection failed with, "other" where the text
// says nothing that is known, "refused" where there is no text.
func Trouble(text string) string {
	text = strings.ToLower(text)
	for _, t := range troubles {
		if strings.Contains(text, t.text) {
			return t.code
		}
	}
	if text == "" {
		return "refused"
	}
	return "other"
}
