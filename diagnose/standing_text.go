package diagnose

import "strings"

// Standing describes how a finding stands: "root", "follows <rule>", "also",
// "folded", "recovered", in this order, and "" for a finding of its own.
func Standing(f *Finding) string {
	var words []string
	switch {
	case f.FollowsFrom != nil:
		words = append(words, "follows "+f.FollowsFrom.Rule)
	case f.Root:
		words = append(words, "root")
	case f.AlsoSeen:
		words = append(words, "also")
	}
	if f.FoldedInto != nil {
		words = append(words, "folded")
	}
	if f.RecoveredBy != nil {
		words = append(words, "recovered")
	}
	return strings.Join(words, " ")
}
