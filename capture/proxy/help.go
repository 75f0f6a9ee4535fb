package proxy

import "fmt"

// Advice is how one runtime or system is made to trust the authority.
type Advice struct {
	For   string   // "Debian, Ubuntu", "Node", …
	Lines []string // to paste
	Note  string   // what to know about it; may be empty
}

// TrustHelp says how to make clients trust the authority, in a language ("en",
// "zh"), for the machine's own system (runtime.GOOS) and for runtimes that have
// stores of their own. Setting a variable for one process is enough to debug;
// the system's store is for those who want more.
func TrustHelp(lang, goos string, a *Authority) []Advice {
	zh := lang == "zh"
	say := func(en, cn string) string {
		if zh {
			return cn
		}
		return en
	}
	ca, bundle := a.CertFile(), a.BundleFile()
	set := func(name, value string) string {
		if goos == "windows" {
			return fmt.Sprintf("set %s=%s", name, value)
		}
		return fmt.Sprintf("export %s=%q", name, value)
	}
	both := say("This file replaces the store, so it holds the system's roots as well.", "该变量会替换整个信任库，因此此文件同时包含系统根证书。")
	openSSL := both
	if goos != "linux" {
		openSSL += say(" Go programs ask the system's store here instead: see below.", "在此系统上 Go 程序改用系统信任库，见下文。")
	}
	all := []Advice{
		{"Go, grpc-go, Python httpx, urllib, OpenSSL", []string{set("SSL_CERT_FILE", bundle)}, openSSL},
		{"Python requests", []string{set("REQUESTS_CA_BUNDLE", bundle)}, both},
		{"curl", []string{set("CURL_CA_BUNDLE", bundle)}, both},
		{"Node", []string{set("NODE_EXTRA_CA_CERTS", ca)}, say("Added to Node's own roots. From Node 22 on, NODE_USE_ENV_PROXY=1 makes fetch use the proxy variables.", "追加到 Node 自带的根证书。自 Node 22 起，设置 NODE_USE_ENV_PROXY=1 可让 fetch 使用代理变量。")},
		{"gRPC (Python, Node, C++)", []string{set("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", bundle)}, say("These ignore SSL_CERT_FILE and NODE_EXTRA_CA_CERTS.", "它们不读取 SSL_CERT_FILE 和 NODE_EXTRA_CA_CERTS。")},
		{"Java", []string{
			fmt.Sprintf("keytool -importcert -noprompt -alias a2ascope -file %q -keystore a2ascope.p12 -storetype PKCS12 -storepass changeit", ca),
			set("JAVA_TOOL_OPTIONS", "-Djavax.net.ssl.trustStore=a2ascope.p12 -Djavax.net.ssl.trustStorePassword=changeit"),
		}, say("This store replaces the one of the JDK.", "该信任库会替换 JDK 自带的信任库。")},
	}
	switch goos {
	case "linux":
		all = append(all,
			Advice{"Debian, Ubuntu, Alpine", []string{fmt.Sprintf("sudo cp %q /usr/local/share/ca-certificates/a2ascope.crt", ca), "sudo update-ca-certificates"},
				say("To undo: remove the file and run update-ca-certificates --fresh.", "撤销：删除该文件后运行 update-ca-certificates --fresh。")},
			Advice{"Fedora, RHEL", []string{fmt.Sprintf("sudo cp %q /etc/pki/ca-trust/source/anchors/a2ascope.pem", ca), "sudo update-ca-trust"},
				say("To undo: remove the file and run update-ca-trust.", "撤销：删除该文件后运行 update-ca-trust。")})
	case "darwin":
		all = append(all, Advice{"macOS", []string{fmt.Sprintf("security add-trusted-cert -r trustRoot -k ~/Library/Keychains/login.keychain-db %q", ca)},
			say("For your user. To undo: security remove-trusted-cert with the same file.", "仅对当前用户生效。撤销：对同一文件运行 security remove-trusted-cert。")})
	case "windows":
		all = append(all, Advice{"Windows", []string{fmt.Sprintf(`certutil -user -addstore Root "%s"`, ca)},
			say("For your user. To undo: certutil -user -delstore Root a2ascope.", "仅对当前用户生效。撤销：certutil -user -delstore Root a2ascope。")})
	}
	return all
}
