package sharing

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/source"
	"tidings/view"
)

// check fails a test if what is known of a channel contradicts itself.
func check(t interface {
	Helper()
	Errorf(string, ...any)
}, c *Channel) {
	t.Helper()
	for what, holds := range map[string]bool{
		"a version has a hash":                            (c.Version == 0) == (c.Hash == corona.Hash{}),
		"what is unseen was here":                         c.unseen == corona.Hash{} || c.Content != corona.Hash{},
		"what is withheld was reported no more than once": !c.withheld || c.times == 1,
		"a brief report is of the content to be reported": c.first == nil || c.first.Hash == c.hash,
		"counts are not negative":                         c.Readers >= 0 && c.Told >= 0 && c.times >= 0,
		"a channel that is assigned has a slot":           !c.Assigned || !c.Slot.IsZero(),
		"an idle channel is not shared":                   !c.idle() || !c.isShared(),
	} {
		if !holds {
			t.Errorf("it does not hold that %s: %+v", what, *c)
		}
	}
}

// Whatever happens to a channel, in whatever order, what is known of it does not contradict itself. Its version never
// falls, and it is forgotten when nothing is wanted of it.
func TestWhateverHappensToAChannel(t *testing.T) {
	const url = "https://example.org/feed"
	rapid.Check(t, func(rt *rapid.T) {
		table, id, now := NewTable(), engine.ID(tidings.IDOf(url)), time.Unix(1<<30, 0)
		terms := Terms{Interval: time.Hour, Maintenance: time.Hour}
		anyHash := rapid.Map(rapid.ByteRange(1, 4), func(b byte) corona.Hash { return corona.Hash{b} })
		does := func(alter func(*rapid.T, *Channel)) func(*rapid.T) {
			return func(rt *rapid.T) { table.Alter(id, func(c *Channel) { alter(rt, c) }) }
		}
		var last uint64
		rt.Repeat(map[string]func(*rapid.T){
			"follow": func(rt *rapid.T) {
				table.Add(url, func(c *Channel) { c.Readers = rapid.IntRange(0, 2).Draw(rt, "readers") })
			},
			"assign": func(rt *rapid.T) {
				table.Add(url, func(c *Channel) { c.Assign(source.Slot{Interval: time.Hour}) })
			},
			"relay":   func(*rapid.T) { table.Add(url, func(c *Channel) { c.Relayed = true }) },
			"end":     does(func(_ *rapid.T, c *Channel) { c.Unassign() }),
			"release": does(func(_ *rapid.T, c *Channel) { c.Release() }),
			"stop":    does(func(_ *rapid.T, c *Channel) { c.Stop() }),
			"subscribe": does(func(_ *rapid.T, c *Channel) {
				if c.Subscribed(c.Readers); c.Told == 0 && c.Acked {
					rt.Error("the owners of what is not followed know that it is")
				}
			}),
			"acknowledge": does(func(rt *rapid.T, c *Channel) {
				if _, offer := c.Acknowledge(rapid.Bool().Draw(rt, "acked"),
					rapid.Uint64Range(0, 2).Draw(rt, "owned")); offer {
					c.Offer()
				}
			}),
			"suspect": does(func(rt *rapid.T, c *Channel) {
				c.Suspect(rapid.SampledFrom([]corona.Suspicion{corona.Trusted, corona.Denied, corona.Silent}).Draw(rt,
					"why"))
			}),
			"number": does(func(rt *rapid.T, c *Channel) {
				c.Number(rapid.Uint64Range(1, 9).Draw(rt, "version"), anyHash.Draw(rt, "hash"))
			}),
			"receive": does(func(rt *rapid.T, c *Channel) { c.Receive(anyHash.Draw(rt, "hash")) }),
			"verify":  does(func(_ *rapid.T, c *Channel) { c.Verify(now) }),
			"poll": does(func(rt *rapid.T, c *Channel) {
				now = now.Add(time.Duration(rapid.IntRange(1, 5).Draw(rt, "hours")) * time.Hour)
				p := Poll{Terms: terms, Began: now, Ended: now, Read: rapid.Bool().Draw(rt, "read"),
					Hash: anyHash.Draw(rt, "hash")}
				if rapid.Bool().Draw(rt, "brief") {
					p.Brief = new(corona.Update)
				}
				r := c.Polled(p)
				if c.Verified(now); r.Update != nil && (r.Whole || r.Update.Hash == r.Update.Base) {
					rt.Errorf("reported is %+v", r)
				}
			}),
			"drop": func(rt *rapid.T) {
				c, before := table.Get(id)
				table.Drop(id)
				_, after := table.Get(id)
				if after != (before && !c.idle()) {
					rt.Errorf("of %+v is left %v", c, after)
				}
				if !after {
					last = 0
				}
			},
			"": func(rt *rapid.T) {
				table.Alter(id, func(c *Channel) {
					if check(rt, c); c.Version < last || c.ID != id || c.URL != url {
						rt.Errorf("version %d became %+v", last, *c)
					}
					last = c.Version
				})
			},
		})
	})
}

