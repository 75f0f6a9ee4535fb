package kit

import (
	"strconv"
	"time"
)

// Duration is short and sortable by eye: "850µs", "12.3ms", "4.09s", "2m05s".
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Duration(-d)
	case d < time.Millisecond:
		return strconv.FormatInt(d.Microseconds(), 10) + "µs"
	case d < 100*time.Millisecond:
		return strconv.FormatFloat(float64(d)/1e6, 'f', 1, 64) + "ms"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + "s"
	case d < time.Hour:
		s := int(d.Seconds())
		return strconv.Itoa(s/60) + "m" + pad2(s%60) + "s"
	}
	m := int(d.Minutes())
	return strconv.Itoa(m/60) + "h" + pad2(m%60) + "m"
}

func pad2(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// Bytes is a size for people: "812 B", "4.7 kB", "10.2 MB".
func Bytes(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1000*1000:
		return strconv.FormatFloat(float64(n)/1e3, 'f', 1, 64) + " kB"
	case n < 1000*1000*1000:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
	}
	return strconv.FormatFloat(float64(n)/1e9, 'f', 2, 64) + " GB"
}

// Clock is the time of day of a capture, to the millisecond.
func Clock(t time.Time) string {
	if t.IsZero() {
		return "--:--:--.---"
	}
	var b [12]byte
	return string(t.AppendFormat(b[:0], "15:04:05.000"))
}
