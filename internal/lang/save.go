package lang

import "fmt"

// Contents says what a saved file holds. Connections are those without HTTP.
func Contents(code string, exchanges, connections int, plain bool) string {
	s := contents(code, exchanges, connections)
	switch {
	case code == "zh" && plain:
		return s + "，密钥未遮盖"
	case code == "zh":
		return s + "，密钥已遮盖"
	case plain:
		return s + ", secrets not masked"
	}
	return s + ", secrets masked"
}

func contents(code string, exchanges, connections int) string {
	if code == "zh" {
		s := fmt.Sprintf("%d 个交互", exchanges)
		if connections > 0 {
			s += fmt.Sprintf("，%d 个没有 HTTP 的连接", connections)
		}
		return s
	}
	s := counted(exchanges, "exchange", "exchanges")
	if connections > 0 {
		s += ", " + counted(connections, "connection without HTTP", "connections without HTTP")
	}
	return s
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
