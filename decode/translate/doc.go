// Package translate shows a message of one version as the other version would
// write it: a request with its method or route and its headers, an answer or an
// error, an event of a stream, a push delivery, an agent card.
//
//	Call ─▶ which dialect? (0.3 JSON-RPC, 0.3 ProtoJSON, 1.0)
//	     ─▶ walk the JSON beside both shapes (decode/spec, twins.go)
//	     ─▶ JSON text + list of what changed
//
// Words: a change is one difference between the two texts. What is renamed,
// written otherwise, dropped or added says the same. What is lost has no place in the
// other version. What is unsaid the other version wants, and the message does
// not tell. What differs is there in both, and means something else. What is
// kept is in no table, so it is left as it was.
//
// Invariants: nothing is guessed in silence: all that is not word for word the
// same stands in the list. Members keep their order; what is added stands where
// the version writes it. Equal changes are counted on the first. A message
// translated without losses and back has the same value. No input panics.
//
// Start reading at translate.go, then walk.go; part.go and push.go are the
// shapes that differ by more than names, request.go the way around the body,
// repair.go a body that has the wanted version already, failure.go an error.
package translate
