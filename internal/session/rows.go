package session

import "iter"

// RowsOf makes a list of ready rows, for readers that have no session (tests, benchmarks).
func RowsOf(rows []*Row) Rows {
	var r Rows
	r.n = len(rows)
	for _, row := range rows {
		if row.Forgotten {
			r.forgotten++
		}
	}
	for i := 0; i < len(rows); i += rowChunk {
		r.chunks = append(r.chunks, rows[i:min(i+rowChunk, len(rows)):min(i+rowChunk, len(rows))])
	}
	return r
}

// Chunks returns the number of pieces the list consists of.
func (r Rows) Chunks() int { return len(r.chunks) }

// Chunk returns a piece: rows [i*n, i*n+len) of the list, where n is the length of the first.
func (r Rows) Chunk(i int) []*Row { return r.chunks[i] }

// Since yields the rows that are new or other ones than in an earlier list, each
// with what stood there before, nil where nothing did.
func (r Rows) Since(old Rows) iter.Seq2[*Row, *Row] {
	return func(yield func(was, row *Row) bool) {
		at := 0
		for c, rows := range r.chunks {
			if r.SameChunk(old, c) {
				at += len(rows)
				continue
			}
			for _, row := range rows {
				var was *Row
				if at < old.n {
					was = old.At(at)
				}
				at++
				if was != row && !yield(was, row) {
					return
				}
			}
		}
	}
}

// SameChunk reports whether a piece is the same in both lists, without looking at its rows.
func (r Rows) SameChunk(o Rows, i int) bool {
	if i >= len(r.chunks) || i >= len(o.chunks) {
		return false
	}
	a, b := r.chunks[i], o.chunks[i]
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
