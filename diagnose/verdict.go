package diagnose

import (
	"slices"

	"a2ascope/capture"
)

// VersionVerdict is the table "how a server reads A2A-Version" (1.0 §3.6.2,
// §14.2.1) applied to one request: what had to happen, and what did.
type VersionVerdict struct {
	Sent     string   // the value, "" when absent or empty
	Exposes  []string // versions of the interface: those its card entry declares, else those it showed before
	Declared bool     // Exposes is what a card declares; without one there may be more than was shown
	Expected Treatment
	Did      Treatment
}

// Treatment of a request by its version.
type Treatment string

// The treatments.
const (
	AsOld       Treatment = "0.3"         // with 0.3 semantics
	AsNew       Treatment = "1.0"         // with 1.0 semantics
	Refuse      Treatment = "refused"     // with VersionNotSupportedError
	OldOrRefuse Treatment = "0.3-refused" // with 0.3 semantics, or refused where 0.3 is not offered: the card would say which
	Undefined   Treatment = "undefined"   // the specification does not say
	Ignored     Treatment = "ignored"     // a 0.3 server knows no version header
	NotKnown    Treatment = ""            // too little was seen
	Otherwise   Treatment = "other"       // failed for another reason
)

// Agrees reports whether what happened is what had to; true where nothing can be said.
func (v *VersionVerdict) Agrees() bool {
	switch v.Expected {
	case NotKnown, Undefined:
		return true
	case Ignored:
		return v.Did != Refuse
	case OldOrRefuse:
		return v.Did != AsNew
	}
	return v.Did == NotKnown || v.Did == Otherwise || v.Did == v.Expected
}

// VersionRow counts equal verdicts of a pair.
type VersionRow struct {
	VersionVerdict
	Count int
	First capture.ExchangeID
}

// like reports whether v is one more of the same.
func (r *VersionRow) like(v *VersionVerdict) bool {
	switch {
	case r.Sent != v.Sent || r.Did != v.Did || r.Declared != v.Declared:
		return false
	case !v.Declared:
		return r.Agrees() == v.Agrees()
	}
	return r.Expected == v.Expected && slices.Equal(r.Exposes, v.Exposes)
}

// verdict judges the version header of a call that was answered; nil when it is none.
func verdict(f *Facts) *VersionVerdict {
	c := f.Call
	if c.Kind != "call" || c.Outcome == "" || c.Declared.Presence == "unknown" {
		return nil
	}
	v := &VersionVerdict{Sent: c.Declared.Raw}
	if i := f.Iface; i.Exact && len(i.Versions) > 0 {
		v.Exposes, v.Declared = slices.Clone(i.Versions), true
		v.Expected = expected(c.Declared, i.HasV03, i.HasV10)
	} else {
		v.Exposes = slices.Clone(i.Answered)
		v.Expected = expectedUnseen(c.Declared, i.ServedV03, i.ServedV10)
	}
	switch {
	case c.Fault.Version:
		v.Did = Refuse
	case c.OK && c.Response.Likely && c.Response.Gen == "0.3":
		v.Did = AsOld
	case c.OK && c.Response.Likely && c.Response.Gen == "1.0":
		v.Did = AsNew
	case c.Failed:
		v.Did = Otherwise
	}
	return v
}

// expected is the table for an interface whose entry in the card was seen.
func expected(d *DeclaredFacts, old, young bool) Treatment {
	switch {
	case !old && !young:
		return NotKnown
	case old && !young && d.Set:
		return Ignored
	case d.Missing && old, d.Gen == "0.3" && old && !d.Patch:
		return AsOld
	case d.Missing, d.Gen == "0.3" && !d.Patch:
		return Refuse
	case d.Patch:
		return Undefined
	case d.Version == "1.0" && young:
		return AsNew
	}
	return Refuse
}

// expectedUnseen is the table where no card says which versions the interface
// has: what answers showed it has; what it does not have, only a card could say.
func expectedUnseen(d *DeclaredFacts, old, young bool) Treatment {
	switch {
	case (d.Missing || d.Version == "0.3") && !d.Patch && old:
		return AsOld
	case d.Missing, d.Version == "0.3" && !d.Patch:
		return OldOrRefuse
	case d.Patch && young:
		return Undefined
	case d.Version == "1.0" && !d.Patch && young:
		return AsNew
	}
	return NotKnown
}
