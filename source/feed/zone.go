package feed

import (
	"regexp"
	"sync"
	"time"

	_ "time/tzdata" // a feed's dates must mean the same on machines without a tz database; it takes 450 kB
)

// zoneName is the name of a zone of the tz database, or of an older alias.
var zoneName = regexp.MustCompile(`^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US)(?:/[A-Za-z0-9_+-]+){1,2}`)

// loadedZones are the zones that were met, by name. There are some 600.
var loadedZones sync.Map

// namedZone takes a name such as Europe/Berlin at the start of s and returns its length, 0 if there is none.
func (p *dateParts) namedZone(s string) int {
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
