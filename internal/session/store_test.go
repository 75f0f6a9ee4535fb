package session

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
)

// TestReadersWhileRowsArePacked: many readers of every view, while rows are
// packed, moved to the file and forgotten.
func TestReadersWhileRowsArePacked(t *testing.T) {
	c := &calls{n: 6000, text: 1 << 10}
	s := New(Options{Workers: 2, NewEngine: muted, MaxMemory: 2 << 20, SpillDir: t.TempDir()})
	var readers sync.WaitGroup
	for r := range 3 {
		readers.Go(func() {
			for rev := uint64(0); ; {
				v := s.Next(t.Context(), rev)
				for i := r * 31; i < v.Rows.Len(); i += 97 {
					row := v.Rows.At(i)
					if row.Forgotten {
						continue
					}
					b := row.Call().Exchange.Body(capture.Server)
					if row.Call().Exchange.End != nil && (b == nil || string(b.Data) != c.answer(row.Number-1)) {
						t.Errorf("row %d is not what was sent", i)
						return
					}
				}
				if rev = v.Rev; v.Done {
					return
				}
			}
		})
	}
	if err := s.Run(t.Context(), []Input{{Name: "live", Live: true, Endless: true, Open: func() (capture.Source, error) { return c, nil }}}); err != nil {
		t.Fatal(err)
	}
	readers.Wait()
	if v := s.View(); v.RowsForgotten == 0 || v.Spilled == 0 {
		t.Errorf("%d forgotten, %d spilled", v.RowsForgotten, v.Spilled)
	}
}

// stored puts one call into a store.
func stored(t *testing.T, s *store, size int) *Row {
	t.Helper()
	x := &capture.Exchange{ID: 5<<24 | 1, Conn: 5, Sent: []capture.Timed[*capture.Frame]{{V: &capture.Frame{Data: make([]byte, size)}}}}
	r := Row{}.With(&decode.Call{Exchange: x, Compacted: true})
	b, ok := s.pack(r.Call(), nil)
	if !ok {
		t.Fatal("not packed")
	}
	p, err := s.put(b, plain)
	if err != nil {
		t.Fatal(err)
	}
	r.kept.packed = p
	r.kept.call.Store(nil)
	return r
}

func TestABlockIsFreeWhenNobodyHoldsItsRows(t *testing.T) {
	s := newStore(1<<20, t.TempDir(), &regions{})
	held := func() int64 {
		s.mu.RLock()
		defer s.mu.RUnlock()
		return s.held
	}
	large := stored(t, s, 3<<20) // larger than a block
	stored(t, s, 100)            // nobody holds it
	if len(large.Call().Exchange.Sent[0].V.Data) != 3<<20 || held() < 3<<20 {
		t.Fatalf("%d bytes are held", held())
	}
	s.trim() // the large one goes to the file
	if s.trouble() != nil {
		t.Skip(s.trouble())
	}
	if in, filed := s.sizes(); in > 1<<10 || filed < 3<<20 || s.inMemory(large.kept.packed) || held() > 1<<20 {
		t.Errorf("%d in memory, %d in the file, %d held", in, filed, held())
	}
	if len(large.Call().Exchange.Sent[0].V.Data) != 3<<20 {
		t.Error("the large one cannot be read back")
	}
	s.seal()
	end := s.end
	s.recent = recent{}
	large = nil
	for range 200 {
		runtime.GC()
		if in, filed := s.sizes(); in == 0 && filed == 0 && held() == 0 {
			if len(s.room) != 1 || s.end != end {
				t.Errorf("room %v of %d", s.room, s.end)
			}
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	in, filed := s.sizes()
	t.Errorf("%d in memory, %d in the file, %d held", in, filed, held())
}

// TestWhatTheFileLostIsSaid: a disk that does not give back what it took.
func TestWhatTheFileLostIsSaid(t *testing.T) {
	s := newStore(1, t.TempDir(), &regions{})
	r := stored(t, s, 100)
	s.seal()
	s.trim()
	if s.trouble() != nil {
		t.Skip(s.trouble())
	}
	if err := s.file.Truncate(10); err != nil {
		t.Fatal(err)
	}
	c := r.Call()
	if c == nil || len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Text, "could not be read back") || c.Exchange.ID != r.ID() {
		t.Errorf("%+v", c)
	}
}
