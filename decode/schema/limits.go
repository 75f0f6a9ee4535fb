package schema

const (
	// maxDepth bounds nesting of messages. A JSON value inside a Struct takes
	// two levels, so 120 of them fit. A level writes at most two brackets, which
	// keeps the text below jsontree.MaxDepth.
	maxDepth = 240

	// maxIssues bounds each list of issues: wrong-schema bytes have one per field,
	// and what matters shows in the first few. The rest is counted.
	maxIssues = 64

	// maxField is the highest field number of our tables plus one.
	maxField = 32
)
