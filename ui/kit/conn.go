package kit

import (
	"a2ascope/capture"
	"a2ascope/internal/lang"
)

// Trouble is the code of lang for what a connection failed with; "refused"
// where the text tells no more.
func Trouble(text string) string { return capture.Trouble(text) }

// ConnText says in a line why a connection has no exchanges.
func ConnText(c *capture.ConnInfo, w *lang.Words) string {
	switch {
	case c == nil:
		return w.ConnUnknown
	case c.Protocol == "tls":
		return w.ConnTLS
	case c.Protocol == "empty":
		return w.ConnEmpty
	case c.Protocol == "refused":
		code := Trouble(c.Text)
		if code == "other" {
			return w.ConnTrouble(code) + ": " + OneLine(c.Text, 120)
		}
		return w.ConnTrouble(code)
	case c.Text != "":
		return w.ConnUnknown + ": " + OneLine(c.Text, 120)
	}
	return w.ConnUnknown
}

// ConnMore says in a paragraph what that means and what to do.
func ConnMore(c *capture.ConnInfo, w *lang.Words) string {
	switch c.Protocol {
	case "tls":
		return w.ConnTLSMore
	case "refused":
		return w.ConnTroubleMore(Trouble(c.Text))
	case "empty":
		return w.ConnEmptyMore
	}
	return w.ConnUnknownMore
}

// Failure says in a line why an exchange got no connection to the agent; "" for
// one that got it.
func Failure(x *capture.Exchange, w *lang.Words) string {
	if x.End == nil || x.End.Kind != capture.EndUnreachable {
		return ""
	}
	code := Trouble(x.End.Text)
	if code == "other" && x.End.Text != "" {
		return w.ConnTrouble(code) + ": " + OneLine(x.End.Text, 120)
	}
	return w.ConnTrouble(code)
}
