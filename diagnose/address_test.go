package diagnose

import "testing"

func TestParseAddress(t *testing.T) {
	for raw, want := range map[string]address{
		"http://127.0.0.1:7301":              {"http", "localhost:7301", ""},
		"http://LOCALHOST:7301/":             {"http", "localhost:7301", ""},
		"https://Agents.Example:443/a2a/v1/": {"https", "agents.example", "/a2a/v1"},
		"http://agents.example:80/rpc?x=1#y": {"http", "agents.example", "/rpc"},
		"agents.example:50051":               {"", "agents.example:50051", ""},
		"dns:///agents.example:50051":        {"dns", "agents.example:50051", ""},
		"grpc://[::1]:443/":                  {"grpc", "localhost", ""},
		"http://[2001:db8::1]:8080/x":        {"http", "[2001:db8::1]:8080", "/x"},
		"http://[2001:db8::80]/x":            {"http", "[2001:db8::80]", "/x"},
		"http://[::80]/x":                    {"http", "[::80]", "/x"},
		"http://127.1.2.3/":                  {"http", "localhost", ""},
		"http://user:pw@h.example/x":         {"http", "h.example", "/x"},
		"/a2a":                               {"", "", "/a2a"},
		"":                                   {},
		"  https://h.example ":               {"https", "h.example", ""},
		"http://127.example/":                {"http", "127.example", ""},
	} {
		if got := parseAddress(raw); got != want {
			t.Errorf("parseAddress(%q) = %+v, want %+v", raw, got, want)
		}
	}
}

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		path, base, rest string
		ok               bool
	}{
		{"/a2a/v1/tasks", "/a2a", "/v1/tasks", true},
		{"/a2a", "/a2a", "", true},
		{"/a2abc", "/a2a", "", false},
		{"/x", "", "/x", true},
		{"", "", "", true},
	} {
		if rest, ok := below(c.path, c.base); ok != c.ok || rest != c.rest {
			t.Errorf("below(%q, %q) = %q, %v", c.path, c.base, rest, ok)
		}
	}
}

func TestBindingWord(t *testing.T) {
	for in, want := range map[string]string{
		"JSONRPC": "JSONRPC", "jsonrpc": "JSONRPC", "JSON-RPC": "JSONRPC", "REST": "HTTP+JSON", "HTTP_JSON": "HTTP+JSON",
		"http+json": "HTTP+JSON", "grpc": "GRPC", "https://example.com/b": "https://example.com/b",
	} {
		if got := bindingWord(in); got != want {
			t.Errorf("bindingWord(%q) = %q, want %q", in, got, want)
		}
	}
}
