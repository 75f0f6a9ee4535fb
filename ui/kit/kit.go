package kit

import (
	"time"

	"a2ascope/capture"
	"a2ascope/decode"
	"a2ascope/diagnose"
	"a2ascope/internal/lang"
	"a2ascope/internal/redact"
	"a2ascope/internal/session"
)

// Size of a pane in cells.
type Size struct{ W, H int }

// Key is a key press or a mouse event inside a pane.
type Key struct {
	Name string // "j", "ctrl+d", "enter", "pgdown", "space", "click", "wheelup", "wheeldown"
	Text string // what the key types, "" for keys that type nothing
	X, Y int    // click: cell inside the pane
}

// Note is what the user attached to a row of the list.
type Note struct {
	Marked  bool
	Comment string
}

// Notes are what the user attached to rows, by Row.Index.
type Notes struct {
	Of   map[int]Note
	Rev  int  // changes with every change
	Only bool // only marked rows are shown
}

// Follow says whether the list follows the newest row.
type Follow struct {
	On     bool
	Paused bool
	New    int // rows that came while it was paused
	Errors int // of those, rows with an error
}

// Watch is what is watched.
type Watch struct {
	Live      bool
	Mode      string // a code of lang.Words.Mode
	Address   string // where clients are to be pointed
	Recording string // the file being written

	OwnRules     bool // the rules that judge are not just the built-in ones
	RuleMistakes int  // mistakes that keep rules of the user out
}

// Sums are counts over the rows that are not hidden.
type Sums struct {
	Errors, Warnings, Infos int // findings that count
	Events                  int // of streams
	Failed                  int // rows whose worst finding is an error
}

// Binding is one line of the help.
type Binding struct {
	Keys string // "j/k", "ctrl+d/u"
	Does string
}

// Rows is what the list shows: all rows of the session, or those that fit the filter.
type Rows interface {
	Len() int
	At(i int) *session.Row
	// Find returns the position of the session's row with that index, or of
	// the next one after it; Len() when there is none.
	Find(index int) int
}

// Tab of the detail pane.
type Tab int

// The tabs, as numbered on screen.
const (
	TabDiagnosis Tab = iota + 1
	TabRequest
	TabResponse
	TabRaw
	TabExplain
	LastTab = TabExplain
)

// Props is what a pane is given. Everything in it is read only.
type Props struct {
	View   *session.View // never nil
	Rows   Rows          // never nil
	Row    *session.Row  // the selected exchange, nil when there is none
	Words  *lang.Words
	Lang   diagnose.Lang
	Styles *Styles
	Size   Size
	Focus  bool
	Redact bool // mask secrets on screen
	Filter string
	Follow Follow
	Watch  Watch
	Sums   Sums
	Notes  Notes
	From   int            // rows before it are hidden (Row.Index)
	Search string         // text searched for in the detail
	Zone   *time.Location // of the clock on screen; nil: as captured
	Tab    Tab
	Hex    bool // the raw tab shows bytes
}

// Mask is how secrets of the selected exchange are shown.
func (p Props) Mask() redact.Style {
	if p.Row == nil || !p.Row.HasCall() {
		return redact.For(nil, !p.Redact)
	}
	return redact.For(p.Row.Call().Exchange.Request, !p.Redact)
}

// Texts are those of a finding, as they may be shown.
func (p Props) Texts(f *diagnose.Finding) diagnose.Texts {
	return f.TextsFor(p.Lang, !p.Redact)
}

// Note returns what the user attached to a row, nothing for a row without.
func (p Props) Note(r *session.Row) Note {
	if r == nil {
		return Note{}
	}
	return p.Notes.Of[r.Index]
}

// Intent is what a pane wants of the app; nil when the key was only its own business.
type Intent interface{ intent() }

// The intents.
type (
	// Unused says that the pane has no use for the key.
	Unused struct{}
	// Select moves the selection to a row of Props.Rows. Moved says that the user did it by moving.
	Select struct{ At int }
	// SelectExchange moves the selection to an exchange, with the filter put aside where it hides it.
	SelectExchange struct{ ID capture.ExchangeID }
	// OpenExchange selects an exchange and gives the focus to one tab of its detail.
	OpenExchange struct {
		ID  capture.ExchangeID
		Tab Tab
	}
	// OpenRow does so with a row of the session (Row.Index); back leads to the pane again.
	OpenRow struct {
		Index int
		Tab   Tab
	}
	// Copy puts a text into the clipboard; whoever asks has masked secrets in it.
	Copy struct{ Text string }
	// Open gives the focus to the detail.
	Open struct{}
	// Back leaves the pane.
	Back struct{}
	// Goto shows a place of the selected exchange.
	Goto struct{ Place decode.Place }
	// ShowTab changes the tab of the detail.
	ShowTab struct{ Tab Tab }
	// FilterText is what stands in the filter bar; Done when it is to stay.
	FilterText struct {
		Text string
		Done bool
	}
	// SearchText is what is searched for in the detail.
	SearchText struct {
		Text string
		Done bool
	}
	// Command is a line typed after ':'.
	Command struct{ Line string }
	// Press asks the app to act as if the key was pressed (help).
	Press struct{ Key Key }
	// Chosen is a choice of a menu.
	Chosen struct{ ID string }
	// SaveAs is the name of a file to save to; "" when the user thought better of it.
	SaveAs struct{ Name string }
	// Comment is a text for the selected row; "" takes it away.
	Comment struct{ Text string }
	// CopyText puts a text into the clipboard; secrets in it are masked.
	CopyText struct{ Text string }
	// Say shows a line to the user.
	Say struct{ Text string }
)

func (Unused) intent()         {}
func (Select) intent()         {}
func (SelectExchange) intent() {}
func (OpenExchange) intent()   {}
func (OpenRow) intent()        {}
func (Copy) intent()           {}
func (Open) intent()           {}
func (Back) intent()           {}
func (Goto) intent()           {}
func (ShowTab) intent()        {}
func (FilterText) intent()     {}
func (SearchText) intent()     {}
func (Command) intent()        {}
func (Press) intent()          {}
func (Chosen) intent()         {}
func (SaveAs) intent()         {}
func (Comment) intent()        {}
func (CopyText) intent()       {}
func (Say) intent()            {}

// AllRows shows every row of a session.
type AllRows struct{ session.Rows }

// Find returns the index itself: all rows are there.
func (r AllRows) Find(index int) int { return min(max(index, 0), r.Len()) }
