package roster

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// notingHost notes what a roster asks and reports.
type notingHost struct {
	testHost
	compared []uint64
	routed   bool
	routes   []bool // that acknowledgements say
	silent   []bool
}

func (h *notingHost) Compared(_ *Owned, version uint64) { h.compared = append(h.compared, version) }
func (h *notingHost) Routed(*Owned) bool                { return h.routed }
func (h *notingHost) Acknowledged(_ engine.Peer, _ Acknowledgement, routed bool) {
	h.routes = append(h.routes, routed)
}
func (h *notingHost) Silent(_ engine.ID, silent bool) { h.silent = append(h.silent, silent) }

// manyOf returns subscriptions of that many nodes to the news.
func manyOf(count int, outside string) (list []Subscription) {
	for i := range count {
		list = append(list, Subscription{Node: enginetest.NewPeer(fmt.Sprintf("d%04x", i)), Outside: outside,
			Count: 1, Stamp: 1})
	}
	return list
}

// hold has the roster hold subscriptions to the news, as another owner sends them.
func (v *lone) hold(list []Subscription) {
	for part := range slices.Chunk(list, maxCopies) {
		v.copy(v.peers[1], part...)
	}
	v.env.Sent()
}

// Two owners hold the same if the sums, the version and the stamp are the same. Otherwise the requested one answers by
// its parts. The host learns each time which version the other has, of channels held here.
func TestEachFieldOfADigestCounts(t *testing.T) {
	for field, c := range map[string]struct {
		change func(d *Digest)
		same   bool
	}{
		"none":              {func(*Digest) {}, true},
		"Sum":               {func(d *Digest) { d.Sum++ }, false},
		"an older Version":  {func(d *Digest) { d.Version-- }, false},
		"a later Version":   {func(d *Digest) { d.Version++ }, false},
		"an older Stamp":    {func(d *Digest) { d.Stamp-- }, false},
		"a later Stamp":     {func(d *Digest) { d.Stamp++ }, false},
		"another Channel":   {func(d *Digest) { d.Channel[7]++ }, false},
		"Entries, unneeded": {func(d *Digest) { d.Entries++ }, true},
	} {
		host := new(notingHost)
		v := newLoneWith(host, nil, nil, "90")
		v.hold(manyOf(3, ""))
		v.owned().SetState(3, 5)
		d := v.owned().digest()
		c.change(&d)
		v.Receive(v.peers[1], &Digests{[]Digest{d}})
		answers, parts := 0, 0
		for _, s := range v.env.Sent() {
			switch m := s.Message.(type) {
			case *Digests:
				if want := v.owned().digest(); len(m.Digests) != 1 || !m.Digests[0].Answer ||
					m.Digests[0].Sum != want.Sum {
					t.Errorf("%s: the answer is %+v", field, m)
				}
				answers++
			case *Parts:
				parts++
			}
		}
		known := d.Channel == sceneNews.ID
		if (answers == 1) != c.same || (parts == 1) == c.same {
			t.Errorf("%s: answered by %d digests and %d times parts", field, answers, parts)
		}
		if known && !slices.Equal(host.compared, []uint64{d.Version}) || !known && len(host.compared) > 0 {
			t.Errorf("%s: the host compares versions %v", field, host.compared)
		}
		d.Answer = true
		if v.Receive(v.peers[1], &Digests{[]Digest{d}}); len(v.env.Sent()) > 0 {
			t.Errorf("%s: an answer is answered", field)
		}
	}
}

