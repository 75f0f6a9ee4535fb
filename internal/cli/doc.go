// Package cli is the command line: one file a command, the wiring of sources,
// session, screen and reports, and the exit codes.
//
//	0  nothing at or above --fail-on
//	1  findings at or above --fail-on
//	2  the command line is wrong
//	3  an input could not be read at all, or a fault of a2ascope
//
// Everything a command needs of the system comes through Env, so that scripts
// and tests run commands in their own process.
//
// Start reading at cli.go; the list of commands is there.
package cli
