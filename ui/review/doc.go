// Package review shows the three views over all traffic: will the two sides
// connect (the ladder), which scenarios were seen (coverage), how far the move
// from 0.3 to 1.0 is (migration).
//
//	[1 Ladder]  2 Coverage   3 Migration
//	- 192.0.2.7 py-client → agent.test: fails at step 2: Send the version
//	    ✓ 1  passed    #1    Pick an interface
//	  > ✗ 2  failed    #4    Send the version  ← the cause
//	─ enter: the exchange · → read here · c: copy the command ──────────────
//	  what is asked, what shows it, how to see it
//
// A subject (a client and an agent, or one of them) is a line that opens and
// closes; below it are its questions. On wide screens the answer stands beside
// the list. What is chosen is known by its names, so that it stays chosen while
// views change.
//
// Files: review.go (the pane), lines.go (the tree), answer.go (the document of
// what is chosen), find.go (exchanges to rows).
package review
