package cli

import (
	"fmt"
	"runtime"
	"strings"

	"a2ascope/capture/proxy"
	"a2ascope/internal/child"
)

// introduce says what is about to happen, and what will not be seen.
func (r *run) introduce(environ []string) {
	if r.f.isolate {
		r.told.say(fmt.Sprintf(r.say("running %s in a network of its own; every TCP connection passes the tap", "正在独立网络中运行 %s；所有 TCP 连接都经过代理"), r.args[0]))
	} else {
		r.told.say(fmt.Sprintf(r.say("running %s; its proxy is %s", "正在运行 %s；其代理为 %s"), r.args[0], r.tap.Addr()))
	}
	for _, v := range child.Overridden(environ) {
		if strings.HasPrefix(strings.ToLower(v.Name), "no_") {
			if !r.f.isolate {
				r.told.say(fmt.Sprintf(r.say("%s=%s of your environment is emptied for the program: those hosts pass the tap as well", "已为程序清空环境变量 %s=%s：这些主机同样经过代理"), v.Name, v.Value))
			}
			continue
		}
		r.told.say(fmt.Sprintf(r.say("%s=%s of your environment is not used: the tap reaches agents directly", "不使用环境变量 %s=%s：代理直接连接智能体"), v.Name, v.Value))
	}
	if !r.f.isolate {
		if w := r.kind.Bypass(r.lang); w != "" {
			r.told.say(w)
		}
	}
}

// nothingSeen says why a program may have passed by the tap, and what will work.
func (r *run) nothingSeen() string {
	name := r.args[0]
	if r.f.isolate {
		return fmt.Sprintf(r.say("no connection of %s was seen: it made none over TCP. A helper that was running before (a build daemon, a container) speaks for itself.",
			"未看到 %s 的任何连接：它没有建立 TCP 连接。若由此前已在运行的后台进程（构建守护进程、容器）代为通信，则不会被看到。"), name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, r.say("no connection of %s was seen. Either it made none, or:", "未看到 %s 的任何连接。要么它没有建立连接，要么："), name)
	for _, why := range r.kind.Reasons(r.lang) {
		b.WriteString("\n  - " + why)
	}
	b.WriteString("\n  " + r.say("What works with every program (then point it at the address that is printed):", "适用于任何程序的办法（然后把程序指向打印出的地址）：") + "\n  " + r.proxyLine())
	if runtime.GOOS == "linux" {
		b.WriteString("\n  " + r.say("or, with nothing to change in the program:", "或者，无需改动程序：") + "\n    a2ascope run --isolate -- " + quoteArgs(r.args))
	}
	return b.String()
}

// proxyLine is the command that works: for the address that the program was
// given, where one is among its arguments.
func (r *run) proxyLine() string {
	target := "http://HOST:PORT"
	for _, a := range r.args[1:] {
		i := strings.Index(a, "http://")
		if j := strings.Index(a, "https://"); i < 0 || j >= 0 && j < i {
			i = j
		}
		if i < 0 {
			continue
		}
		end := len(a)
		if j := strings.IndexAny(a[i:], " \t\"'`)<>,;"); j >= 0 {
			end = i + j
		}
		if o, err := proxy.ParseTarget(a[i:end]); err == nil {
			target = o.String()
			break
		}
	}
	return "  a2ascope proxy " + target
}

// quoteArgs writes a command line so that a shell reads the same words.
func quoteArgs(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n\"'`$\\*?[](){}<>|&;#~!") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out[i] = a
	}
	return strings.Join(out, " ")
}
