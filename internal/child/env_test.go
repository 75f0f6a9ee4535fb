package child

import (
	"slices"
	"strings"
	"testing"
)

func TestEnvironmentPerRuntime(t *testing.T) {
	base := []string{"PATH=/bin", "NO_PROXY=localhost", "http_proxy=http://u:secret@corp:3128", "JAVA_TOOL_OPTIONS=-Xmx1g", "NODE_EXTRA_CA_CERTS=/mine.pem"}
	before := slices.Clone(base)
	tr := &Trust{Bundle: "/t/bundle.pem", Extra: "/t/extra.pem", Store: "/t x/trust.p12"}
	env := Environment(base, Surroundings{Proxy: "127.0.0.1:4100", Trust: tr})
	for name, want := range map[string]string{
		"PATH":       "/bin",
		"HTTP_PROXY": "http://127.0.0.1:4100", "http_proxy": "http://127.0.0.1:4100", // curl, Python
		"HTTPS_PROXY": "http://127.0.0.1:4100", "https_proxy": "http://127.0.0.1:4100", "ALL_PROXY": "http://127.0.0.1:4100", "all_proxy": "http://127.0.0.1:4100",
		"grpc_proxy": "http://127.0.0.1:4100", // gRPC core
		"NO_PROXY":   "", "no_proxy": "", "no_grpc_proxy": "",
		"SSL_CERT_FILE": "/t/bundle.pem", "REQUESTS_CA_BUNDLE": "/t/bundle.pem", "CURL_CA_BUNDLE": "/t/bundle.pem",
		"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": "/t/bundle.pem",
		"NODE_EXTRA_CA_CERTS":              "/t/extra.pem", "NODE_USE_ENV_PROXY": "1",
		"JAVA_TOOL_OPTIONS": `-Xmx1g -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=4100 -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=4100 ` +
			`-Dhttp.nonProxyHosts= "-Djavax.net.ssl.trustStore=/t x/trust.p12" -Djavax.net.ssl.trustStorePassword=changeit -Djavax.net.ssl.trustStoreType=PKCS12`,
	} {
		n := 0
		for _, e := range env {
			if k, v, _ := strings.Cut(e, "="); k == name {
				n++
				if v != want {
					t.Errorf("%s is %q, want %q", name, v, want)
				}
			}
		}
		if n != 1 {
			t.Errorf("%s is there %d times, want once (and set where it is empty)", name, n)
		}
	}
	if !slices.Equal(base, before) {
		t.Error("the environment that was given was changed")
	}
}

// In a network of its own a program goes where it wants: a proxy of the user
// would only hide that.
func TestEnvironmentWithoutProxy(t *testing.T) {
	env := Environment([]string{"HTTPS_PROXY=http://corp:3128", "no_proxy=x", "A=b"}, Surroundings{Trust: &Trust{Bundle: "b", Extra: "e", Store: "s"}})
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if slices.Contains(proxyVariables, name) || slices.Contains(exceptVariables, name) || name == "NODE_USE_ENV_PROXY" || strings.Contains(e, "proxyHost") {
			t.Errorf("%s is there", e)
		}
	}
	if Variable(env, "A") != "b" || Variable(env, "SSL_CERT_FILE") != "b" {
		t.Errorf("the rest is missing: %q", env)
	}
}

func TestOverriddenMasksPasswords(t *testing.T) {
	got := Overridden([]string{"http_proxy=http://u:secret@corp:3128", "HTTP_PROXY=http://u:secret@corp:3128", "NO_PROXY=localhost", "https_proxy="})
	want := []Replaced{{"HTTP_PROXY", "http://%2A%2A%2A@corp:3128"}, {"NO_PROXY", "localhost"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
