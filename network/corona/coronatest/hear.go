package coronatest

import (
	"tidings/network/corona"
	"tidings/network/sim/check"
)

// Hear tells checkers what Corona traces.
func Hear(event any, tell func(check.Event)) {
	switch e := event.(type) {
	case corona.Numbered:
		tell(check.Published{Topic: e.Channel, Version: e.Version, Content: NameOf(e.Hash)})
	case corona.Delivered:
		tell(check.Delivered{Topic: e.Channel, Version: e.Version, Content: NameOf(e.Hash)})
	}
}
