// Package rules holds the rules of the failure table as data: one file a rule,
// with its examples beside it. README.md says how to write one.
package rules

import "embed"

// FS holds the rule files, family/slug.yaml. Examples are not embedded.
//
//go:embed */*.yaml
var FS embed.FS