// A subscription is acknowledged with the count and stamp that the owners hold, the latest version, and whether a tree
// carries versions. The subscriber's host receives all that.
func TestWhatAnAcknowledgementSays(t *testing.T) {
	for _, routed := range []bool{false, true} {
		v := newLoneWith(&notingHost{routed: routed}, nil, nil)
		for i, c := range []struct {
			count, stamp uint64
			want         Acknowledged
		}{
			{2, 10, Acknowledged{Stamp: 10, Version: 0, Count: 2}},
			{1, 9, Acknowledged{Stamp: 10, Version: 7, Count: 2}},
			{3, 11, Acknowledged{Stamp: 11, Version: 7, Count: 3}},
			{0, 12, Acknowledged{Stamp: 12, Version: 7, Count: 0}},
			{3, 11, Acknowledged{Stamp: 12, Version: 7, Count: 0}},
		} {
			p := enginetest.NewPeer("d0")
			w := Wanted{Channel: sceneNews.ID, URL: sceneNews.URL, Outside: "xmpp:a@b", Count: uint32(c.count),
				Stamp: c.stamp}
			v.Receive(p, &Subscribe{Node: p, Wanted: []Wanted{w}})
			c.want.Channel, c.want.Outside, c.want.Routed = w.Channel, w.Outside, routed
			if got := sent[*Subscribed](v); len(got) != 1 || !slices.Equal(got[0].Entries, []Acknowledged{c.want}) {
				t.Errorf("subscription %d: acknowledged by %+v, want %+v", i, got, c.want)
			}
			v.owned().SetState(7, 1)
		}
		host := new(notingHost)
		v = newLoneWith(host, nil, nil, "90")
		v.Subscribe(sceneNews, "", 1)
		w := v.next(t, time.Second)
		v.Receive(v.peers[1], &Subscribed{[]Acknowledged{{Channel: w.Channel, Stamp: w.Stamp, Count: 1,
			Routed: routed}}})
		if !slices.Equal(host.routes, []bool{routed}) {
			t.Errorf("routed is %v: the host learns %v", routed, host.routes)
		}
	}
}

// A dropped entry or channel makes room for another, each time: for all three bounds, of entries, of channels, and of
// one node's entries.
func TestWhatIsForgottenMakesRoom(t *testing.T) {
	for what, bound := range map[string]func(c *Config){
		"MaxEntries":  func(c *Config) { c.MaxEntries = 12 },
		"MaxChannels": func(c *Config) { c.MaxChannels = 4 },
		"MaxPerNode":  func(c *Config) { c.MaxPerNode = 4 },
	} {
		v := newLone(nil, func(c *Config) { c.Owners = 1; bound(c) })
		p := []engine.Peer{enginetest.NewPeer("d0"), enginetest.NewPeer("d1"), enginetest.NewPeer("d2")}
		for round := range 5 {
			for i := range 4 {
				for _, node := range p {
					c := channel(10*round + i)
					v.Receive(node, &Subscribe{Node: node, Wanted: []Wanted{{Channel: c.ID, URL: c.URL, Count: 1,
						Stamp: 1}}})
				}
			}
			if len(v.List()) != 4 || len(events[machine.LimitHit](v)) > 0 {
				t.Fatalf("%s, round %d: %d channels are held", what, round, len(v.List()))
			}
			node := p[round%len(p)]
			c := channel(10*round + 5)
			v.Receive(node, &Subscribe{Node: node, Wanted: []Wanted{{Channel: c.ID, URL: c.URL, Count: 1, Stamp: 1}}})
			if hit := events[machine.LimitHit](v); len(hit) == 0 || hit[0].What != what || v.Find(c.ID) != nil {
				t.Errorf("%s, round %d: one more hits %v", what, round, hit)
			}
			v.env.Advance(v.config.Forget + 2*v.config.Maintenance)
			if n := len(v.List()); n != 0 {
				t.Fatalf("%s, round %d: %d channels are not forgotten", what, round, n)
			}
			events[machine.LimitHit](v)
		}
	}
}

// events returns what of one type was traced since the last call.
func events[E any](v *lone) (list []E) {
	for _, e := range v.env.Traced() {
		if e, ok := e.(E); ok {
			list = append(list, e)
		}
	}
	return list
}

// A node that leaves a channel has room for as many subscriptions as before, however often it leaves.
func TestWhatIsHandedOverMakesRoom(t *testing.T) {
	const most = 5
	v := newLone(nil, func(c *Config) { c.Owners, c.MaxEntries = 1, most })
	here, owner := v.peers, enginetest.NewPeer("5001")
	for round := range 3 {
		v.peers = here
		v.copy(owner, manyOf(most, "")...)
		if o := v.owned(); o == nil || o.Entries() != most || len(events[machine.LimitHit](v)) > 0 {
			t.Fatalf("round %d: there is no room for %d subscriptions", round, most)
		}
		v.peers = []engine.Peer{owner}
		v.Reassess(v.owned())
		v.Receive(owner, &Parts{Channel: sceneNews.ID})
		for _, m := range sent[*Entries](v) {
			v.Receive(owner, &Stored{m.Number})
		}
		if v.owned() != nil {
			t.Fatalf("round %d: the channel is held still", round)
		}
	}
}

