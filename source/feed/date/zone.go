package date

import (
	"regexp"
	"sync"
	"time"

	_ "time/tzdata" // a feed's dates must mean the same on machines without a tz database; it adds 450 kB
)

// zoneName is the name of a zone of the tz database, or of an older alias.
var zoneName = regexp.MustCompile(`^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US)(?:/[A-Za-z0-9_+-]+){1,2}`)

// loadedZones are the zones that were met, by name. There are about 600.
var loadedZones sync.Map

// namedZone reads a name such as Europe/Berlin at the start of s and returns its length, 0 if there is none.
func (p *parts) namedZone(s string) int {
	name := zoneName.FindString(s)
	if name == "" {
		return 0
	}
	zone, ok := loadedZones.Load(name)
	if !ok {
		loaded, err := time.LoadLocation(name)
		if err != nil {
			return 0
		}
		zone, _ = loadedZones.LoadOrStore(name, loaded)
	}
	p.zone = zone.(*time.Location)
	return len(name)
}

// isOffset reports whether the sign at i begins a zone's offset. Without a time before it, only four digits
// that can be one do.
func (p *parts) isOffset(s string, i int) bool {
	v, n := digits(s[i+1:])
	if n == 0 || p.hasOffset {
		return false
	}
	isYear := n == 4 && v >= 1500
	if p.hasTime {
		return !(isYear && p.year == 0)
	}
	return n == 4 && !isYear && v%100 < 60 && i > 0 && s[i-1] == ' ' && (p.year > 0 || len(p.loose) > 0)
}

// zoneOffset reads +02:00, -0500, +2.
func (p *parts) zoneOffset(s string) int {
	v, n := digits(s[1:])
	h, m := v, 0
	switch {
	case n <= 2 && n+2 < len(s) && s[n+1] == ':' && isDigit(s[n+2]):
		var mn int
		m, mn = digits(s[n+2:])
		n += 1 + mn
	case n == 3 || n == 4:
		h, m = v/100, v%100
	case n > 4:
		return 0
	}
	if h > 23 || m > 59 {
		return n + 1 // no such zone: UTC
	}
	p.offset = time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if s[0] == '-' {
		p.offset = -p.offset
	}
	p.hasZone, p.hasOffset = true, true
	return n + 1
}

// zones are the named zones, hours east of Greenwich.
var zones = map[string]float64{
	"z": 0, "ut": 0, "utc": 0, "gmt": 0, "wet": 0, "west": 1, "bst": 1, "ist": 5.5,
	"cet": 1, "cest": 2, "met": 1, "mest": 2, "mez": 1, "mesz": 2, "eet": 2, "eest": 3, "msk": 3, "msd": 4,
	"ast": -4, "adt": -3, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
	"at": -4, "et": -5, "ct": -6, "mt": -7, "pt": -8, "akst": -9, "akdt": -8, "hst": -10,
	"nst": -3.5, "ndt": -2.5, "jst": 9, "kst": 9, "hkt": 8, "sgt": 8, "awst": 8, "acst": 9.5, "aest": 10, "aedt": 11,
	"nzst": 12, "nzdt": 13, "a": -1, "n": 1, "m": -12, "y": 12,
}
