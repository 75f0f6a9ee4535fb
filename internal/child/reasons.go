package child

import "fmt"

// Bypass says at the start what of this runtime will not be seen, in a language
// ("en", "zh"); "" when all of it should be.
func (r Runtime) Bypass(lang string) string {
	switch {
	case r.Kind == Go:
		return pick(lang, "Go never uses a proxy for localhost and 127.0.0.1: such calls are not seen. Use run --isolate (Linux) or a2ascope proxy for them.",
			"Go 从不为 localhost 和 127.0.0.1 使用代理：这类调用看不到。请改用 run --isolate（Linux）或 a2ascope proxy。")
	case r.Kind == Node && r.Version != "" && !nodeReadsProxy(r.Version):
		return fmt.Sprintf(pick(lang, "this is Node %s, which knows no proxy variables (22.21, 24.5 and newer do): only clients that set a proxy themselves are seen. Use run --isolate (Linux) or a2ascope proxy.",
			"当前 Node 为 %s，不支持代理环境变量（22.21、24.5 及以上支持）：只能看到自行设置代理的客户端。请改用 run --isolate（Linux）或 a2ascope proxy。"), r.Version)
	}
	return ""
}

// Reasons says why programs of this runtime pass by a proxy that the
// environment names. Without knowing the runtime, all of them.
func (r Runtime) Reasons(lang string) []string {
	goes := pick(lang, "Go (grpc-go too) never uses a proxy for localhost, 127.0.0.1 and ::1.", "Go（包括 grpc-go）从不为 localhost、127.0.0.1 和 ::1 使用代理。")
	node := pick(lang, "Node reads the proxy variables from 22.21 and 24.5 on; older ones have no support at all.", "Node 自 22.21 和 24.5 起才读取代理变量；更旧的版本完全不支持。")
	if r.Version != "" {
		if nodeReadsProxy(r.Version) {
			node = fmt.Sprintf(pick(lang, "Node %s uses the proxy for fetch, http and https, unless the client was given an agent or dispatcher of its own.",
				"Node %s 的 fetch、http 和 https 会使用代理，除非客户端使用了自己的 agent 或 dispatcher。"), r.Version)
		} else {
			node = fmt.Sprintf(pick(lang, "Node %s has no support for proxy variables; 22.21, 24.5 and newer have.", "Node %s 不支持代理环境变量；22.21、24.5 及以上版本支持。"), r.Version)
		}
	}
	python := pick(lang, "Python's aiohttp uses the proxy only with trust_env=True; httpx and requests do unless told otherwise (trust_env=False, a transport of their own).",
		"Python 的 aiohttp 仅在 trust_env=True 时使用代理；httpx 和 requests 默认使用，除非另行设置（trust_env=False 或自定义 transport）。")
	java := pick(lang, "Java uses the proxy unless the client was built with a ProxySelector of its own (Netty, OkHttp and gRPC may be).",
		"Java 会使用代理，除非客户端自带 ProxySelector（Netty、OkHttp、gRPC 可能如此）。")
	handed := pick(lang, "the work was done by a process that was running before: a build daemon, a container, a browser.", "实际工作由此前已在运行的进程完成：构建守护进程、容器、浏览器。")
	switch r.Kind {
	case Go:
		return []string{goes, handed}
	case Node:
		return []string{node, handed}
	case Python:
		return []string{python, handed}
	case Java:
		return []string{java, handed}
	}
	return []string{goes, node, python, java, handed}
}

func pick(lang, en, zh string) string {
	if lang == "zh" {
		return zh
	}
	return en
}
