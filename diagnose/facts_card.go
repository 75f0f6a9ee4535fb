package diagnose

import "a2ascope/decode"

// fillCard fills what a card of this exchange says.
func fillCard(k *CardFacts, a *decode.AgentCard) {
	k.Present = true
	k.Vocabulary, k.Extended, k.Name, k.Protocol, k.Preferred = a.Vocabulary, a.Extended, a.Name, a.Protocol, a.Preferred
	k.Streaming, k.PushNotes, k.ExtCard = string(a.Streaming), string(a.PushNotes), string(a.ExtCard)
	k.Secured, k.Signed, k.At = a.Secured, a.Signatures > 0, string(a.At)
	for i := range a.Interfaces {
		e := &a.Interfaces[i]
		k.Interfaces = append(k.Interfaces, firstOf(e.Binding, "-")+" "+firstOf(e.RawVer, "-")+" "+firstOf(e.URL, "-"))
		k.Bindings = addOnce(k.Bindings, e.Binding)
		k.Versions = addOnce(k.Versions, e.Version)
		if e.From == "supportedInterfaces" {
			k.Entries++
		}
		switch generation(e.Version) {
		case "1.0":
			k.HasV10 = true
		case "0.3":
			k.HasV03 = true
		}
	}
	duplicates(k, a)
}

// duplicates finds bindings that supportedInterfaces lists with different
// versions, and whether an older one stands first.
func duplicates(k *CardFacts, a *decode.AgentCard) {
	for i := range a.Interfaces {
		e := &a.Interfaces[i]
		if e.From != "supportedInterfaces" || e.Version == "" {
			continue
		}
		for j := i + 1; j < len(a.Interfaces); j++ {
			o := &a.Interfaces[j]
			if o.From != "supportedInterfaces" || o.Binding != e.Binding || o.Version == "" || o.Version == e.Version {
				continue
			}
			k.Duplicate = addOnce(k.Duplicate, e.Binding)
			if older(e.Version, o.Version) && !contains(k.OldFirst, e.Binding) {
				if len(k.OldFirst) == 0 {
					k.OldAt, k.NewAt = string(e.At), string(o.At)
					k.OldVersion, k.NewVersion = e.Version, o.Version
				}
				k.OldFirst = append(k.OldFirst, e.Binding)
			}
		}
	}
}

// older compares Major.Minor numbers; what is no number is not older.
func older(a, b string) bool {
	am, an, ok1 := parts(a)
	bm, bn, ok2 := parts(b)
	return ok1 && ok2 && (am < bm || am == bm && an < bn)
}

func parts(v string) (major, minor int, ok bool) {
	dot := -1
	n := 0
	for i := 0; i < len(v); i++ {
		c := v[i]
		switch {
		case c == '.' && dot < 0 && i > 0:
			dot, major, n = i, n, 0
		case c >= '0' && c <= '9' && n < 1<<20:
			n = n*10 + int(c-'0')
		default:
			return 0, 0, false
		}
	}
	return major, n, dot > 0 && dot < len(v)-1
}
