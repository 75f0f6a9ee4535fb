package save

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"a2ascope/capture"
	"a2ascope/internal/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// attachedTo reads what people attached to the rows of a view.
func attachedTo(v *session.View) map[int]Note {
	all := map[int]Note{}
	for i := range v.Rows.Len() {
		var n Note
		if n.Marked, n.Comment = capture.Remarks(v.Rows.At(i).Notes()); n != (Note{}) {
			all[i] = n
		}
	}
	return all
}

// someNotes marks every second row of a view and comments every third.
func someNotes(v *session.View) map[int]Note {
	notes := map[int]Note{}
	for i := range v.Rows.Len() {
		n := Note{Marked: i%2 == 0}
		if i%3 != 1 {
			n.Comment = "why (here): 为什么"
		}
		if n != (Note{}) {
			notes[i] = n
		}
	}
	return notes
}

// TestNotesRoundTrip: marks and comments are read back from both kinds of
// files, whatever the connection carries, and written again the same.
func TestNotesRoundTrip(t *testing.T) {
	for _, name := range inputs(t) {
		if exceptions[filepath.Base(name)] != "" {
			continue
		}
		v := view(t, opener(name))
		notes := someNotes(v)
		if len(notes) == 0 {
			continue
		}
		for _, ext := range []string{".har", ".pcapng"} {
			for _, plain := range []bool{true, false} {
				dir := t.TempDir()
				first, second := filepath.Join(dir, "first"+ext), filepath.Join(dir, "second"+ext)
				if _, err := Write(context.Background(), first, v, Options{Plain: plain, Notes: notes}); err != nil {
					t.Fatal(err)
				}
				again := view(t, opener(first))
				if got := slices.Collect(maps.Values(attachedTo(again))); len(got) != len(notes) {
					t.Errorf("%s %s, plain %v: %d exchanges with notes, want %d", filepath.Base(name), ext, plain, len(got), len(notes))
					continue
				}
				if got := attachedTo(again); ext == ".har" && !maps.Equal(got, notes) {
					t.Errorf("%s, plain %v: %v", filepath.Base(name), plain, got)
				}
				if _, err := Write(context.Background(), second, again, Options{Plain: plain}); err != nil {
					t.Fatal(err)
				}
				if d := sameFile(t, first, second); d != "" {
					t.Errorf("%s %s, plain %v: written again it differs: %s", filepath.Base(name), ext, plain, d)
				}
			}
		}
	}
}

// TestNotesOfARecording: what was found and what people attached is added to a
// recording when it ends, and read back; recorded again it is the same file.
func TestNotesOfARecording(t *testing.T) {
	for _, base := range []string{"00-first-look.txtar", "11-first-entry.txtar", "captures/mx01_grpc_multiplex.pcap", "captures/h03_go03_go03_grpc.pcap"} {
		name := filepath.Join("../../samples", base)
		v := view(t, opener(name))
		notes := someNotes(v)
		for _, plain := range []bool{true, false} {
			first := recordWith(t, opener(name), plain, notes)
			b, err := os.ReadFile(first)
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for i := range v.Rows.Len() {
				for _, f := range v.Rows.At(i).Findings {
					if found++; !strings.Contains(string(b), f.Rule.ID+": ") {
						t.Errorf("%s, plain %v: %s is not in it", base, plain, f.Rule.ID)
					}
				}
			}
			if found == 0 && strings.HasSuffix(base, ".txtar") {
				t.Errorf("%s has no finding to look for", base)
			}
			again := view(t, opener(first))
			if got := attachedTo(again); !maps.Equal(got, notes) {
				t.Errorf("%s, plain %v:\n%v, want\n%v", base, plain, got, notes)
			}
			if !plain {
				continue
			}
			if d := sameFile(t, first, recordWith(t, opener(first), plain, nil)); d != "" {
				t.Errorf("%s: recorded again it differs: %s", base, d)
			}
			// What the user takes away is gone.
			none := map[int]Note{}
			for i := range notes {
				none[i] = Note{}
			}
			if got := attachedTo(view(t, opener(recordWith(t, opener(first), plain, none)))); len(got) != 0 {
				t.Errorf("%s: %v", base, got)
			}
		}
	}
}

