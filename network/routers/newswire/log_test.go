package newswire_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/newswire"
	"tidings/network/routers/routertest"
	"tidings/network/sim"
)

// diskLog is a log on a node's simulated disk, which is slow to write. An entry is there as messages have it.
type diskLog struct {
	env   engine.Env
	disk  *sim.Disk
	codec *engine.Codec
	lines []logLine
}

type logLine struct {
	Item      uint64
	Zone      zone.Path
	Published time.Time
	Message   []byte
}

// written is the delay of a disk.
const written = 5 * time.Millisecond

func openLog(env engine.Env, disk *sim.Disk, codec *engine.Codec) *diskLog {
	l := &diskLog{env: env, disk: disk, codec: codec}
	if text, ok := disk.Get("log"); ok {
		if err := json.Unmarshal(text, &l.lines); err != nil {
			panic(err)
		}
	}
	return l
}

func (l *diskLog) Left() (left []newswire.Entry) {
	for _, line := range l.lines {
		m, err := l.codec.Decode(line.Message)
		if err != nil {
			panic(err)
		}
		left = append(left, newswire.Entry{Item: m.(*newswire.Item), Zone: line.Zone, Published: line.Published})
	}
	return left
}

func (l *diskLog) Write(e newswire.Entry, kept func()) {
	l.env.After(written, func() {
		message, err := l.codec.Append(nil, e.Item)
		if err != nil {
			panic(err)
		}
		l.save(append(l.lines, logLine{e.Item.Name(), e.Zone, e.Published, message}))
		kept()
	})
}

func (l *diskLog) Strike(item uint64, z zone.Path) {
	var rest []logLine
	for _, line := range l.lines {
		if line.Item != item || line.Zone != z {
			rest = append(rest, line)
		}
	}
	l.save(rest)
}

func (l *diskLog) save(lines []logLine) {
	l.lines = lines
	text, err := json.Marshal(lines)
	if err != nil {
		panic(err)
	}
	l.disk.Put("log", text)
}

// mute is the Env of a node that can be kept from sending to members.
type mute struct {
	engine.Env
	silent *bool
}

func (m mute) Send(to engine.Peer, msg engine.Message) {
	if _, ok := msg.(*newswire.Deliver); !ok || !*m.silent {
		m.Env.Send(to, msg)
	}
}

// A forwarder accepts items and reports that to the publisher, and both crash before any other has them (section 9:
// "each forwarding component maintains a log file"). When the forwarder is back it brings them to all of its zone,
// though no other node remembers them. Without the log they are lost.
func TestForwarderGoesOn(t *testing.T) {
	for _, logs := range []bool{true, false} {
		p := newPlan(10, 10)
		silent := true
		p.lie = func(_ int, env engine.Env) engine.Env { return mute{env, &silent} }
		p.zone = func(n int) zone.Path {
			if n == 0 {
				return "/a"
			}
			return "/b"
		}
		if logs {
			p.log = func(env engine.Env, disk *sim.Disk) newswire.Log { return openLog(env, disk, codec) }
		}
		w := newTown(p)
		w.Run(time.Second)
		forwarder, accepted := sim.Node(-1), 0
		w.Tap(func(m sim.Delivery) {
			if _, ok := m.Message.(*newswire.Taken); ok && m.Fate == sim.Received && m.To == 0 {
				if accepted++; forwarder < 0 {
					forwarder = m.From
				}
			}
		})
		for range 10 {
			w.publish(t, 0, zone.Root, 0, "")
		}
		w.Run(900 * time.Millisecond)
		if accepted < 10 {
			t.Fatalf("%d items were accepted", accepted)
		}
		w.Crash(0)
		for n := range sim.Node(10) {
			if n > 0 && w.Up(n) && newswire.Jobs(w.testNode(n).wire) > 0 {
				w.Crash(n)
				w.After(40*time.Second, func() { w.Boot(n) })
			}
		}
		w.Run(20 * time.Second)
		silent = false
		w.Run(3 * time.Minute)
		for number := range w.last {
			got := 0
			for n := sim.Node(1); n < 10; n++ {
				got += min(1, len(w.got[number+1][n]))
			}
			if logs && got < 9 || !logs && got > 1 {
				t.Errorf("with a log: %v: %d of 9 have got note %d", logs, got, number+1)
			}
		}
		for n := range sim.Node(10) {
			if text, ok := w.Disk(n).Get("log"); ok && n > 0 && string(text) != "null" {
				t.Errorf("the log of node %d still has %s", n, text)
			}
		}
	}
}

