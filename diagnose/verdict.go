package diagnose

import (
	"slices"

	"a2ascope/capture"
)

// VersionVerdict is the table "how a server reads A2A-Version" (1.0 §3.6.2,
// §14.2.1) applied to one request: what had to happen, and what did.
type VersionVerdict struct {
	Sent     string   // the value, "" when absent or empty
	Exposes  []string // versions of the interface, as far as known
	Expected Treatment
	Did      Treatment
}

// Treatment of a request by its version.
type Treatment string

// The treatments.
const (
	AsOld     Treatment = "0.3"       // with 0.3 semantics
	AsNew     Treatment = "1.0"       // with 1.0 semantics
	Refuse    Treatment = "refused"   // with VersionNotSupportedError
	Undefined Treatment = "undefined" // the specification does not say
	Ignored   Treatment = "ignored"   // a 0.3 server knows no version header
	NotKnown  Treatment = ""          // too little was seen
	Otherwise Treatment = "other"     // failed for another reason
)

// Agrees reports whether what happened is what had to; true where nothing can be said.
func (v *VersionVerdict) Agrees() bool {
	switch v.Expected {
	case NotKnown, Undefined:
		return true
	case Ignored:
		return v.Did != Refuse
	}
	return v.Did == NotKnown || v.Did == Otherwise || v.Did == v.Expected
}

// VersionRow counts equal verdicts of a pair.
type VersionRow struct {
	VersionVerdict
	Count int
	First capture.ExchangeID
}

// verdict judges the version header of a call that was answered; nil when it is none.
func verdict(f *Facts) *VersionVerdict {
	c := f.Call
	if c.Kind != "call" || c.Outcome == "" {
		return nil
	}
	v := &VersionVerdict{Sent: c.Declared.Raw, Exposes: f.Iface.Versions}
	old, young := f.Iface.HasV03, f.Iface.HasV10
	if len(v.Exposes) == 0 && f.Iface.Speaks != "" {
		old, young = f.Iface.Speaks != "1.0", f.Iface.Speaks != "0.3"
		v.Exposes = []string{f.Iface.Speaks}
		if f.Iface.Speaks == "both" {
			v.Exposes = []string{"0.3", "1.0"}
		}
	} else {
		v.Exposes = slices.Clone(v.Exposes)
	}
	v.Expected = expected(c.Declared, old, young)
	switch {
	case c.Fault.Version:
		v.Did = Refuse
	case c.OK && c.Response.Gen == "0.3":
		v.Did = AsOld
	case c.OK && c.Response.Gen == "1.0":
		v.Did = AsNew
	case c.Failed:
		v.Did = Otherwise
	}
	return v
}

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
