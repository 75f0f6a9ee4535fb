package diagnose

import "iter"

// shelf is a bounded map: what was not touched for longest is forgotten first.
type shelf[K comparable, V any] struct {
	max            int
	items          map[K]*slot[K, V]
	oldest, newest *slot[K, V]
	spare          []*slot[K, V] // memory for the next entries
	forgotten      int           // how many had to go
}

type slot[K comparable, V any] struct {
	key          K
	value        V
	older, newer *slot[K, V]
}

func newShelf[K comparable, V any](max int) *shelf[K, V] {
	return &shelf[K, V]{max: max, items: make(map[K]*slot[K, V])}
}

// find returns what is kept under the key and marks it as used, or nil.
func (s *shelf[K, V]) find(k K) *V {
	x := s.items[k]
	if x == nil {
		return nil
	}
	s.touch(x)
	return &x.value
}

// take returns what is kept under the key, a new zero value where there was
// none, and marks it as used. A pointer stays valid when its entry is forgotten.
func (s *shelf[K, V]) take(k K) (v *V, fresh bool) {
	if x := s.items[k]; x != nil {
		s.touch(x)
		return &x.value, false
	}
	if len(s.items) >= s.max {
		s.forget(s.oldest)
		s.forgotten++
	}
	x := s.slot()
	x.key = k
	s.items[k] = x
	s.append(x)
	return &x.value, true
}

// slot returns one for a new entry.
func (s *shelf[K, V]) slot() *slot[K, V] {
	if n := len(s.spare) - 1; n >= 0 {
		x := s.spare[n]
		s.spare = s.spare[:n]
		return x
	}
	return &slot[K, V]{}
}

// maxSpare is how many entries that were retired wait for new ones: as many as
// end between the beginnings of others, usually.
const maxSpare = 64

// retire forgets an entry to whose value nobody has a pointer any more: a later
// entry takes its memory.
func (s *shelf[K, V]) retire(x *slot[K, V]) {
	s.forget(x)
	if len(s.spare) < maxSpare {
		*x = slot[K, V]{}
		s.spare = append(s.spare, x)
	}
}

// drop forgets the key.
func (s *shelf[K, V]) drop(k K) {
	if x := s.items[k]; x != nil {
		s.forget(x)
	}
}

func (s *shelf[K, V]) len() int { return len(s.items) }

// all yields what is kept, least recently used first. Nothing may be added meanwhile.
func (s *shelf[K, V]) all() iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) {
		for x := s.oldest; x != nil; {
			next := x.newer
			if !yield(x.key, &x.value) {
				return
			}
			x = next
		}
	}
}

func (s *shelf[K, V]) touch(x *slot[K, V]) {
	if x != s.newest {
		s.unlink(x)
		s.append(x)
	}
}

func (s *shelf[K, V]) forget(x *slot[K, V]) {
	delete(s.items, x.key)
	s.unlink(x)
}

func (s *shelf[K, V]) append(x *slot[K, V]) {
	x.older, x.newer = s.newest, nil
	if s.newest != nil {
		s.newest.newer = x
	} else {
		s.oldest = x
	}
	s.newest = x
}

func (s *shelf[K, V]) unlink(x *slot[K, V]) {
	if x.older != nil {
		x.older.newer = x.newer
	} else {
		s.oldest = x.newer
	}
	if x.newer != nil {
		x.newer.older = x.older
	} else {
		s.newest = x.older
	}
	x.older, x.newer = nil, nil
}
