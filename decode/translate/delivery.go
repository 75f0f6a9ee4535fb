package translate

import (
	"a2ascope/decode"
	"a2ascope/decode/spec"
)

// DeliveryTo shows the body of a push delivery as an agent of another version
// would post it: 0.3 posts the task itself (§9.5), 1.0 what it would send in a
// stream (§4.3.3).
func DeliveryTo(c *decode.Call, to spec.Version) (*Message, Reason) {
	c = c.Full()
	from := spoken(&c.Request)
	switch {
	case c.Kind != spec.KindPush || c.Exchange.Request == nil:
		return nil, NotACall
	case from == spec.NoVersion || to != spec.V03 && to != spec.V10:
		return nil, NoVersion
	case broken(c.RequestDoc):
		return nil, Unreadable
	}
	root := c.RequestDoc.Root()
	w := walkerFor(dialectIn(from, spec.JSONRPC), dialectIn(to, spec.JSONRPC), c.ParamsAt)
	v := asIs(root)
	if from != to {
		if to == spec.V03 && !root.Get("task").IsObject() {
			return nil, NoTask
		}
		var ok bool
		if v, ok = w.payload(root); !ok {
			return nil, OtherObject
		}
		for _, f := range c.Exchange.Request.Fields {
			w.media(f, to)
		}
	}
	return &Message{From: from, To: to, Binding: c.Binding, Body: v.write(nil), Changes: w.list}, NoReason
}
