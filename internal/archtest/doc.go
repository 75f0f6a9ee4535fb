// Package archtest holds the house rules as tests: which of our packages each
// may import, the one room of each outside library, the size of files, and
// what must not be anywhere.
//
// A new package needs a line in allowed; that line is the review of its place
// in the architecture (docs/ARCHITECTURE.md).
package archtest
