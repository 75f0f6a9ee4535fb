package har

import (
	"testing"

	"a2ascope/capture"
)

// FuzzHAR: no text makes the reader panic, take more than the text is worth,
// or give other exchanges as a stream than as a mapped file.
func FuzzHAR(f *testing.F) {
	for _, d := range dialects {
		f.Add(harOf(d.entry, entryOf(1)))
	}
	f.Add(harOf(entryOf(1), `{"request":{"url":"x"a"},"response":{}}`, entryOf(2)))
	f.Add(harOf(entryOf(1), entryOf(2))[:300])
	f.Add(`{"log":{"entries":[,{"request":{"url":"http://h/","method":"GET"}},{"a":[}` + harOf(entryOf(1)))
	f.Add(harOf(`{"startedDateTime":"2026-11-29T12:00:00.000000Z","request":{"method":"POST","url":"http://a/","headers":[{"name":"x","value":"y","_unknown":true}],"postData":{"text":"ab"}},` +
		`"response":{"status":200,"content":{"text":"data: x\n\nz"},"_trailers":[{"name":"t","value":"1"}]},"_exchange":{"client":"[::1]:1","request":{"head":0,"stream":1,"method":"POST","target":"/","done":2,` +
		`"frames":[{"form":"body","at":1.5,"bytes":2}]},"response":{"head":2,"trailer":true,"frames":[{"form":"sse-event","bytes":9,"size":90},{"form":"data","bytes":1,"cut":true,"lost":-1}]},` +
		`"interim":[{"status":103,"headers":[]}],"breaches":[{"from":"server","at":3,"code":"bytes-lost","lost":5}],"notes":[{"code":"n","original":"e30="}],"end":{"kind":"reset","by":"client","at":4,"code":8}}}`))
	f.Add(harOf(`{"startedDateTime":"2026-11-29T12:00:00.000000Z","request":{"method":"UNKNOWN","url":"https://a/"},"response":{"status":0},` +
		`"_exchange":{"client":"[::1]:1","tls":"1.3","notes":[{"code":"mark","text":""}],"connection":{"protocol":"tls","sent":517,"received":7,"text":"encrypted"}}}`))
	f.Fuzz(func(t *testing.T, text string) {
		k, sum, err := mapped([]byte(text))
		var kept, ends, begun int64
		open := map[capture.ExchangeID]bool{}
		for i, e := range k.events {
			if e.Seq != uint64(i+1) {
				t.Fatalf("event %d has seq %d", i, e.Seq)
			}
			if _, alone := e.Body.(*capture.ConnInfo); alone {
				begun, ends = begun+1, ends+1
				if e.Exchange != 0 || e.Link == nil {
					t.Fatal("a connection that is an exchange, or has no link")
				}
				continue
			}
			if e.Link != nil { // the first event of an exchange
				begun++
				if open[e.Exchange] {
					t.Fatal("an exchange begins twice")
				}
				open[e.Exchange] = true
			}
			switch b := e.Body.(type) {
			case *capture.Frame:
				kept += int64(len(b.Data))
			case *capture.End:
				ends++
				if !open[e.Exchange] {
					t.Fatal("an end without a begin")
				}
				delete(open, e.Exchange)
			case *capture.Head:
				if !open[e.Exchange] {
					t.Fatal("a head without a begin")
				}
			}
		}
		if kept > 3*int64(len(text))+64 { // a form field may grow threefold
			t.Fatalf("%d bytes kept of a text of %d", kept, len(text))
		}
		if ends != begun || ends != sum.Connections || len(open) > 0 {
			t.Fatalf("%d begun, %d ended, %d counted", begun, ends, sum.Connections)
		}
		if refuse([]byte(text[:min(512, len(text))])) != nil || len(text) > 1<<16 || len(text) > 1 && text[:2] == "\x1f\x8b" {
			return
		}
		s, sum2, err2 := streamed(text, true)
		if a, b := dump(k.events, noon), dump(s.events, noon); a != b {
			t.Fatalf("mapped\n%sstream\n%s", a, b)
		}
		if a, b := dumpDamage(sum), dumpDamage(sum2); a != b {
			t.Fatalf("mapped\n%sstream\n%s", a, b)
		}
		if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("mapped %v, stream %v", err, err2)
		}
	})
}
