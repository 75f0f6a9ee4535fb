// Package text is what the detail panes show: documents of logical lines that
// are made only as far as somebody looks, and a pager that wraps, scrolls,
// searches and highlights them.
//
//	bytes ─▶ Block (JSON · Raw · Hex · Markup · Static) ─▶ Line ─▶ Pager ─▶ rows of cells
//	           index grows with what is looked at           wrap, search, link cursor
//
// Words: a block is a part of a document with one kind of content; a line is
// one logical line of it (a JSON member, a header); a row is what a line takes
// on the screen; a link is a line that leads somewhere when enter is pressed.
//
// Invariants: making the first screen of a body costs the same for 1 kB and
// for 100 MB; a line's text is clean; secrets are masked while a line is made,
// so that no other code can forget it. Start reading at block.go, then json.go.
package text
