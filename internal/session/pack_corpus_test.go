package session

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"a2ascope/capture"
	"a2ascope/capture/har"
	"a2ascope/capture/pcap"
	"a2ascope/capture/script"
)

// everything lists the saved captures, the lessons and the examples of the rules.
func everything(t *testing.T) (all []Input) {
	t.Helper()
	root := os.DirFS("../..")
	walk := func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		path := filepath.Join("../..", name)
		switch filepath.Ext(name) {
		case ".har":
			all = append(all, Input{Name: name, Open: func() (capture.Source, error) { return har.Open(path) }})
		case ".pcap", ".pcapng", ".gz":
			all = append(all, Input{Name: name, Open: func() (capture.Source, error) { return pcap.Open(path) }})
		case ".txtar":
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			for _, f := range txtar.Parse(text).Files {
				if !strings.HasSuffix(f.Name, ".play") {
					continue
				}
				p, err := script.Parse(f.Name, f.Data)
				if err != nil {
					return err
				}
				all = append(all, Input{Name: name + " " + f.Name, Open: func() (capture.Source, error) { return p.Source(script.Options{}), nil }})
			}
		}
		return nil
	}
	for _, dir := range []string{"samples", "rules"} {
		if err := fs.WalkDir(root, dir, walk); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestPackedRowsSayTheSame: every exchange of the corpus is equal to what it
// was after it was packed and read again, also when it is read whole.
func TestPackedRowsSayTheSame(t *testing.T) {
	inputs := everything(t)
	rows, cards, wire, size := 0, 0, int64(0), int64(0)
	engine := judged(t)
	for _, in := range inputs {
		s := New(Options{Workers: 1, NewEngine: engine})
		if err := s.Run(t.Context(), []Input{in}); err != nil {
			t.Fatal(err)
		}
		v := s.View()
		for i := range v.Rows.Len() {
			r := v.Rows.At(i)
			was := r.Call()
			if was == nil || r.Conn != nil {
				continue
			}
			rows++
			if s.book.pack(r); r.kept.packed.by == nil {
				t.Errorf("%s: row %d cannot be packed: %+v", in.Name, i, was)
				continue
			}
			is := r.Call()
			if is == was || !reflect.DeepEqual(is, was) {
				t.Errorf("%s: row %d is another one:\n%+v\n%+v", in.Name, i, is, was)
			}
			if a, b := is.Full(), was.Full(); !reflect.DeepEqual(a, b) {
				t.Errorf("%s: row %d read whole is another one:\n%+v\n%+v", in.Name, i, a, b)
			}
			if r.ID() != was.Exchange.ID || r.A2A() != (was.Protocol == "a2a") || (r.Events() > 0) != (was.Streamed() && len(was.Exchange.Received) > 0) {
				t.Errorf("%s: row %d says something else than its call", in.Name, i)
			}
			if was.AgentCard != nil {
				cards++
			}
			wire += was.Exchange.SentSize + was.Exchange.ReceivedSize
			for _, h := range []*capture.Head{was.Exchange.Request, was.Exchange.Response} {
				if h != nil {
					wire += int64(len(h.Raw))
				}
			}
			size += int64(r.kept.packed.n)
		}
	}
	if rows < 3000 || cards < 100 {
		t.Errorf("only %d exchanges in %d inputs, %d cards", rows, len(inputs), cards)
	}
	t.Logf("%d exchanges, %d cards, %d bytes of heads and bodies, %d packed", rows, cards, wire, size)
}
