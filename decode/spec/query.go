package spec

// queryParams are the REST query parameters of 1.0 §11.5, by operation. Every
// operation also takes tenant and A2A-Version.
var queryParams = []struct {
	Op    Operation
	Names []string
}{
	{GetTask, []string{"historyLength"}}, // the only parameter 0.3 has
	{ListTasks, []string{"contextId", "status", "pageSize", "pageToken", "historyLength", "statusTimestampAfter", "includeArtifacts"}},
	{ListPushConfigs, []string{"pageSize", "pageToken"}},
}

// wrongParams are parameter names that no version has, with the one that is meant.
var wrongParams = []struct{ Wrong, Right string }{
	{"lastUpdatedAfter", "statusTimestampAfter"}, // draft until 2026-01-14; a2a-go's client still sends it
	{"last_updated_after", "statusTimestampAfter"},
	{"cursor", "pageToken"},
	{"limit", "pageSize"},
	{"perPage", "pageSize"},
	{"page", "pageToken"},
}

// QueryParams returns the query parameters that a REST operation defines.
func QueryParams(op Operation) []string {
	for i := range queryParams {
		if queryParams[i].Op == op {
			return append([]string(nil), queryParams[i].Names...)
		}
	}
	return nil
}

// RightQueryParam returns the name that is meant by a wrong or snake_case
// parameter name of an operation.
func RightQueryParam(op Operation, name string) (right string, ok bool) {
	for i := range queryParams {
		if queryParams[i].Op != op {
			continue
		}
		for _, n := range queryParams[i].Names {
			if n == name {
				return "", false
			}
			if Camel(name) == n {
				return n, true
			}
		}
		for _, w := range wrongParams {
			if w.Wrong == name {
				for _, n := range queryParams[i].Names {
					if n == w.Right {
						return n, true
					}
				}
			}
		}
	}
	return "", false
}
