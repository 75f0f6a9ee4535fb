package diagnose

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The shelf must behave like a list ordered by last use, for any sequence.
func TestShelfForgetsWhatWasNotUsedLongest(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		const max = 7
		s := newShelf[int, int](max)
		var want []int // keys, oldest use first
		for range 400 {
			k := r.IntN(15)
			switch r.IntN(4) {
			case 0:
				got := s.find(k)
				if (got != nil) != slices.Contains(want, k) {
					t.Fatalf("seed %d: find(%d) = %v, kept %v", seed, k, got, want)
				}
				if got != nil {
					want = append(without(want, k), k)
				}
			case 1:
				if x := s.items[k]; x != nil && r.IntN(2) == 0 {
					s.retire(x)
				} else {
					s.drop(k)
				}
				want = without(want, k)
			default:
				v, fresh := s.take(k)
				if fresh == slices.Contains(want, k) {
					t.Fatalf("seed %d: take(%d) fresh=%v, kept %v", seed, k, fresh, want)
				}
				if held := map[bool]int{true: 0, false: k}[fresh]; *v != held {
					t.Fatalf("seed %d: take(%d) holds %d", seed, k, *v)
				}
				*v = k
				want = append(without(want, k), k)
				if len(want) > max {
					want = want[1:]
				}
			}
			var got []int
			for k := range s.all() {
				got = append(got, k)
			}
			if !slices.Equal(got, want) || s.len() != len(want) {
				t.Fatalf("seed %d: kept %v, want %v", seed, got, want)
			}
		}
	}
}

func without(list []int, k int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(x int) bool { return x == k })
}
