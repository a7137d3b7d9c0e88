package news

import (
	"time"

	"tidings"
)

// Supersedes reports whether an item as of b replaces it as of a: the same GUID with a higher version, or with the same
// version revised later. It is the rule of NewsML-G2: of several versions of an item the highest counts.
func Supersedes(a, b tidings.News) bool { return b.Supersedes(&a) }

// Reason says why an item is not shown.
type Reason string

// The reasons, the strongest first.
const (
	Canceled  Reason = "canceled"  // its publisher has withdrawn it for good
	Withheld  Reason = "withheld"  // its publisher has withdrawn it until a later version is usable
	Embargoed Reason = "embargoed" // it is not to be shown before News.Embargo
	Expired   Reason = "expired"   // it is not to be shown from News.Expires on
)

// Shown reports whether an item may be shown now, and if not, why. An item is shown from the moment of its embargo on,
// and is not shown any more at the moment at which it expires.
func Shown(n tidings.News, now time.Time) (bool, Reason) {
	switch {
	case n.Status == tidings.Canceled:
		return false, Canceled
	case n.Status == tidings.Withheld:
		return false, Withheld
	case now.Before(n.Embargo):
		return false, Embargoed
	case !n.Expires.IsZero() && !now.Before(n.Expires):
		return false, Expired
	}
	return true, ""
}
