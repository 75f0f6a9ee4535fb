package redact

import (
	"strings"
	"testing"

	"a2ascope/internal/jsontree"
)

// TestMaskedStays: masked again, a text is the same; Stars keeps lengths.
func TestMaskedStays(t *testing.T) {
	headers := [][2]string{
		{"Authorization", "Bearer abc123"}, {"authorization", "abc123"}, {"Proxy-Authorization", "Basic dTpwYXNz"},
		{"Cookie", "a=1; sid=secret; alone"}, {"Set-Cookie", "sid=secret; Path=/; HttpOnly"}, {"X-API-Key", "k k"},
		{"Referer", "https://u:pw@h/?access_token=abc&x=1"}, {"Location", "/cb?code=1&password=p%20q#f"}, {"X-Note", "got " + aJWT + " here"},
	}
	bodies := []string{
		`{"token":"abc","n":{"secret":[1,12,"x"]},"url":"https://h/?token=t"}`, `{"password":"a\"b","credentials":"ü"}`,
		"client_secret=abc&grant_type=x", `{"token":"cut he`, "<a href='?apikey=1'>Bearer 0123456789abcdef</a>",
	}
	for _, y := range []Style{Words, Stars} {
		for _, h := range headers {
			once := y.Header(h[0], h[1])
			if once == h[1] {
				t.Errorf("%s: %q is not masked", h[0], h[1])
			}
			if again := y.Header(h[0], once); again != once {
				t.Errorf("%s: %q, again %q", h[0], once, again)
			}
			if y == Stars && len(once) != len(h[1]) {
				t.Errorf("%s: %q became %q", h[0], h[1], once)
			}
		}
		for _, b := range bodies {
			once := string(y.Body([]byte(b)))
			if once == b {
				t.Errorf("%s is not masked", b)
			}
			if again := string(y.Body([]byte(once))); again != once {
				t.Errorf("%s, again %s", once, again)
			}
			if y == Stars && len(once) != len(b) {
				t.Errorf("%s became %s", b, once)
			}
			if doc := jsontree.Parse([]byte(b)); doc.Err == nil && jsontree.Parse([]byte(once)).Err != nil {
				t.Errorf("%s is no JSON any more: %s", b, once)
			}
			if words := Words.Body([]byte(b)); string(Stars.Body(words)) != string(words) {
				t.Errorf("Stars masks what is masked: %s", Stars.Body(words))
			}
		}
	}
}

func TestNamedParameters(t *testing.T) {
	if got, want := Words.Text("/x?push_token=abc&taskId=1&idToken=z"), "/x?push_token=[masked 3 bytes]&taskId=1&idToken=[masked 1 byte]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Words.Text("/x?nextPageToken=5&secretary=2"); strings.Contains(got, "masked") {
		t.Error(got)
	}
}
