package diagnose

import "testing"

// TestHoles: a name in two pairs of braces is no hole, nor is what is no name.
func TestHoles(t *testing.T) {
	const text = `{line} is below {{tenant}}: send {"id": 1} to {place}`
	args := map[string]string{"line": "GET /", "place": "here", "place" + zhSuffix: "这里", "tenant": "no"}
	for _, c := range []struct{ got, want string }{
		{fill(text, args, EN), `GET / is below {tenant}: send {"id": 1} to here`},
		{fill(text, args, ZH), `GET / is below {tenant}: send {"id": 1} to 这里`},
		{Unfilled(text), `… is below {tenant}: send {"id": 1} to …`},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}
