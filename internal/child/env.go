package child

import (
	"net/url"
	"runtime"
	"slices"
	"strings"
)

// Surroundings are what the environment of a program is to say.
type Surroundings struct {
	Proxy string // host:port of the tap; empty: the program is led there in another way
	Trust *Trust // nil: no runtime is told to trust anybody
}

// proxyVariables name a proxy. Every runtime reads one of them: curl wants
// http_proxy in small letters, gRPC core knows its own.
var proxyVariables = []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "grpc_proxy"}

// exceptVariables name hosts that are not to be reached over a proxy. They are
// set, and empty: an inherited NO_PROXY=localhost would lead past the tap.
var exceptVariables = []string{"NO_PROXY", "no_proxy", "no_grpc_proxy"}

// bundleVariables replace the store of a runtime: OpenSSL and Go, Python's
// requests, curl, gRPC core.
var bundleVariables = []string{"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"}

// extraVariable adds to the store of Node.
const extraVariable = "NODE_EXTRA_CA_CERTS"

const javaVariable = "JAVA_TOOL_OPTIONS"

// Environment is env, changed so that the program's traffic takes the way it is
// to take. env stays as it is.
func Environment(env []string, s Surroundings) []string {
	out := slices.Clone(env)
	set := func(name, value string) { out = setVariable(out, name, value) }
	java := []string{}
	if s.Proxy != "" {
		for _, name := range proxyVariables {
			set(name, "http://"+s.Proxy)
		}
		for _, name := range exceptVariables {
			set(name, "")
		}
		set("NODE_USE_ENV_PROXY", "1") // Node 22.21 and newer, else without effect
		host, port, _ := strings.Cut(s.Proxy, ":")
		for _, scheme := range []string{"http", "https"} {
			java = append(java, "-D"+scheme+".proxyHost="+host, "-D"+scheme+".proxyPort="+port)
		}
		// There, and empty: without it, and with every other value, Java reaches
		// localhost directly.
		java = append(java, "-Dhttp.nonProxyHosts=")
	} else {
		for _, name := range slices.Concat(proxyVariables, exceptVariables) {
			out = dropVariable(out, name)
		}
	}
	if t := s.Trust; t != nil {
		for _, name := range bundleVariables {
			set(name, t.Bundle)
		}
		set(extraVariable, t.Extra)
		java = append(java, "-Djavax.net.ssl.trustStore="+t.Store, "-Djavax.net.ssl.trustStorePassword="+storePassword,
			"-Djavax.net.ssl.trustStoreType=PKCS12")
	}
	if len(java) > 0 {
		if old := Variable(env, javaVariable); old != "" {
			java = append([]string{old}, quoted(java)...)
		} else {
			java = quoted(java)
		}
		set(javaVariable, strings.Join(java, " "))
	}
	return out
}

// quoted puts options with blanks in quotes, which the Java launcher takes out.
func quoted(options []string) []string {
	out := make([]string, len(options))
	for i, o := range options {
		if strings.ContainsAny(o, " \t") {
			o = `"` + o + `"`
		}
		out[i] = o
	}
	return out
}

// Variable is the value that a program would find: the last one of its name.
func Variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if n, v, ok := strings.Cut(env[i], "="); ok && sameName(n, name) {
			return v
		}
	}
	return ""
}

func setVariable(env []string, name, value string) []string {
	return append(dropVariable(env, name), name+"="+value)
}

func dropVariable(env []string, name string) []string {
	return slices.DeleteFunc(env, func(e string) bool {
		n, _, ok := strings.Cut(e, "=")
		return ok && sameName(n, name)
	})
}

func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// Replaced is a variable of the user that means something else to the program.
type Replaced struct{ Name, Value string }

// Overridden lists what the environment said of proxies and exceptions before:
// what the program reached through another proxy, the tap reaches directly.
func Overridden(env []string) []Replaced {
	var all []Replaced
	for _, name := range slices.Concat(proxyVariables, exceptVariables) {
		v := Variable(env, name)
		if v == "" || slices.ContainsFunc(all, func(r Replaced) bool { return strings.EqualFold(r.Name, name) }) {
			continue
		}
		if u, err := url.Parse(v); err == nil && u.User != nil {
			u.User = url.User("***") // a password is nobody's business
			v = u.String()
		}
		all = append(all, Replaced{name, v})
	}
	return all
}