// What primaries have said counts for some maintenance intervals, and they are asked again only after some seconds.
func TestPrimariesAreAskedSeldom(t *testing.T) {
	const url = "https://example.org/feed"
	table, id, now := NewTable(), engine.ID(tidings.IDOf(url)), time.Now()
	terms := Terms{Interval: time.Hour, Maintenance: time.Hour}
	if ask, _ := table.ToAsk([]engine.ID{id}, now); len(ask) != 0 {
		t.Error("of an unknown channel is asked")
	}
	table.Add(url, func(c *Channel) { c.Readers, c.Acked = 3, true })
	if ask, unknown := table.ToAsk([]engine.ID{id}, now); len(ask) != 1 || len(unknown) != 1 ||
		!table.Unknown(unknown) {
		t.Errorf("asked is %v, unknown are %v", ask, unknown)
	}
	if ask, _ := table.ToAsk([]engine.ID{id}, now.Add(factsFresh-1)); len(ask) != 0 {
		t.Error("it is asked again at once")
	}
	table.Alter(id, func(c *Channel) { c.Answer(corona.Fact{Pollers: 4, Readers: 9, Interval: 60_000}, now) })
	if table.Unknown([]engine.ID{id}) || len(table.Due(now.Add(time.Minute), time.Hour, 0)) != 0 ||
		len(table.Due(now.Add(time.Hour), time.Hour, 0)) != 1 {
		t.Error("the answer does not count")
	}
	for after, valid := range map[time.Duration]bool{0: true, factsLast*time.Hour - 1: true,
		factsLast * time.Hour: false} {
		followed := []tidings.Subscription{{Channel: tidings.Channel{URL: url, Privacy: tidings.Public}}}
		table.Describe(followed, terms, now.Add(after))
		if p := followed[0].Polling; (p != nil) != valid ||
			valid && (p.Nodes != 4 || p.Readers != 9 || p.Interval != time.Minute) {
			t.Errorf("after %v: %+v", after, p)
		}
		others, readers := table.Spared(time.Hour, terms, now.Add(after))
		if want := map[bool]float64{true: 240, false: 0}[valid]; others != want ||
			readers != map[bool]float64{true: 180, false: 3}[valid] {
			t.Errorf("after %v others poll %v, readers would %v", after, others, readers)
		}
	}
}

// A channel is asked about once in factsFresh, however often people look at it meanwhile. What they asked for before
// the owners knew that it is followed does not count.
func TestRequestsThatAreNotSentPutOffNone(t *testing.T) {
	const url = "https://example.org/feed"
	table, id, now := NewTable(), engine.ID(tidings.IDOf(url)), time.Now()
	asks := func(after time.Duration) bool {
		ask, _ := table.ToAsk([]engine.ID{id}, now.Add(after))
		return len(ask) == 1
	}
	table.Add(url, func(c *Channel) { c.Readers = 1 })
	if asks(0) {
		t.Error("of a channel that the owners do not know is asked")
	}
	table.Alter(id, func(c *Channel) { c.Acknowledge(true, 0) })
	if !asks(time.Second) {
		t.Error("a request that was not sent puts off the first")
	}
	if asks(factsFresh) || !asks(time.Second+factsFresh) {
		t.Error("it is not asked again as soon as the facts are not fresh any more")
	}
}

// A channel is due if the owners know that it is followed here, its primary has reported nothing for long, and it was
// not asked just now.
func TestChannelsThatAreDue(t *testing.T) {
	const url = "https://example.org/feed"
	now := time.Now()
	for name, c := range map[string]struct {
		alter func(*Channel)
		due   bool
	}{
		"silent":         {func(*Channel) {}, true},
		"unacknowledged": {func(c *Channel) { c.Acked = false }, false},
		"without readers": {func(c *Channel) {
			c.Readers, c.Told = 0, 1
		}, false},
		"reported":        {func(c *Channel) { c.Answer(corona.Fact{}, now.Add(1-time.Hour)) }, false},
		"reported before": {func(c *Channel) { c.Answer(corona.Fact{}, now.Add(-time.Hour)) }, true},
		"asked":           {func(c *Channel) { c.asked = now.Add(1 - time.Minute) }, false},
		"asked before":    {func(c *Channel) { c.asked = now.Add(-time.Minute) }, true},
	} {
		table := NewTable()
		table.Add(url, func(ch *Channel) {
			ch.Readers, ch.Acked = 1, true
			c.alter(ch)
		})
		if due := len(table.Due(now, time.Hour, time.Minute)) == 1; due != c.due {
			t.Errorf("%s: due %v", name, due)
		}
	}
}

// Once the network has stopped no channel is polled for others, or by others.
func TestNothingIsSharedAfterTheNetworkHasStopped(t *testing.T) {
	table, id := NewTable(), engine.ID(tidings.IDOf("https://example.org/a"))
	table.Add("https://example.org/a", func(c *Channel) { c.Readers, c.Acked = 1, true })
	table.Add("https://example.org/b", func(c *Channel) { c.Assign(source.Slot{Interval: time.Hour}) })
	if w := table.Counts(); w.ByOthers != 1 || w.ForOthers != 1 || table.Means(id, false) != ByOwners {
		t.Fatalf("before: %+v", w)
	}
	table.Each((*Channel).Stop)
	if w := table.Counts(); w != (view.CoopChannels{}) || table.Means(id, false) != NoMeans {
		t.Errorf("after: %+v, updates come by %v", w, table.Means(id, false))
	}
}

// A number that is lower than the held one, and a second content for the same number, change nothing.
func TestTheHeldVersionNeverFalls(t *testing.T) {
	var h Holding
	for _, c := range []struct {
		version, want uint64
		hash          byte
	}{{5, 5, 5}, {4, 5, 4}, {5, 5, 6}, {9, 9, 9}, {5, 9, 5}, {9, 9, 8}} {
		h.Number(c.version, corona.Hash{c.hash})
		if h.Version != c.want || h.Hash != (corona.Hash{byte(c.want)}) {
			t.Errorf("after %d: version %d of %x", c.version, h.Version, h.Hash[0])
		}
	}
}
