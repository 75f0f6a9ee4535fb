// Package ruletest runs the examples beside rules.
//
//	rules/call/method-not-found.yaml     the rule
//	rules/call/method-not-found.txtar    its examples:
//	    -- hit/no-card.play --           traffic in which the rule must speak
//	    -- hit/no-card.want --           every finding of every rule on it
//	    -- miss/other-name.play --       traffic in which it must not
//	    -- miss/other-name.want --       what other rules say; none when left out
//
// Each play goes through the whole pipeline — bytes, wire, decode, engine —
// with all rules on, so that a rule that also speaks on a neighbour's example
// is seen at once. A line of a want file is
//
//	<exchange> <rule> <severity> [root|follows <rule>|also] [folded] [recovered]
//
// with exchanges numbered from 1 in the order in which their requests began.
// Lines are sorted; what a rule says in words is not compared, but must be
// complete: no hole left, no empty text, no evidence that points at nothing.
//
// Start reading at run.go; play.go is the pipeline.
package ruletest
