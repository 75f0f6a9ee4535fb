package text

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"a2ascope/ui/kit"
)

// No row of a Chinese text begins with a mark that closes something, and none
// ends with one that opens something, also behind words that are too long.
func TestMarksStayWithTheirText(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	parts := []string{"智能体", "客户端，", "（见 §3.6.2）", "SendMessage", "。", "“超时”", "supportedInterfacesprotocolBinding，", "1.0、0.3；", "《规范》", "100%"}
	for range 3000 {
		var b strings.Builder
		last := ""
		for range 1 + rng.IntN(20) {
			p := parts[rng.IntN(len(parts))]
			if p == "。" && (last == "" || last == "。") {
				continue
			}
			b.WriteString(p)
			last = p
		}
		s, w := b.String(), 12+rng.IntN(40)
		at := breaks(nil, s, w, 2)
		for i, from := range at[1:] {
			first, _ := utf8.DecodeRuneInString(s[from:])
			before, _ := utf8.DecodeLastRuneInString(s[:from])
			if strings.ContainsRune("，。；、）》”", first) || strings.ContainsRune("（《“", before) {
				t.Fatalf("width %d, row %d begins with %q: %q at %v", w, i+1, string(first), s, at)
			}
		}
		for i, l := range kit.Wrap(s, w) {
			first, _ := utf8.DecodeRuneInString(l)
			if i > 0 && strings.ContainsRune("，。；、）》”", first) {
				t.Fatalf("Wrap at %d: line %q of %q", w, l, s)
			}
			if kit.Width(l) > w {
				t.Fatalf("Wrap at %d: line %q is too wide", w, l)
			}
		}
	}
}
