// Package samples holds lessons and demos as data; README.md is the index, in
// learning order. The regression corpus beside them (captures, cases) is not
// embedded.
package samples

import "embed"

// FS holds the lessons: NN-<slug>.txtar with lesson.en.md, lesson.zh.md,
// traffic.play and want.findings.
//
//go:embed *.txtar
var FS embed.FS
