package har

import (
	"math"
	"time"
)

// parseTime reads startedDateTime: ISO 8601 as producers write it, which is
// RFC 3339 with any number of decimals, with "+0100" for "+01:00", with a
// blank for the T, or without a zone (taken as UTC).
func parseTime(s []byte) (time.Time, bool) {
	if len(s) < 19 || s[4] != '-' || s[7] != '-' || s[13] != ':' || s[16] != ':' || s[10] != 'T' && s[10] != 't' && s[10] != ' ' {
		return time.Time{}, false
	}
	ok := true
	num := func(from, to int) int {
		n, good := smallInt(s[from:to])
		ok = ok && good
		return n
	}
	year, month, day := num(0, 4), num(5, 7), num(8, 10)
	hour, min, sec := num(11, 13), num(14, 16), num(17, 19)
	if !ok || month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || min > 59 || sec > 60 {
		return time.Time{}, false
	}
	i, nano, unit := 19, 0, 100_000_000
	if i < len(s) && (s[i] == '.' || s[i] == ',') {
		for i++; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			nano += int(s[i]-'0') * unit
			unit /= 10
		}
	}
	offset := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		z := s[i+1:]
		if len(z) < 2 {
			return time.Time{}, false
		}
		h, good := smallInt(z[:2])
		m := 0
		if rest := z[2:]; len(rest) > 0 && good {
			if rest[0] == ':' {
				rest = rest[1:]
			}
			m, good = smallInt(rest)
		}
		if !good || h > 23 || m > 59 {
			return time.Time{}, false
		}
		offset = h*3600 + m*60
		if s[i] == '-' {
			offset = -offset
		}
	}
	t := time.Date(year, time.Month(month), day, hour, min, sec, nano, time.UTC)
	return t.Add(-time.Duration(offset) * time.Second), true
}

// timings are the durations of an entry in milliseconds; a negative one says "does not apply".
type timings struct{ blocked, dns, connect, send, wait, receive float64 }

// places returns when the request was complete, when the response began and
// when it was complete, after the start. connect includes ssl (HAR 1.2).
func (t timings) places(total float64) (sent, answered, done time.Duration) {
	ms := func(v float64) time.Duration {
		if !(v > 0) || v > 1e10 { // also NaN
			return 0
		}
		return time.Duration(math.Round(v * float64(time.Millisecond)))
	}
	sent = ms(t.blocked) + ms(t.dns) + ms(t.connect) + ms(t.send)
	answered = sent + ms(t.wait)
	done = answered + ms(t.receive)
	if done == 0 { // no timings
		return 0, ms(total), ms(total)
	}
	return sent, answered, done
}