// A publisher that crashes as soon as it has logged an item publishes it when it is back, and has found a place again.
func TestPublisherGoesOn(t *testing.T) {
	p := newPlan(20, 10)
	silent := false
	p.lie = func(n int, env engine.Env) engine.Env { return cutOff{env, &silent, n} }
	p.log = func(env engine.Env, disk *sim.Disk) newswire.Log { return openLog(env, disk, codec) }
	contacts := []engine.Peer(nil)
	p.zoned = func(n int, _ engine.ID, s *astrolabe.Seams) {
		if contacts != nil {
			s.Settled, s.Contacts = nil, contacts
		}
	}
	w := newTown(p)
	w.Run(time.Second)
	silent = true
	number := w.publish(t, 0, zone.Root, 0, "")
	w.Run(written)
	w.Crash(0)
	silent = false
	w.Run(time.Minute)
	contacts = []engine.Peer{w.Peer(1)}
	w.Boot(0)
	w.Run(4 * time.Second)
	delete(w.got[number], 0) // the publisher itself has it twice: it has forgotten
	w.expect(t, number, func(n sim.Node) bool { return n > 0 })
	w.idle(t)
}

// cutOff is the Env of a node of which, if it is the first, nothing gets out while it is silent.
type cutOff struct {
	engine.Env
	silent *bool
	node   int
}

func (c cutOff) Send(to engine.Peer, m engine.Message) {
	if c.node > 0 || !*c.silent {
		c.Env.Send(to, m)
	}
}

// fakeLog has what an earlier run left, and writes on demand.
type fakeLog struct {
	left    []newswire.Entry
	written []newswire.Entry
	has     []uint64          // IDs of the items of entries, in the order in which they were written
	ids     map[uint64]uint64 // of items, by their names
	waiting []func()
}

func (l *fakeLog) Left() []newswire.Entry {
	for _, e := range l.left {
		l.enter(e.Item)
	}
	return l.left
}

func (l *fakeLog) enter(m *newswire.Item) {
	if l.ids == nil {
		l.ids = make(map[uint64]uint64)
	}
	l.ids[m.Name()] = m.ID
}

func (l *fakeLog) Write(e newswire.Entry, kept func()) {
	l.written = append(l.written, e)
	l.enter(e.Item)
	l.has = append(l.has, e.Item.ID)
	l.waiting = append(l.waiting, kept)
}

func (l *fakeLog) Strike(item uint64, _ zone.Path) {
	l.has = slices.DeleteFunc(l.has, func(id uint64) bool { return id == l.ids[item] })
}

func (l *fakeLog) flush() {
	for _, kept := range l.waiting {
		kept()
	}
	l.waiting = nil
}

// loneWith returns a lone node with a log.
func loneWith(p plan, log newswire.Log) *lone {
	p.log = func(engine.Env, *sim.Disk) newswire.Log { return log }
	return newLone(p, 0)
}

// All requesters learn that an item is accepted when it stands in the log, and no sooner. It is struck out when all
// have it.
func TestTakenWhenLogged(t *testing.T) {
	log := &fakeLog{}
	l := loneWith(newPlan(64, 8), log)
	forward := func(from sim.Node) []enginetest.Sent {
		return l.from(from, &newswire.Forward{Number: uint32(from), Zone: l.paths[0], Item: l.item(20, 1)})
	}
	if sent := append(forward(9), forward(10)...); count[*newswire.Taken](sent) > 0 ||
		count[*newswire.Deliver](sent) != 7 {
		t.Errorf("before it is in the log, %v is sent", sent)
	}
	log.flush()
	if sent := l.sent(); count[*newswire.Taken](sent) != 2 {
		t.Errorf("when it is, %v is sent", sent)
	}
	if sent := forward(11); count[*newswire.Taken](sent) != 1 {
		t.Errorf("a node that asks later is sent %v", sent)
	}
	if !slices.Equal(log.has, []uint64{1}) {
		t.Errorf("the log has %v", log.has)
	}
	l.env.Advance(3 * time.Minute)
	if len(log.has) > 0 || count[*newswire.Done](l.sent()) != 3 {
		t.Errorf("in the end the log has %v", log.has)
	}
	// If an item is done already when it stands in the log, no Taken is sent.
	l.from(9, &newswire.Forward{Number: 1, Zone: l.paths[0], Item: l.item(20, 2)})
	for n := sim.Node(1); n < 8; n++ {
		for number := range uint32(1000) {
			l.from(n, &newswire.Done{Number: number})
		}
	}
	log.flush()
	if sent := l.sent(); len(sent) > 0 || len(log.has) > 0 {
		t.Errorf("afterwards %v is sent, and the log has %v", sent, log.has)
	}
}

// The log says when an item was published, as far as the node knows: a node that starts again does not count it as
// newer.
func TestTheLogKnowsWhen(t *testing.T) {
	log := &fakeLog{}
	l := loneWith(newPlan(64, 8), log)
	l.env.Advance(time.Minute)
	for i, age := range []uint32{0, 1, 90, 600} {
		l.from(9, &newswire.Forward{Number: uint32(i), Zone: l.paths[0], Item: l.item(20, uint64(i+1)), Age: age})
		if got := l.env.Wall().Sub(log.written[i].Published); got != time.Duration(age)*time.Second {
			t.Errorf("an item %d s old is written down as %v old", age, got)
		}
	}
}

