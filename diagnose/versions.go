package diagnose

// generation folds a version into the two that do not understand each other:
// "0.3" for everything up to 0.3, "1.0" for 1.0 and its draft, "" for mixed,
// unknown and other majors.
func generation(v string) string {
	switch v {
	case "0.1", "0.2", "0.3":
		return "0.3"
	case "1.0-draft", "1.0":
		return "1.0"
	}
	return ""
}

// addOnce appends a value that is not there yet.
func addOnce(list []string, v string) []string {
	if v == "" {
		return list
	}
	for _, x := range list {
		if x == v {
			return list
		}
	}
	return append(list, v)
}