// TestSecretsInNotes: what people typed is masked as everything else.
func TestSecretsInNotes(t *testing.T) {
	v := view(t, opener("../../samples/00-first-look.txtar"))
	const secret = "sk-live-4711471147114711"
	notes := map[int]Note{0: {Comment: "sent with Authorization: Bearer " + secret}}
	for _, plain := range []bool{true, false} {
		names := []string{recordWith(t, opener("../../samples/00-first-look.txtar"), plain, notes)}
		for _, ext := range []string{".har", ".pcapng"} {
			name := filepath.Join(t.TempDir(), "x"+ext)
			if _, err := Write(context.Background(), name, v, Options{Plain: plain, Notes: notes}); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(b), "sent with Authorization: ") || strings.Contains(string(b), secret) != plain {
				t.Errorf("%s, plain %v: the comment is not as it should be", filepath.Base(name), plain)
			}
		}
	}
}

// changing is a source whose tap changed the second answer of its first connection.
type changing struct{ capture.Source }

var change = capture.Note{Code: "card-rewritten", Text: "http://a/ became http://b/"}

func (c changing) Run(ctx context.Context, to capture.Sink) (capture.Summary, error) {
	return c.Source.Run(ctx, &changingSink{Sink: to})
}

type changingSink struct {
	capture.Sink
	asked int
	told  bool
}

func (s *changingSink) Chunks(cs []capture.Chunk) error {
	var out []capture.Chunk
	for _, c := range cs {
		if c.Conn == 1 && c.Kind == capture.Bytes && c.From == capture.Client {
			s.asked++
		}
		if c.Conn == 1 && c.Kind == capture.Bytes && c.From == capture.Server && s.asked == 2 && !s.told {
			s.told = true
			out = append(out, capture.Chunk{Kind: capture.Noted, Conn: c.Conn, At: c.At, From: c.From, Note: &change})
		}
		out = append(out, c)
	}
	for i := range out {
		out[i].Seq = uint64(i + 1)
	}
	return s.Sink.Chunks(out)
}

// TestTapNotesRoundTrip: what the tap did to an answer is read back from every
// kind of file, on the exchange it was done to.
func TestTapNotesRoundTrip(t *testing.T) {
	open := func() (capture.Source, error) {
		src, err := opener("../../samples/captures/x01_go10_js10_jsonrpc.pcap")()
		return changing{src}, err
	}
	changed := func(v *session.View) (at []int) {
		for i := range v.Rows.Len() {
			if r := v.Rows.At(i); r.HasCall() {
				for _, n := range r.Call().Exchange.Notes {
					if n.Code != change.Code || n.Text != change.Text {
						t.Errorf("exchange %d has the note %+v", r.Number, n)
					}
					at = append(at, r.Number)
				}
			}
		}
		return at
	}
	v := view(t, open)
	want := changed(v)
	if len(want) != 1 || want[0] != 2 {
		t.Fatalf("the input has notes on %v, want on exchange 2", want)
	}
	for _, ext := range []string{".har", ".pcapng"} {
		name := filepath.Join(t.TempDir(), "saved"+ext)
		if _, err := Write(context.Background(), name, v, Options{}); err != nil {
			t.Fatal(err)
		}
		if got := changed(view(t, opener(name))); !slices.Equal(got, want) {
			t.Errorf("%s: notes on %v, want on %v", ext, got, want)
		}
	}
	if got := changed(view(t, opener(recordWith(t, open, false, nil)))); !slices.Equal(got, want) {
		t.Errorf("recorded: notes on %v, want on %v", got, want)
	}
}
