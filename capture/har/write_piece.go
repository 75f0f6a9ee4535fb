package har

import (
	"bytes"

	"a2ascope/capture"
	"a2ascope/capture/wire"
)

// piece is a frame as a part of a body.
type piece struct {
	text  []byte
	bytes int // of text
	at    int64
	frame capture.Frame // as written: masked
	// verbatim: text is the data, and cannot be read back as what it was.
	verbatim bool
}

// piece makes the part of the body that is read back as the frame.
func (e *export) piece(side capture.Side, f *capture.Frame) piece {
	p := piece{frame: *f}
	p.frame.Event, p.frame.ID = e.mask.text(f.Event), e.mask.text(f.ID)
	if e.mask.text(string(f.Raw)) != string(f.Raw) {
		p.frame.Raw = nil // there is a secret in what clients skip
	}
	if e.mask.Body != nil {
		if data := e.mask.Body(side, f); !bytes.Equal(data, f.Data) {
			p.frame.Data, p.frame.Raw = data, nil
			p.frame.Size += int64(len(data) - len(f.Data))
		}
	}
	p.text, p.verbatim = wire.Join(&p.frame)
	p.bytes = len(p.text)
	return p
}
