// Package uitest drives the screen without a terminal, for tests of frames.
//
// A frame file is a txtar archive: a script, and the frames it is to give.
//
//	-- script --
//	session talk        rows made by Sessions
//	size 80x24
//	lang zh
//	theme none
//	live                the options of a live session, with a Save that has no disk
//	recording x.har     a file is being written from the start
//	feed more           the session is now that one
//	keys j j enter      names as the terminal library has them
//	type hello world    one key for each character
//	click 10 3
//	frame after         the screen as plain text, compared with the part of that name
//	-- after --
//	…
//
// Blank ends of rows are not compared; go test -update writes the frames anew.
//
// Start reading at driver.go, then frames.go; samples.go makes the sessions.
package uitest
