package child

import (
	"bufio"
	"context"
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Kind of the runtime that a program uses.
type Kind string

// The kinds that treat proxies in ways of their own; Other is everything else.
const (
	Go     Kind = "go"
	Node   Kind = "node"
	Python Kind = "python"
	Java   Kind = "java"
	Other  Kind = "other"
)

// Runtime is what a program runs on.
type Runtime struct {
	Kind    Kind
	Version string // Node: "v20.20.2"; "" when unknown
}

// commands tells kinds by the names of programs.
var commands = map[string]Kind{
	"go": Go, "gotestsum": Go, "dlv": Go,
	"node": Node, "nodejs": Node, "npm": Node, "npx": Node, "yarn": Node, "pnpm": Node, "tsx": Node, "ts-node": Node,
	"python": Python, "uv": Python, "uvx": Python, "pytest": Python, "poetry": Python, "uvicorn": Python, "pipx": Python,
	"java": Java, "mvn": Java, "mvnw": Java, "gradle": Java, "gradlew": Java, "jbang": Java,
}

// RuntimeOf tells what a program runs on: by its name, by what a Go program says
// of itself, by the first line of a script.
func RuntimeOf(path string, args []string) Runtime {
	k := kindOf(path)
	if k == Other && filepath.Base(path) == "env" && len(args) > 1 {
		for _, a := range args[1:] {
			if !strings.Contains(a, "=") && !strings.HasPrefix(a, "-") {
				k = kindOf(a)
				break
			}
		}
	}
	r := Runtime{Kind: k}
	if k == Node {
		r.Version = nodeVersion(path)
	}
	return r
}

func kindOf(path string) Kind {
	name := strings.ToLower(filepath.Base(path))
	name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd"), ".bat")
	if k, ok := commands[name]; ok {
		return k
	}
	if strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") {
		return Python
	}
	if _, err := buildinfo.ReadFile(path); err == nil {
		return Go
	}
	return scriptKind(path)
}

// scriptKind reads the first line of a script: #!/usr/bin/env node.
func scriptKind(path string) Kind {
	f, err := os.Open(path)
	if err != nil {
		return Other
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n')
	if !strings.HasPrefix(string(line), "#!") {
		return Other
	}
	for _, w := range strings.Fields(string(line[2:])) {
		name := filepath.Base(w)
		if k, ok := commands[name]; ok {
			return k
		}
		if strings.HasPrefix(name, "python") {
			return Python
		}
	}
	return Other
}

// versionWait is how long a runtime may take to say its version.
const versionWait = 2 * time.Second

// nodeVersion asks Node, "" when it does not say.
func nodeVersion(path string) string {
	if name := filepath.Base(path); name != "node" && name != "nodejs" {
		path = "node" // what npm and its like run
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionWait)
	defer cancel()
	b, err := exec.CommandContext(ctx, path, "--version").Output()
	if v := strings.TrimSpace(string(b)); err == nil && strings.HasPrefix(v, "v") && len(v) < 20 {
		return v
	}
	return ""
}

// nodeReadsProxy reports whether a version of Node has NODE_USE_ENV_PROXY for
// fetch and http: 22.21 and newer, 24.5 and newer.
func nodeReadsProxy(version string) bool {
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if err1 != nil || err2 != nil {
		return false
	}
	return a > 24 || a == 24 && b >= 5 || a == 22 && b >= 21
}
