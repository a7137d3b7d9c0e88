package node

import (
	"cmp"
	"strings"
	"time"

	"tidings/network/corona"
	"tidings/source"
	"tidings/source/fetch"
	"tidings/view"
)

// plan returns how often origins are polled.
func (c Config) plan() fetch.Plan {
	p := fetch.DefaultPlan()
	p.Interval, p.Lab = c.Interval, c.LabOrigins
	return p
}

// fetching returns how origins are asked.
func (c Config) fetching() fetch.Config {
	f := fetch.Default()
	f.Version = Version
	f.MaxBody = c.BodyLimit
	f.AllowPrivate, f.Lab = c.AllowPrivateOrigins, c.LabOrigins
	for _, at := range c.Proxies {
		f.Proxies = append(f.Proxies, strings.ToLower(at))
	}
	if c.Contact != "" {
		f.Contact = c.Contact
	}
	return f
}

// schedule returns how many polls are made at a time. A lab's origin is the same
// machine's, and asks for no mercy.
func (c Config) schedule() source.Schedule {
	s := source.DefaultSchedule()
	s.Polls = c.Polls
	if c.LabOrigins {
		s.PerHost, s.Again = 0, 0
	}
	return s
}

// again returns the pause before a changed page is fetched once more.
func (c Config) again() time.Duration {
	if c.LabOrigins {
		return 50 * time.Millisecond // the next state of a replay may be near
	}
	return time.Second
}

// importPace returns the pause between the first polls of channels that were added together.
func (c Config) importPace() time.Duration {
	if c.LabOrigins {
		return 0
	}
	return 100 * time.Millisecond
}

// leastTogether is the shortest interval at which nodes poll together. A lab can have shorter ones,
// for nodes that poll alone.
const leastTogether = 2 * time.Second

// maxPolled is how many channels this node polls for the network: about 70 polls a second, by default.
const maxPolled = 1 << 17

// corona returns how nodes poll together by this node's settings. All its times follow the interval, so a network can
// run faster in a lab.
func (c Config) corona() corona.Config {
	own := corona.Default().Paced(max(c.Interval, leastTogether))
	own.Policy, own.MaxPolled, own.LeastInterval = c.Policy, maxPolled, MinInterval
	if c.LabOrigins {
		own.LeastInterval = leastTogether
	}
	own.LoadInPolls = true // most polls are answered by 304, regardless of the document's length
	own.HostCeiling, own.Witnesses = c.HostCeiling, c.Witnesses
	own.Volunteers = c.Polling == view.PollingVolunteer
	own.Router = c.Router
	own.DirectUpTo = cmp.Or(c.DirectUpTo, own.DirectUpTo)
	return own
}
