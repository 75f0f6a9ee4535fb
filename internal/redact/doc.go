// Package redact masks what must not leave the memory of the program: a
// screen, a report and the clipboard get the masked form unless the user asked
// for the bytes.
//
//	Words.Header("Authorization", "Bearer eyJ…")  → "Bearer [masked 812 bytes]"
//	Words.JSON(doc)                               → the same JSON with secret strings replaced
//	Words.Text("…?access_token=abc")              → "…?access_token=[masked 3 bytes]"
//
// Secret are: Authorization and Proxy-Authorization, cookies, headers that by
// their name carry a key or token, push notification tokens and credentials,
// values of keys and secrets in a card's security schemes, and whatever looks
// like a JWT or a Bearer credential wherever it stands; and, for a Style that
// knows the request (Knowing), what that held as a secret, wherever else the
// exchange repeats it.
//
// Style says how a mask looks: in words, or as many stars as there were bytes,
// for files in which lengths must stay true; Off masks nothing. What is masked
// stays as it is when it is masked again, so that a saved file that is read and
// saved again does not change.
//
// Invariants: a mask names the number of bytes it stands for and nothing else
// of the value; masked JSON is valid where the original was; nothing that is
// no secret by name, shape or knowledge is touched. Start reading at name.go.
package redact
