// Package findings lists every finding of the session, grouped by rule, the
// worst first:
//
//	E  3×  the 0.3 agent was called with a 1.0 method name
//	       #12 SendMessage :7301    #15 GetTask :7301
//
// enter on a group opens and closes it, enter on an exchange shows it.
// Start reading at findings.go.
package findings