// A table goes to another owner in messages of a bounded number of entries and bytes, each when the one before is
// stored. Each entry goes once. If one is not stored the rest does not go, and the next transfer begins anew.
func TestATableIsTransferredInParts(t *testing.T) {
	const count = 2*transferEntries + 500
	for what, c := range map[string]struct {
		outside string
		fails   int // message that is never stored, counted from 1; 0: none
		least   int // messages
	}{
		"all are stored":     {"", 0, 3},
		"long addresses":     {strings.Repeat("x", 500), 0, count * 500 / transferBytes},
		"the second is lost": {"", 2, 2},
	} {
		v := newLone(nil, nil, "90")
		v.hold(manyOf(count, c.outside))
		for round := range 2 {
			v.Receive(v.peers[1], &Parts{Channel: sceneNews.ID})
			got, messages := make(map[engine.ID]int), 0
			for {
				list := v.env.Sent()
				var m *Entries
				for _, s := range list {
					if e, ok := s.Message.(*Entries); ok && s.To == v.peers[1] {
						m = e
					}
				}
				if m == nil {
					break
				}
				messages++
				bytes := 0
				for _, s := range m.Subscriptions {
					got[s.Node.ID]++
					bytes += len(s.Node.Address) + len(s.Outside)
				}
				if len(m.Subscriptions) > transferEntries || bytes > transferBytes+1024 {
					t.Errorf("%s: a message has %d entries of %d bytes", what, len(m.Subscriptions), bytes)
				}
				if messages == c.fails {
					break
				}
				v.Receive(v.peers[1], &Stored{m.Number})
			}
			if c.fails == 0 && len(got) != count || messages < c.least || c.fails > 0 && messages != c.fails {
				t.Errorf("%s, round %d: %d entries go in %d messages", what, round, len(got), messages)
			}
			for id, times := range got {
				if times != 1 {
					t.Fatalf("%s, round %d: the entry of %v goes %d times", what, round, id, times)
				}
			}
			transferred := len(events[Transferred](v))
			v.env.Advance(dispatchWait << dispatchTries)
			if again := len(events[Transferred](v)); transferred+again != map[bool]int{true: 1}[c.fails == 0] {
				t.Errorf("%s, round %d: it is said %d times that all is transferred", what, round, transferred+again)
			}
			if v.comparer.transfers != 0 {
				t.Errorf("%s, round %d: %d transfers go on", what, round, v.comparer.transfers)
			}
			v.env.Sent()
		}
	}
}

// Tables are compared in as many parts as the sender says, up to a limit. With more, or with sums that do not fit,
// there is no answer. Parts that differ are sent and requested, and equal ones are not.
func TestPartsThatAreCompared(t *testing.T) {
	v := newLone(nil, nil, "90")
	list := manyOf(64, "")
	v.hold(list)
	for bits := uint8(0); bits <= maxPartBits+2; bits++ {
		sums := v.owned().readers.sums(&v.subscribers, min(bits, 12))
		answer := func(sums []uint64) (entries int, wanted []uint16, answers int) {
			v.Receive(v.peers[1], &Parts{Channel: sceneNews.ID, Bits: bits, Sums: sums})
			for _, s := range v.env.Sent() {
				answers++
				switch m := s.Message.(type) {
				case *Entries:
					entries += len(m.Subscriptions)
					v.Receive(v.peers[1], &Stored{m.Number})
				case *Want:
					wanted = m.Parts
				}
			}
			return entries, wanted, answers
		}
		valid := bits <= maxPartBits
		if entries, wanted, answers := answer(sums); entries != 0 || len(wanted) > 0 || (answers > 0) != valid {
			t.Errorf("%d bits: of the same %d entries are sent, %d parts requested, in %d messages", bits, entries,
				len(wanted), answers)
		}
		if entries, wanted, _ := answer(nil); valid && (entries != len(list) || len(wanted) > 0) || !valid &&
			entries > 0 {
			t.Errorf("%d bits: a node without any is sent %d entries, and asked for %v", bits, entries, wanted)
		}
		if _, _, answers := answer(append(sums, 1)); answers > 0 {
			t.Errorf("%d bits: one sum too many is answered", bits)
		}
		part := slices.IndexFunc(sums, func(sum uint64) bool { return sum != 0 })
		sums[part]++
		entries, wanted, _ := answer(sums)
		if valid && (entries == 0 || bits > 2 && entries == len(list) || !slices.Equal(wanted,
			[]uint16{uint16(part)})) || !valid && entries > 0 {
			t.Errorf("%d bits: for a part that differs %d entries are sent, %v requested", bits, entries, wanted)
		}
		v.Receive(v.peers[1], &Want{Channel: sceneNews.ID, Bits: bits, Parts: []uint16{uint16(part), 1 << 15}})
		entriesSent := 0
		for _, m := range sent[*Entries](v) {
			entriesSent += len(m.Subscriptions)
			v.Receive(v.peers[1], &Stored{m.Number})
		}
		if valid && entriesSent != entries || !valid && entriesSent > 0 {
			t.Errorf("%d bits: of the requested part %d entries are sent, not %d", bits, entriesSent, entries)
		}
	}
}

