package coronatest

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/sim"
)

// Origin is the web servers of a world: all channels, their contents, and the requests with their nodes and times.
type Origin struct {
	world    *sim.World
	chance   *rand.Rand
	channels map[engine.ID]*document
	added    []corona.Channel // in the order of Add
	requests []Request        // in the order of time
	served   func(n sim.Node, channel engine.ID, content string)
	epoch    time.Time
}

// document is one channel at its origin.
type document struct {
	channel   corona.Channel
	contents  []string // all contents so far, the oldest first
	changed   time.Duration
	behaviour Behaviour
}

// Behaviour is what an origin does besides serving the latest content. The zero value does nothing else.
type Behaviour struct {
	// Noisy makes every reply differ from all others.
	Noisy bool

	// Stale is the chance that a reply comes from a mirror that still has the content before the latest.
	Stale float64

	// Down leaves all requests unanswered.
	Down bool

	// Wait refuses each request, and asks for a pause of Wait (429 with Retry-After).
	Wait time.Duration

	// Interval is the announced least time between polls (ttl).
	Interval time.Duration

	// Dated makes replies say when the content changed, to the second (Last-Modified).
	Dated bool

	// See, if not nil, is what a node is served in place of content.
	See func(n sim.Node, content string) string
}

// Request is one request that an origin got.
type Request struct {
	At      time.Duration
	Node    sim.Node
	Channel corona.Channel
}

// Reply is what an origin answers. Content counts only if OK.
type Reply struct {
	OK       bool
	Content  string
	Modified time.Duration // since the world began; 0: the origin does not say
	Wait     time.Duration
	Interval time.Duration
}

func newOrigin(w *sim.World, epoch time.Time, served func(sim.Node, engine.ID, string)) *Origin {
	return &Origin{
		world: w, epoch: epoch, chance: rand.New(rand.NewPCG(w.Seed(), 0x0419)),
		channels: make(map[engine.ID]*document), served: served,
	}
}

// Add makes a channel with a first content, and returns it.
func (o *Origin) Add(url string) corona.Channel {
	c := corona.Channel{ID: engine.IDOf([]byte(url)), URL: url}
	if o.channels[c.ID] == nil {
		o.channels[c.ID] = &document{channel: c, contents: []string{"first of " + url}, changed: o.world.Now()}
		o.added = append(o.added, c)
	}
	return c
}

// Channels returns all channels in the order of Add.
func (o *Origin) Channels() []corona.Channel { return o.added }

// Content returns a channel's present content.
func (o *Origin) Content(channel engine.ID) string {
	d := o.channels[channel]
	return d.contents[len(d.contents)-1]
}

// Change sets a channel's content.
func (o *Origin) Change(channel engine.ID, content string) {
	d := o.channels[channel]
	d.contents = append(d.contents, content)
	d.changed = o.world.Now()
}

// ChangeEach has a channel's content change from now on, each time after what next draws from
// the world's chance.
func (o *Origin) ChangeEach(channel engine.ID, next func(chance *rand.Rand) time.Duration) {
	o.world.After(next(o.chance), func() {
		o.Change(channel, fmt.Sprintf("content %d of %s", len(o.channels[channel].contents), channel.Short()))
		o.ChangeEach(channel, next)
	})
}

// Poisson returns changes at random times, on average one each mean.
func Poisson(mean time.Duration) func(*rand.Rand) time.Duration {
	return func(chance *rand.Rand) time.Duration { return time.Duration(chance.ExpFloat64() * float64(mean)) }
}

// Regular returns changes every d.
func Regular(d time.Duration) func(*rand.Rand) time.Duration {
	return func(*rand.Rand) time.Duration { return d }
}

// Behave changes the behaviour of a channel's origin.
func (o *Origin) Behave(channel engine.ID, b Behaviour) { o.channels[channel].behaviour = b }

// Fetch is a request by a node, at this moment.
func (o *Origin) Fetch(n sim.Node, c corona.Channel) Reply {
	o.requests = append(o.requests, Request{o.world.Now(), n, c})
	d := o.channels[c.ID]
	if d == nil {
		return Reply{}
	}
	b := d.behaviour
	switch {
	case b.Down:
		return Reply{}
	case b.Wait > 0:
		return Reply{Wait: b.Wait}
	}
	content := d.contents[len(d.contents)-1]
	if len(d.contents) > 1 && b.Stale > 0 && o.chance.Float64() < b.Stale {
		content = d.contents[len(d.contents)-2]
	}
	if b.Noisy {
		content = fmt.Sprintf("%s, request %d", content, len(o.requests))
	}
	if b.See != nil {
		content = b.See(n, content)
	}
	o.served(n, c.ID, content)
	r := Reply{OK: true, Content: content, Interval: b.Interval}
	if b.Dated {
		r.Modified = d.changed.Truncate(time.Second)
	}
	return r
}

// Requests returns the requests for a channel from one time up to another, in their order.
func (o *Origin) Requests(channel engine.ID, from, to time.Duration) []Request {
	return o.those(from, to, func(r Request) bool { return r.Channel.ID == channel })
}

// HostRequests returns the requests that a host got from one time up to another, in their order.
func (o *Origin) HostRequests(host string, from, to time.Duration) []Request {
	return o.those(from, to, func(r Request) bool { return Host(r.Channel.URL) == host })
}

func (o *Origin) those(from, to time.Duration, is func(Request) bool) (found []Request) {
	for _, r := range o.requests {
		if r.At >= from && r.At < to && is(r) {
			found = append(found, r)
		}
	}
	return found
}

// Host returns the host of a canonical URL.
func Host(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// HashOf returns the hash of a content in all libraries.
func HashOf(content string) corona.Hash { return sha256.Sum256([]byte(content)) }

// NameOf returns the checkers' name of the content with a hash.
func NameOf(h corona.Hash) engine.ID { return engine.IDOf(h[:]) }

// wall returns the right calendar's time at a time since the world began.
func (o *Origin) wall(at time.Duration) time.Time { return o.epoch.Add(at) }
