// Package output shows what the program says that runs beside the tap.
//
//	Output of npm · running
//	> server listens on 8080
//	  ...
//
// It follows the newest line until one scrolls up; G follows again. Invariant:
// what a program writes never reaches the terminal raw: its colours are taken
// out, every other control character is shown as a mark. Start reading at
// output.go.
package output
