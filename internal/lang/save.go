package lang

import "fmt"

// Contents says what a saved file holds.
func Contents(code string, exchanges int, plain bool) string {
	switch {
	case code == "zh" && plain:
		return fmt.Sprintf("%d 个交互，密钥未遮盖", exchanges)
	case code == "zh":
		return fmt.Sprintf("%d 个交互，密钥已遮盖", exchanges)
	}
	noun, secrets := "exchanges", "masked"
	if exchanges == 1 {
		noun = "exchange"
	}
	if plain {
		secrets = "not masked"
	}
	return fmt.Sprintf("%d %s, secrets %s", exchanges, noun, secrets)
}
