package proxy

import "fmt"

// Text says a hint in a language, "en" or "zh", with what to do next.
func (h Hint) Text(lang string) string {
	zh := lang == "zh"
	say := func(en, cn string, args ...any) string {
		if zh {
			return fmt.Sprintf(cn, args...)
		}
		return fmt.Sprintf(en, args...)
	}
	switch h.Code {
	case HintDistrust:
		way := say("or let the host pass with --passthrough %s.", "或用 --passthrough %s 放行该主机。", hostOnly(h.Host))
		if h.Direct {
			way = say("or let it call http://%s, without TLS.", "或让它改用不带 TLS 的 http://%s。", h.Host)
		}
		if h.Variable == "JAVA_TOOL_OPTIONS" {
			return say("a client (%[1]s) refused our certificate for %[2]s: it does not trust the CA of a2ascope. Import %[3]s into a trust store (keytool -importcert) and set JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStore=FILE; %[4]s",
				"客户端（%[1]s）拒绝了我们为 %[2]s 签发的证书：它不信任 a2ascope 的 CA。请用 keytool -importcert 把 %[3]s 导入信任库，并设置 JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStore=文件；%[4]s",
				h.who(), h.Host, h.File, way)
		}
		if h.Variable == "" {
			return say("a client (%[1]s) refused our certificate for %[2]s: it does not trust the CA of a2ascope. It asks the system's store: add %[3]s there; %[4]s",
				"客户端（%[1]s）拒绝了我们为 %[2]s 签发的证书：它不信任 a2ascope 的 CA。它使用系统信任库：请把 %[3]s 加入其中；%[4]s",
				h.who(), h.Host, h.File, way)
		}
		return say("a client (%[1]s) refused our certificate for %[2]s: it does not trust the CA of a2ascope. Start it with %[3]s=%[4]s; %[5]s",
			"客户端（%[1]s）拒绝了我们为 %[2]s 签发的证书：它不信任 a2ascope 的 CA。请用 %[3]s=%[4]s 启动它；%[5]s",
			h.who(), h.Host, h.Variable, h.File, way)
	case HintAgentTLS:
		return say("TLS with %s failed: %s. If its certificate comes from a CA of your own, give it with --upstream-ca FILE; --insecure-upstream takes any.",
			"与 %s 的 TLS 握手失败：%s。若其证书由自建 CA 签发，请用 --upstream-ca 文件 指定；--insecure-upstream 则接受任何证书。", h.Host, h.Detail)
	case HintAgentWantsCert:
		return say("%s asks for a client certificate. The client's own cannot be passed on: give one with --client-cert and --client-key, or let the host pass with --passthrough %s.",
			"%s 要求客户端证书。客户端自己的证书无法转交：请用 --client-cert 和 --client-key 提供一个，或用 --passthrough %s 放行该主机。", h.Host, hostOnly(h.Host))
	case HintUnreachable:
		return say("%s cannot be reached: %s. Is the agent running, and is the address right?",
			"无法连接 %s：%s。请检查智能体是否在运行、地址是否正确。", h.Host, h.Detail)
	case HintAmbiguous:
		return say("a request to %s can be cut in two ways (%s). It was passed on as it is; the rest of its connection is not rewritten.",
			"发往 %s 的一个请求存在两种切分方式（%s）。已原样转发；该连接的其余内容不再改写。", h.Host, h.Detail)
	case HintTooManyOrigins:
		return say("the card names more origins than the tap listens for: calls to %s lead past it.",
			"卡片中的源超过了代理监听的上限：发往 %s 的调用会绕过代理。", h.Host)
	case HintNoAuthority:
		return say("TLS for %s cannot be opened: %s.", "无法解开 %s 的 TLS：%s。", h.Host, h.Detail)
	case HintAccept:
		return say("connections to %s cannot be accepted: %s. Perhaps too many files are open (ulimit -n).",
			"无法接受到 %s 的连接：%s。可能是打开的文件过多（ulimit -n）。", h.Host, h.Detail)
	case HintExposed:
		return say("WARNING: the tap listens on %s, which other machines can reach. Whoever reaches it can call the agent through it, use it as a proxy to anything this machine can reach, and has what they send recorded. Use 127.0.0.1 unless that is what you want.",
			"警告：代理正在 %s 上监听，其他机器可以访问。任何能连上它的人都可以经由它调用智能体、把它当作代理访问本机能到达的任何地址，并且其发送的内容会被记录。除非确有需要，请改用 127.0.0.1。", h.Host)
	case HintNoTarget:
		return say("a client called %s as if it were an agent, but the tap was started without one: give the agent's address.",
			"有客户端把 %s 当作智能体来调用，但启动时没有指定智能体：请给出智能体的地址。", h.Host)
	}
	return string(h.Code) + " " + h.Host + " " + h.Detail
}

// who names the client as well as it is known.
func (h Hint) who() string {
	if h.Client != "" {
		return h.Client
	}
	return h.Stack
}

// Text says a notice in a language, "en" or "zh".
func (n Notice) Text(lang string) string {
	zh := lang == "zh"
	switch n.Kind {
	case NoticeListening:
		if zh {
			return fmt.Sprintf("发往 %s 的调用现经由 %s", n.Origin, n.Address)
		}
		return fmt.Sprintf("calls to %s now pass through %s", n.Origin, n.Address)
	case NoticePassing:
		if zh {
			return fmt.Sprintf("客户端一再拒绝我们的证书：%s 的 TLS 从现在起不再解开，直接放行。让客户端信任 CA 后请重新启动。", n.Host)
		}
		return fmt.Sprintf("clients keep refusing our certificate: the TLS of %s passes unopened from now on. Start again once the client trusts the CA.", n.Host)
	}
	return n.Hint.Text(lang)
}
