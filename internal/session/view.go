package session

import (
	"time"

	"a2ascope/capture"
	"a2ascope/diagnose"
)

// Row is one exchange (or one connection without HTTP) as readers see it.
// A row never changes: it is replaced, so that equal pointers mean "unchanged".
type Row struct {
	Index    int               // position in View.Rows
	File     int               // index into View.Files
	Number   int               // exchange number within its file, from 1; 0 for a connection row
	ConnNo   int               // connection number within its file, from 1
	Conn     *capture.ConnInfo // set for a connection row
	Link     *capture.Link
	At       time.Time
	Findings []*diagnose.Finding      // worst root first; consequences after their roots
	Worst    diagnose.Severity        // of the findings that count; "" when none
	Version  *diagnose.VersionVerdict // what became of the version a call declares; nil until it ended

	// Forgotten: the row was let go so that memory stays bounded. One value
	// stands for all such rows: it has no Call, no Findings and no Index.
	Forgotten bool

	kept *kept // of its exchange; nil: see Call
}

// File is one input.
type File struct {
	Name      string
	Format    string
	Packets   int64
	Conns     int
	Exchanges int
	Damage    []capture.Damage
	Done      bool
	Err       error // the file could not be read at all
}

// View is what the session knows at one moment. It never changes.
type View struct {
	Rev                     uint64
	Rows                    Rows
	Files                   []File
	Progress                capture.Progress // of the file being read
	Agents                  []*diagnose.AgentInfo
	Reviews                 []*diagnose.Review // by file; nil where none was made
	Errors, Warnings, Infos int                // findings that count
	Done                    bool               // all sources ended
	Memory                  int64              // bytes of rows and bodies kept in memory by the session
	Budget                  int64              // what Memory may grow to; 0: no bound
	Spilled                 int64              // bytes of bodies kept in a temporary file instead
	Forgotten               int                // exchanges whose bodies were dropped because neither had room
	RowsForgotten           int                // exchanges let go altogether: see Row.Forgotten
	WorstForgotten          diagnose.Severity
	Conns, OpenConns        int   // connections seen, and those still open
	Lost                    int64 // bytes that a live source let go rather than slow the traffic down
}

const rowChunk = 512

// Rows is an append-only list in chunks: a snapshot copies the list of chunks
// and the chunks that changed, never the rows.
type Rows struct {
	chunks    [][]*Row
	n         int
	forgotten int
}

// Forgotten returns how many rows were let go; they keep their places in the list.
func (r Rows) Forgotten() int { return r.forgotten }

// Len returns the number of rows.
func (r Rows) Len() int { return r.n }

// At returns a row.
func (r Rows) At(i int) *Row { return r.chunks[i/rowChunk][i%rowChunk] }
