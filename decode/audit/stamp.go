package audit

// stampIn returns how a point in time should have been written, "" when it is
// well written: RFC 3339 in UTC, with the letters T and Z (1.0 §5.6.1). The
// number of digits of a second is free. What is no RFC 3339 at all gets the
// example of the specification.
func stampIn(raw []byte) (want string) {
	const example = "2026-01-31T12:00:00.000Z"
	if len(raw) < 20 || len(raw) > 40 {
		return example
	}
	for i, c := range []byte("0000-00-00T00:00:00") {
		if c == '0' {
			if raw[i] < '0' || raw[i] > '9' {
				return example
			}
		} else if raw[i] != c {
			return example
		}
	}
	rest := raw[19:]
	if rest[0] == '.' {
		n := 1
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n == 1 || n == len(rest) {
			return example
		}
		rest = rest[n:]
	}
	switch {
	case len(rest) == 1 && rest[0] == 'Z':
		return ""
	case string(rest) == "+00:00", string(rest) == "-00:00":
		return string(raw[:len(raw)-6]) + "Z" // the same moment
	}
	return example
}
