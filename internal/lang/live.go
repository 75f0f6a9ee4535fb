package lang

import (
	"fmt"
	"strconv"
)

// Mode is the word for how the traffic is watched.
func (w *Words) Mode(code string) string { return find(w.Lookups.Mode, code) }

// ConnTrouble says in a few words why a connection did not come to be.
func (w *Words) ConnTrouble(code string) string { return find(w.Lookups.Conn, code) }

// ConnTroubleMore says what that means, and what to do.
func (w *Words) ConnTroubleMore(code string) string { return find(w.Lookups.ConnMore, code) }

// OpenStream is the state of a stream that is open: how many events it has so far.
func (w *Words) OpenStream(events int) string {
	n := strconv.Itoa(events)
	if events >= 10000 {
		n = strconv.Itoa(events/1000) + "k"
	}
	return fmt.Sprintf(w.Sentences.OpenStream, n)
}

// EmptyAddress is the empty list of a session that waits for a client.
func (w *Words) EmptyAddress(url string) string { return fmt.Sprintf(w.Sentences.EmptyAddress, url) }

// EmptyCleared is the empty list after rows were hidden.
func (w *Words) EmptyCleared(n int) string { return fmt.Sprintf(w.Sentences.EmptyCleared, n) }

// Cleared says how many rows were hidden.
func (w *Words) Cleared(n int) string { return fmt.Sprintf(w.Sentences.Cleared, n) }

// Uncleared says how many rows are shown again.
func (w *Words) Uncleared(n int) string { return fmt.Sprintf(w.Sentences.Uncleared, n) }

// Saving says that a file is being written.
func (w *Words) Saving(name string) string { return fmt.Sprintf(w.Sentences.Saving, name) }

// Saved says where the session was saved, and what the file has.
func (w *Words) Saved(name, what string) string {
	if what == "" {
		return fmt.Sprintf(w.Sentences.SavedPlain, name)
	}
	return fmt.Sprintf(w.Sentences.Saved, name, what)
}

// SaveFailed says why a file was not written.
func (w *Words) SaveFailed(name, why string) string {
	return fmt.Sprintf(w.Sentences.SaveFailed, name, why)
}

// FileExists asks before a file is replaced.
func (w *Words) FileExists(name string) string { return fmt.Sprintf(w.Sentences.FileExists, name) }

// LeaveUnsaved asks before a session is lost.
func (w *Words) LeaveUnsaved(exchanges, connections int) string {
	return fmt.Sprintf(w.Sentences.LeaveUnsaved, contents(w.Code, exchanges, connections))
}

// CopiedText confirms what was copied.
func (w *Words) CopiedText(text string) string { return fmt.Sprintf(w.Sentences.CopiedText, text) }

// NoticesMissed counts what is missing at this place.
func (w *Words) NoticesMissed(n int) string { return fmt.Sprintf(w.Sentences.NoticesMissed, n) }

// RulesWrong says at the start that rules of the user have mistakes.
func (w *Words) RulesWrong(n int) string { return fmt.Sprintf(w.Sentences.RulesWrong, n) }

// RuleMistakes is the same in two words.
func (w *Words) RuleMistakes(n int) string { return fmt.Sprintf(w.Sentences.RuleMistakes, n) }

// Conns counts connections.
func (w *Words) Conns(open, all int, short bool) string {
	if short {
		return fmt.Sprintf(w.Sentences.ConnsShort, open, all)
	}
	return fmt.Sprintf(w.Sentences.Conns, open, all)
}

// Exchanges counts exchanges.
func (w *Words) Exchanges(n int) string { return fmt.Sprintf(w.Sentences.Exchanges, n) }

// EventsSeen counts the events of streams.
func (w *Words) EventsSeen(n int) string { return fmt.Sprintf(w.Sentences.EventsSeen, n) }

// Dropped says how much of the traffic was let go unread.
func (w *Words) Dropped(size string) string { return fmt.Sprintf(w.Sentences.Dropped, size) }

// Memory says how much of the memory is used; of is "" without a bound.
func (w *Words) Memory(used, of string) string {
	if of == "" {
		return fmt.Sprintf(w.Sentences.Memory, used)
	}
	return fmt.Sprintf(w.Sentences.MemoryOf, used, of)
}

// Spilled says how much was put on disk.
func (w *Words) Spilled(size string) string { return fmt.Sprintf(w.Sentences.Spilled, size) }

// RowsForgotten says how many exchanges are gone altogether.
func (w *Words) RowsForgotten(n int) string { return fmt.Sprintf(w.Sentences.RowsForgotten, n) }

// Forgotten says how many bodies are gone.
func (w *Words) Forgotten(n int) string { return fmt.Sprintf(w.Sentences.Forgotten, n) }

// Hidden says how many rows are hidden.
func (w *Words) Hidden(n int) string { return fmt.Sprintf(w.Sentences.Hidden, n) }

// Recording names the file being written.
func (w *Words) Recording(name string) string { return fmt.Sprintf(w.Sentences.Recording, name) }