// A channel that is due is compared though another that comes before it on the ring is due much later.
func TestWhatIsDueIsComparedFirst(t *testing.T) {
	list := []machine.Channel{channel(1), channel(2), channel(3), channel(4)}
	slices.SortFunc(list, func(a, b machine.Channel) int { return a.ID.Compare(b.ID) })
	v := newLone(nil, nil, "90", "a0")
	for i, c := range list {
		v.Receive(v.peers[1], &Copies{Number: 1, Copies: []Copy{{c.ID, c.URL, manyOf(1, "")}}})
		v.env.Sent()
		v.env.Advance(40 * time.Second)
		asked := make(map[engine.ID]int)
		for _, m := range sent[*Digests](v) {
			for _, d := range m.Digests {
				asked[d.Channel]++
			}
		}
		if asked[c.ID] == 0 {
			t.Errorf("channel %d of the ring is not compared in time: %v", i, asked)
		}
		v.env.Advance(90 * time.Second) // nobody answers, and the channel is compared ever more seldom
		sent[*Digests](v)
	}
}

// An acknowledgement counts for the subscription as it was last sent. A late one of an earlier state does not count,
// nor does one of another subscription: the subscription is sent again.
func TestStaleAcknowledgementsDoNotCount(t *testing.T) {
	v := newLone(nil, nil, "90")
	owner := v.peers[1]
	var before Wanted
	for round, count := range []int{1, 2, 0, 3} {
		v.Subscribe(sceneNews, "", count)
		w := v.next(t, time.Second)
		if int(w.Count) != count || w.Stamp <= before.Stamp {
			t.Fatalf("round %d: %+v is sent after %+v", round, w, before)
		}
		if round > 0 {
			v.acknowledgeTo(owner, before)
		}
		other := w
		other.Outside = "xmpp:a@b"
		other.Count = 0
		v.acknowledgeTo(owner, other)
		if got := events[Acknowledgement](v); len(got) > 0 || v.Unacknowledged() != 1 {
			t.Errorf("round %d: an earlier state acknowledges %v", round, got)
		}
		if again := v.next(t, 2*announceRetry); again.Stamp != w.Stamp || int(again.Count) != count {
			t.Errorf("round %d: %+v is sent again, not %+v", round, again, w)
		}
		v.acknowledgeTo(owner, w)
		v.acknowledgeTo(owner, w)
		got := events[Acknowledgement](v)
		if len(got) == 0 || got[0] != (Acknowledgement{Channel: w.Channel, Count: count}) || v.Unacknowledged() != 0 {
			t.Errorf("round %d: acknowledged is %v", round, got)
		}
		if _, wanted := v.Wanted(sceneNews.ID); wanted != (count > 0) {
			t.Errorf("round %d: it is wanted: %v", round, wanted)
		}
		if count == 0 {
			v.env.Advance(3 * v.config.Renew)
		} else {
			v.env.Advance(time.Minute)
		}
		if got := sent[*Subscribe](v); len(got) > 0 {
			t.Errorf("round %d: %+v is sent after the acknowledgement", round, got[0].Wanted)
		}
		before = w
	}
}

// The host is warned once of a subscription that nobody answers, after several tries, and once more when it is
// answered. So it is the next time.
func TestSilenceIsReportedOnce(t *testing.T) {
	host := new(notingHost)
	v := newLoneWith(host, nil, nil, "90")
	v.Subscribe(sceneNews, "", 1)
	for round := range 3 {
		tries := 0
		var last Wanted
		for tries < triesUntilSuspect+3 {
			v.env.Advance(time.Second)
			for _, m := range sent[*Subscribe](v) {
				tries++
				last = m.Wanted[0]
			}
			if want := tries >= triesUntilSuspect; slices.Contains(host.silent, true) != want {
				t.Fatalf("round %d: after %d tries the host has been warned: %v", round, tries, !want)
			}
		}
		v.acknowledgeTo(v.peers[1], last)
		if !slices.Equal(host.silent, []bool{true, false}) {
			t.Errorf("round %d: the host learns of silence %v", round, host.silent)
		}
		host.silent = nil
		v.Subscribe(sceneNews, "", 2+round)
	}
}
