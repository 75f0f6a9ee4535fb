package session

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"a2ascope/capture"
)

func TestSpilledFramesKeepTheirShape(t *testing.T) {
	k := &keeper{budget: 1, dir: t.TempDir()}
	defer k.close()
	raw := []byte("id: 7\ndata: " + strings.Repeat("x", 100) + "\n\n")
	f := &capture.Frame{Raw: raw, Data: raw[12:112]}
	sum := k.event(&capture.Event{Body: f}, nil)
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		if sum != int64(len(raw)) || k.trouble() == nil {
			t.Errorf("%d bytes in memory, %v", sum, k.trouble())
		}
		return
	}
	if sum != 0 || &f.Raw[0] == &raw[0] || !bytes.Equal(f.Raw, raw) {
		t.Errorf("%d bytes in memory, raw %q", sum, f.Raw)
	}
	if string(f.Data) != strings.Repeat("x", 100) || &f.Data[0] != &f.Raw[12] || cap(f.Data) != 100 {
		t.Errorf("data %q is no part of raw", f.Data)
	}
	own := &capture.Frame{Raw: bytes.Repeat([]byte("r"), 50), Data: bytes.Repeat([]byte("d"), 40)}
	if k.event(&capture.Event{Body: own}, nil) != 0 || string(own.Raw) != strings.Repeat("r", 50) || string(own.Data) != strings.Repeat("d", 40) {
		t.Errorf("%q %q", own.Raw, own.Data)
	}
	small := &capture.Head{Raw: []byte("short")}
	if n := k.event(&capture.Event{Body: small}, nil); n != 5 || k.inMemory.Load() != 5 {
		t.Errorf("%d bytes of a short head in memory", n)
	}
	if n := k.spilled.Load(); n != int64(len(raw)+90) {
		t.Errorf("%d bytes spilled", n)
	}
}

func TestBytesOfAMappedFileAreNotOurs(t *testing.T) {
	k := &keeper{budget: 1, dir: t.TempDir()}
	file := bytes.Repeat([]byte("m"), 1000)
	f := &capture.Frame{Data: file[500:]}
	if n := k.event(&capture.Event{Body: f}, file); n != 0 || &f.Data[0] != &file[500] || k.spilled.Load() != 0 || k.inMemory.Load() != 0 {
		t.Errorf("%d bytes in memory, %d spilled", n, k.spilled.Load())
	}
	if within(file[:1], file[1:]) || !within(file[999:], file) || within(nil, file) || within(file, nil) {
		t.Error("within is wrong at its edges")
	}
}

// TestAFullDiskIsSaid: what was spilled before stays readable.
func TestAFullDiskIsSaid(t *testing.T) {
	k := &keeper{budget: 1, dir: t.TempDir()}
	b := bytes.Repeat([]byte("b"), 100)
	kept, _ := k.keep(b)
	if k.trouble() != nil {
		t.Skip(k.trouble())
	}
	k.close() // the file is gone, as on a full disk
	if again, n := k.keep(b); n != 100 || &again[0] != &b[0] || k.trouble() == nil || !k.over() {
		t.Errorf("%d bytes in memory, %v", n, k.trouble())
	}
	if !bytes.Equal(kept, b) {
		t.Error("what was spilled is lost")
	}
}
