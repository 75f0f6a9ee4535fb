package session

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// words are strings that come in many exchanges: method names, places, header
// values. A packed call has their numbers. Only the session's goroutine adds
// to them, anybody reads.
type words struct {
	list atomic.Pointer[[]string]

	numbers map[string]int
	bytes   int
	seed    maphash.Seed
	once    [1 << 12]uint32 // hashes of strings that came once, by a part of the hash
}

// Bounds of the words: A2A has some hundred, a session of many agents some
// thousand values of headers.
const (
	maxWord      = 128
	maxWords     = 1 << 14
	maxWordBytes = 1 << 20
)

func newWords() *words { return &words{numbers: map[string]int{}, seed: maphash.MakeSeed()} }

// number returns the number of a word. A string becomes one when it comes
// again: most of what comes once never does.
func (w *words) number(s string) (int, bool) {
	if len(s) < 2 || len(s) > maxWord {
		return 0, false
	}
	if n, ok := w.numbers[s]; ok {
		return n, true
	}
	h := maphash.String(w.seed, s)
	once := &w.once[h%uint64(len(w.once))]
	if *once != uint32(h>>32) || len(w.numbers) == maxWords || w.bytes+len(s) > maxWordBytes {
		*once = uint32(h >> 32)
		return 0, false
	}
	s = strings.Clone(s) // it may be a part of a body
	var list []string
	if old := w.list.Load(); old != nil {
		list = *old
	}
	n := len(list)
	list = append(list, s)
	w.list.Store(&list)
	w.numbers[s], w.bytes = n, w.bytes+len(s)
	return n, true
}

// at returns a word by its number.
func (w *words) at(n uint64) (string, bool) {
	list := w.list.Load()
	if list == nil || n >= uint64(len(*list)) {
		return "", false
	}
	return (*list)[n], true
}
