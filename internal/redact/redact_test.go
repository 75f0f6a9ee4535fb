package redact

import (
	"strconv"
	"strings"
	"testing"

	"a2ascope/capture"
	"a2ascope/internal/jsontree"
)

const aJWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.dBjftJeZ4CVPmB92K27uhbUJU1p1r"

func TestHeader(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"Authorization", "Bearer abc123", "Bearer [masked 6 bytes]"},
		{"authorization", "abc123", "[masked 6 bytes]"},
		{"Cookie", "a=1; sid=secret", "a=[masked 1 byte]; sid=[masked 6 bytes]"},
		{"Set-Cookie", "sid=secret; Path=/; HttpOnly", "sid=[masked 6 bytes]; Path=/; HttpOnly"},
		{"X-A2A-Notification-Token", "tok", "[masked 3 bytes]"},
		{"x-goog-api-key", "AIza", "[masked 4 bytes]"},
		{"My-Auth-Token", "v", "[masked 1 byte]"},
		{"A2A-Version", "1.0", "1.0"},
		{"Content-Type", "application/json", "application/json"},
		{"Access-Control-Allow-Headers", "authorization, x-api-key", "authorization, x-api-key"},
		{"WWW-Authenticate", `Bearer realm="x"`, `Bearer realm="x"`},
		{"Referer", "https://u:pw@h/?access_token=abc&x=1", "https://u:[masked 2 bytes]@h/?access_token=[masked 3 bytes]&x=1"},
		{"X-Note", "got " + aJWT + " here", "got [masked 71 bytes] here"},
	} {
		if got := Words.Header(c.name, c.value); got != c.want {
			t.Errorf("Header(%q, %q) = %q, want %q", c.name, c.value, got, c.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"send Bearer 0123456789abcdef please", "send Bearer [masked 16 bytes] please"},
		{"Bearer token required", "Bearer token required"},
		{"a bearer of news", "a bearer of news"},
		{"nextPageToken=5 stays", "nextPageToken=5 stays"},
		{"eyJust a word", "eyJust a word"},
		{"mail me@example.com", "mail me@example.com"},
	} {
		if got := Words.Text(c.in); got != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"token":"abc","nextPageToken":"5"}`, `{"token":"[masked 3 bytes]","nextPageToken":"5"}`},
		{`{"authentication":{"scheme":"Bearer","credentials":"s3cret"}}`, `{"authentication":{"scheme":"Bearer","credentials":"[masked 6 bytes]"}}`},
		{`{"apiKey":["a","b"],"secret":{"x":"y","n":12}}`, `{"apiKey":["[masked 1 byte]","[masked 1 byte]"],"secret":{"x":"[masked 1 byte]","n":"[masked 2 bytes]"}}`},
		{`{"text":"use ` + aJWT + `","token":null,"password":""}`, `{"text":"use [masked 71 bytes]","token":null,"password":""}`},
		{`{"headers":{"Authorization":"Bearer x"},"t":"a\"b"}`, `{"headers":{"Authorization":"[masked 8 bytes]"},"t":"a\"b"}`},
		{`{"token":"cut here`, `{"token":"[masked 8 bytes]`},
		{`{"a":1} {"token":"second"}`, `{"a":1} {"token":"[masked 6 bytes]"}`},
	} {
		doc := jsontree.Parse([]byte(c.in))
		got := string(Words.JSON(doc))
		if got != c.want {
			t.Errorf("JSON(%s)\n got %s\nwant %s", c.in, got, c.want)
		}
		if doc.Err == nil && jsontree.Parse([]byte(got)).Err != nil {
			t.Errorf("JSON(%s) is no JSON any more: %s", c.in, got)
		}
	}
}

// FuzzJSON: valid stays valid, and a secret of a known place never comes through.
func FuzzJSON(f *testing.F) {
	f.Add(`"plain"`)
	f.Add(`"a\\\"b` + aJWT + `"`)
	f.Fuzz(func(t *testing.T, value string) {
		const secret = "hunter2-hunter2"
		text := `{"x":` + value + `,"token":"` + secret + `"}`
		doc := jsontree.Parse([]byte(text))
		out := Words.JSON(doc)
		if doc.Err == nil {
			if jsontree.Parse(out).Err != nil {
				t.Fatalf("no JSON any more: %s", out)
			}
			if doc.Root().Get("token").Str() == secret && strings.Count(string(out), secret) >= strings.Count(text, secret) {
				t.Fatalf("the secret came through: %s", out)
			}
		}
	})
}

func TestEvidence(t *testing.T) {
	for _, c := range []struct{ place, value, want string }{
		{"request/header/authorization", "Bearer abc", "Bearer [masked 3 bytes]"},
		{"request/header/a2a-version", "1.0", "1.0"},
		{"request/query/token", "abc", "[masked 3 bytes]"},
		{"request/frame/0#/params/token", "abc", "[masked 3 bytes]"},
		{"request/frame/0#/params/authentication", `{"credentials":"abc"}`, `{"credentials":"[masked 3 bytes]"}`},
		{"request/line", "GET /?token=abc", "GET /?token=[masked 3 bytes]"},
	} {
		if got := Words.Evidence(c.place, c.value); got != c.want {
			t.Errorf("Evidence(%q, %q) = %q, want %q", c.place, c.value, got, c.want)
		}
	}
}

func TestSameLength(t *testing.T) {
	doc := jsontree.Parse([]byte(`{"token":"s3cret","id":"plain"}`))
	got := string(Words.SameLength([]byte("\x0a\x06s3cret\x12\x05plain"), doc))
	if want := "\x0a\x06******\x12\x05plain"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestKnowing: what a request sent as a secret is one wherever it is repeated.
func TestKnowing(t *testing.T) {
	request := &capture.Head{Method: "POST", Target: "/rpc?token=in-the-query&x=1", Fields: capture.Fields{
		{Name: "Authorization", Value: "Bearer opaque-bearer"}, {Name: "Proxy-Authorization", Value: "Basic dTppbi10aGUtYmFzaWM="},
		{Name: "X-API-Key", Value: "opaque-bearer-and-more"}, {Name: "X-Auth-Token", Value: "short"},
		{Name: "Cookie", Value: "theme=light-blue; sid=0123456789abcdef"}, {Name: "X-Session", Value: "********"},
	}}
	for _, c := range []struct{ in, want string }{
		{"no opaque-bearer here", "no [masked 13 bytes] here"},
		{"no opaque-bearer-and-more here", "no [masked 22 bytes] here"},
		{"in-the-query, in-the-basic", "[masked 12 bytes], [masked 12 bytes]"},
		{"0123456789abcdef", "[masked 16 bytes]"},
		{"short, light-blue, ********, opaque", "short, light-blue, ********, opaque"},
	} {
		y := Words.Knowing(request)
		if got := y.Text(c.in); got != c.want {
			t.Errorf("%q became %q, want %q", c.in, got, c.want)
		}
		if got := y.Header("x-note", c.in); got != c.want {
			t.Errorf("header %q became %q, want %q", c.in, got, c.want)
		}
		if got, want := string(y.Body([]byte(`{"a":["`+c.in+`"],"n":12345678}`))), `{"a":["`+c.want+`"],"n":12345678}`; got != want {
			t.Errorf("JSON became %s, want %s", got, want)
		}
		if got := Stars.Knowing(request).Text(c.in); len(got) != len(c.in) || strings.Contains(c.want, "masked") != (got != c.in) {
			t.Errorf("%q became %q", c.in, got)
		}
		if got := Off.Knowing(request).Text(c.in); got != c.in {
			t.Errorf("off, %q became %q", c.in, got)
		}
	}
	if y := Words.Knowing(nil); y != Words {
		t.Error("of nothing something is known")
	}
}

// TestKnowingWhatIsEscaped: a secret is one also where it is written otherwise.
func TestKnowingWhatIsEscaped(t *testing.T) {
	request := &capture.Head{Target: "/rpc?token=in%2Bthe%2fquery", Fields: capture.Fields{
		{Name: "Authorization", Value: "Bearer a+b/c<d&e=="}, {Name: "X-API-Key", Value: `quo"ted\key"`},
	}}
	for _, secret := range []string{
		"a+b/c<d&e==", "a%2Bb%2Fc%3Cd%26e%3D%3D", "a%2bb%2fc%3cd%26e%3d%3d", "a+b%2Fc%3Cd&e==",
		`a+b/c\u003cd\u0026e==`, `a+b\/c<d&e==`, `a+b\/c\u003cd\u0026e==`,
		"in+the/query", "in%2Bthe%2fquery", "in%2Bthe%2Fquery", `in+the\/query`, `quo"ted\key"`, `quo\"ted\\key\"`,
	} {
		want := "no [masked " + strconv.Itoa(len(secret)) + " bytes] here"
		if got := Words.Knowing(request).Text("no " + secret + " here"); got != want {
			t.Errorf("%q became %q", secret, got)
		}
	}
}

func BenchmarkKnowing(b *testing.B) {
	for name, value := range map[string]string{"plain": "Bearer opaque-bearer", "escaped": "Bearer a+b/c<d&e=="} {
		request := &capture.Head{Target: "/rpc", Fields: capture.Fields{{Name: "Content-Type", Value: "application/json"}, {Name: "Authorization", Value: value}}}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Words.Knowing(request)
			}
		})
	}
}

// TestOff: nothing is masked for who asked to see everything.
func TestOff(t *testing.T) {
	const body = `{"token":"abc","text":"Bearer ` + aJWT + `"}`
	doc := jsontree.Parse([]byte(body))
	for what, got := range map[string]string{
		"header": Off.Header("Authorization", body), "text": Off.Text(body), "rest": Off.Rest(body), "secret": Off.Secret(body),
		"evidence": Off.Evidence("request/header/cookie", body), "body": string(Off.Body([]byte(body))), "json": string(Off.JSON(doc)),
		"bytes": string(Off.SameLength([]byte(body), doc)), "cut": string(Off.Body([]byte(body[:len(body)-3]))) + body[len(body)-3:],
	} {
		if got != body {
			t.Errorf("%s: %s", what, got)
		}
	}
}
