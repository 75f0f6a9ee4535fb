// Package kit is what the panes of the screen may know: what they are given
// (Props), what they answer (Intent), keys, colours, and the width of text.
//
//	        Props (view, selected row, words, styles)
//	app ───────────────────────────────────────────────▶ pane
//	    ◀───────────────────────────────────────────────
//	        Intent (select, open, go to a place, copy, say)
//
// A pane is a plain struct with four methods (Key, Sync, View, Keys). It knows
// neither Bubble Tea nor another pane. The app is the only one that does.
//
// Words: a role is a purpose of a colour (an error, a JSON key); a style is
// what the theme makes of it; a mark is the visible stand-in for a character
// that a terminal must not get.
//
// Invariants: text of a capture goes through Clean before it is measured or
// drawn; a view is exactly Size.W by Size.H cells; colour is never the only
// sign. Start reading at kit.go, then styles.go.
package kit
