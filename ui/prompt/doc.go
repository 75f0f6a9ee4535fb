// Package prompt is the line in which filters, searches and commands are
// typed. A filter is compiled with every key: the line says at once whether it
// is right, and where it is not.
//
//	filter: call.fault.code == -32601 )                  E
//	  column 27: …
//
// Invariant: a filter that is wrong is never put in force; esc brings back what
// was there before. Start reading at prompt.go.
package prompt
