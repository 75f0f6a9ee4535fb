package diagnose

import (
	"fmt"
	"strings"
)

// didYouMean returns " — did you mean 'x'?" for the nearest of the names, or
// "" when none is near.
func didYouMean(word string, names []string) string {
	if n := nearest(word, names); n != "" {
		return fmt.Sprintf(" — did you mean '%s'?", n)
	}
	return ""
}

// nearest returns the name with the fewest edits, at most a third of the
// word's letters; "" when none is that near.
func nearest(word string, names []string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, n := range names {
		if strings.EqualFold(n, word) {
			return n
		}
		if d := distance(word, n); d < least && d < len(word) {
			best, least = n, d
		}
	}
	return best
}

// distance counts the letters to add, drop, change or swap.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
