package wire

import (
	"fmt"
	"strings"
	"testing"

	"a2ascope/capture"
)

func TestUnits(t *testing.T) {
	for _, c := range []struct{ media, body, want string }{
		{"text/event-stream", "data: a\n\n: k\n\ndata: b\n\n", `sse-event#0 "a", sse-comment#1 "k", sse-event#2 "b"`},
		{"application/grpc", "\x00\x00\x00\x00\x01a\x00\x00\x00\x00\x00", `grpc-message#0 "a", grpc-message#1 ""`},
		{"application/json", "{}", `body#0 "{}"`},
		{"application/grpc-web", "\x00\x00\x00\x00\x01a\x80\x00\x00\x00\x0fgrpc-status:0\r\n", `grpc-message#0 "a", trailer grpc-status=0`},
	} {
		head := &capture.Head{Status: 200, Fields: capture.Fields{{Name: "content-type", Value: c.media}}}
		var got []string
		for _, u := range Units(capture.Server, head, []byte(c.body)) {
			switch u := u.(type) {
			case *capture.Frame:
				got = append(got, fmt.Sprintf("%s#%d %q", u.Form, u.Seq, u.Data))
			case *capture.Trailer:
				got = append(got, "trailer "+u.Fields[0].Name+"="+u.Fields[0].Value)
			default:
				got = append(got, fmt.Sprintf("%T", u))
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", c.media, s, c.want)
		}
	}
}
