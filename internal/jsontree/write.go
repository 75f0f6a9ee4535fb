package jsontree

const hexDigits = "0123456789abcdef"

// AppendEscaped appends s as it stands between the quotes of a JSON string.
// Bytes that are no UTF-8 stay what they are.
func AppendEscaped[T []byte | string](dst []byte, s T) []byte {
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(dst, s[start:]...)
}
