package decode

import (
	"strings"

	"a2ascope/decode/spec"
)

// order of the versions in sums, oldest first.
var order = [...]spec.Version{spec.V01, spec.V02, spec.V03, spec.V10Draft, spec.V10}

// sums adds evidence up per version.
type sums struct {
	total    [len(order)]Weight
	decisive [len(order)]bool
}

func (s *sums) add(v spec.Version, w Weight) {
	for i := range order {
		if order[i] == v {
			s.total[i] += w
			s.decisive[i] = s.decisive[i] || w >= Decisive
			return
		}
	}
}

// winner applies the tie rules: a decisive signal beats any sum of others, two
// decisive ones that disagree are mixed, and of equal sums the older version
// is taken for requests (a 0.3 reading never harms a 0.3 peer), none for
// answers.
func (s *sums) winner(lowerOnTie bool) (spec.Version, Weight) {
	best, decisive, tie := -1, 0, false
	for i := range order {
		if s.decisive[i] {
			decisive++
		}
	}
	if decisive > 1 {
		return spec.Mixed, Decisive
	}
	for i := range order {
		if s.total[i] == 0 || decisive == 1 && !s.decisive[i] {
			continue
		}
		switch {
		case best < 0 || s.total[i] > s.total[best]:
			best, tie = i, false
		case s.total[i] == s.total[best]:
			tie = true
		}
	}
	switch {
	case best < 0:
		return spec.NoVersion, 0
	case tie && !lowerOnTie:
		return spec.Mixed, s.total[best]
	}
	return order[best], s.total[best]
}

// resolve adds signals up to a fact.
func resolve(signals []Signal, lowerOnTie bool) VersionFact {
	var s sums
	young := false
	for i := range signals {
		s.add(spec.Version(signals[i].Says), signals[i].Weight)
		young = young || signals[i].Says == string(spec.V10) && signals[i].Weight >= Strong
	}
	// Lower-case roles are of 0.1 as much as of 0.3: they do not speak against 0.1.
	if s.total[0] > 0 && !young {
		for i := range signals {
			if signals[i].Why == "role-lower" || signals[i].Why == "state-lower" {
				s.total[2] -= signals[i].Weight
				s.total[0] += signals[i].Weight
			}
		}
	}
	v, w := s.winner(lowerOnTie)
	return VersionFact{Value: v, Sure: sureOf(w), Signals: signals}
}

func sureOf(w Weight) Sure {
	switch {
	case w >= Decisive:
		return Certain
	case w >= Strong:
		return Likely
	case w >= Medium:
		return Possible
	}
	return Unsure
}

// Weight returns the sum of the signals that speak for the fact's value.
func (f VersionFact) Weight() Weight {
	var w Weight
	for i := range f.Signals {
		if f.Signals[i].Says == string(f.Value) {
			w += f.Signals[i].Weight
		}
	}
	return w
}

// resolveRequest joins what the name and what the body of a request say.
// When both speak strongly and differ the request is mixed: a half-migrated
// client. A side without a strong signal gives way.
func resolveRequest(call, body VersionFact) VersionFact {
	if body.Value == spec.NoVersion {
		return call
	}
	if call.Value == spec.NoVersion {
		return body
	}
	all := make([]Signal, 0, len(call.Signals)+len(body.Signals))
	all = append(append(all, call.Signals...), body.Signals...)
	wc, wb := call.Weight(), body.Weight()
	switch {
	case call.Value == body.Value:
		return VersionFact{Value: call.Value, Sure: sureOf(wc + wb), Signals: all}
	case call.Value == spec.V02 && body.Value == spec.V03,
		call.Value == spec.V01 && body.Value == spec.V03,
		call.Value == spec.V01 && body.Value == spec.V02:
		// The JSON shapes of 0.3 are those of 0.2, and the words of 0.1 are among them.
		return VersionFact{Value: call.Value, Sure: sureOf(wc), Signals: all}
	case call.Value == spec.V03 && (body.Value == spec.V01 || body.Value == spec.V02):
		// tasks/get and its like have the same name since 0.1.
		return VersionFact{Value: body.Value, Sure: sureOf(wb), Signals: all}
	case wc >= Strong && wb >= Strong:
		return VersionFact{Value: spec.Mixed, Sure: sureOf(min(wc, wb)), Call: call.Value, Body: body.Value, Signals: all}
	case wb > wc:
		return VersionFact{Value: body.Value, Sure: sureOf(wb), Signals: all}
	}
	return VersionFact{Value: call.Value, Sure: sureOf(wc), Signals: all}
}

// majorMinor reads Major.Minor and Major.Minor.Patch; ok is false for everything else.
func majorMinor(raw string) (mm string, patch, ok bool) {
	dots, end, digits := 0, len(raw), 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '.' && digits > 0:
			dots++
			digits = 0
			if dots == 2 {
				end = i
			}
		case dots == 2 && digits > 0 && (c == '-' || c == '+'):
			return raw[:end], true, true // a pre-release or build mark behind the patch
		default:
			return "", false, false
		}
	}
	if digits == 0 || dots == 0 || dots > 2 {
		return "", false, false
	}
	return raw[:end], dots == 2, true
}

// versionOf returns the version a Major.Minor belongs to: itself.
func versionOf(raw string) spec.Version {
	mm, _, ok := majorMinor(strings.TrimSpace(raw))
	if !ok {
		return spec.NoVersion
	}
	return spec.Version(mm)
}