// A log has so many entries, and so many bytes, and of those beyond the oldest goes.
func TestLogBounds(t *testing.T) {
	for _, test := range []struct {
		what        string
		bytes, most int // of each event, and how many entries there is room for
	}{
		{"entries", 0, newswire.MaxLogged},
		{"bytes", 1<<20 - 512, newswire.LoggedBytes >> 20},
	} {
		p := newPlan(64, 8)
		p.config.Burst, p.config.Queue = 1<<20, 1<<16
		log := &fakeLog{}
		l := loneWith(p, log)
		var want []uint64
		for i := range uint64(test.most + 3) {
			big := func(m *newswire.Item) { m.Event.(*routertest.Note).Text = strings.Repeat("x", test.bytes) }
			l.from(9, &newswire.Forward{Number: uint32(i), Zone: l.paths[0], Item: l.item(20, i+1, big)})
			if want = append(want, i+1); len(want) > test.most {
				want = want[1:]
			}
			if !slices.Equal(log.has, want) {
				t.Fatalf("%s: after %d the log has %d, from %d on", test.what, i+1, len(log.has), log.has[0])
			}
		}
		if hits := l.limits("maxLogged"); hits != 3 {
			t.Errorf("%s: the bound was hit %d times", test.what, hits)
		}
	}
}

// The node goes on with entries of an earlier run that are not too old and were not changed. The rest is struck out.
func TestLeftInLog(t *testing.T) {
	w := newTown(newPlan(64, 8))
	entry := func(number uint64, age time.Duration, change ...func(*newswire.Item)) newswire.Entry {
		return newswire.Entry{Item: w.item(20, number, change...), Zone: w.paths[0],
			Published: enginetest.NewEnv(w.Peer(0)).Wall().Add(-age)}
	}
	keep := newswire.Default().Keep
	log := &fakeLog{left: []newswire.Entry{
		entry(1, keep), entry(2, keep+time.Second), entry(3, -time.Hour),
		entry(4, 0, func(m *newswire.Item) { m.Event = note(5, 0) }), entry(6, 90*time.Second),
	}}
	damaged := entry(7, 0)
	damaged.Item.Signature[5] ^= 1
	log.left = append(log.left, damaged)
	for _, e := range log.left {
		log.has = append(log.has, e.Item.ID)
	}
	l := loneWith(newPlan(64, 8), log)
	if want := []uint64{1, 3, 6}; !slices.Equal(log.has, want) {
		t.Errorf("the log has %v, not %v", log.has, want)
	}
	l.env.Advance(10 * time.Millisecond)
	if len(log.waiting) > 0 {
		t.Errorf("%d entries are written again", len(log.waiting))
	}
	ages := make(map[uint64]uint32)
	for _, s := range l.sent() {
		if d, ok := s.Message.(*newswire.Deliver); ok {
			ages[d.Item.(*newswire.Item).ID] = d.Age
		}
	}
	if want := map[uint64]uint32{1: uint32(keep / time.Second), 3: 0, 6: 90}; !maps.Equal(ages, want) {
		t.Errorf("items of these ages are sent: %v, not %v", ages, want)
	}
	l.env.Advance(3 * time.Minute)
	if len(log.has) > 0 {
		t.Errorf("in the end the log has %v", log.has)
	}
}

// An item that a node publishes before it has its place is in the log until it is on its way, or is dropped. So are the
// entries of an earlier run.
func TestLogWithoutPlace(t *testing.T) {
	w := newTown(newPlan(8, 8))
	env := enginetest.NewEnv(w.Peer(0))
	zones := astrolabe.New(env, astrolabe.Default(),
		astrolabe.Seams{Keys: w.Keys(0), Contacts: []engine.Peer{w.Peer(1)}})
	log := &fakeLog{left: []newswire.Entry{{Item: w.item(1, 500), Zone: zone.Root, Published: env.Wall()}},
		has: []uint64{500}}
	n := newswire.New(env, newswire.Default(), newswire.Seams{Member: reader{w, 0}, Keys: w.Keys(0), Log: log}, zones)
	zones.Watch(n)
	n.Join(sub(0))
	want := []uint64{500}
	for i := range newswire.MaxWaiting + 3 {
		n.Publish(sub(0), note(uint64(i+1), 0))
		if i >= 3 {
			want = append(want, uint64(i+1))
		}
	}
	if !slices.Equal(log.has, want) {
		t.Errorf("the log has %v, not %v", log.has, want)
	}
	env.Advance(2 * time.Minute) // nobody answers: it is alone
	if len(log.has) > 0 || len(w.got[500]) != 1 {
		t.Errorf("in the end the log has %v, and what was left has come %d times", log.has, len(w.got[500]))
	}
}
