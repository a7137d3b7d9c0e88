package coronatest

import (
	"tidings/network/corona"
	"tidings/network/sim/check"
)

// observe reports to checkers what Corona traces.
func observe(event any, report func(check.Event)) {
	switch e := event.(type) {
	case corona.Numbered:
		report(check.Published{Topic: e.Channel, Version: e.Version, Content: NameOf(e.Hash)})
	case corona.Delivered:
		report(check.Delivered{Topic: e.Channel, Version: e.Version, Content: NameOf(e.Hash)})
	}
}
