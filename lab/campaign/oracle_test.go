package campaign

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

var (
	topic  = engine.IDOf([]byte("a topic"))
	first  = engine.IDOf([]byte("first"))
	second = engine.IDOf([]byte("second"))

	pushedTopic = engine.IDOf([]byte("a topic that is pushed"))
)

// still is a protocol that does nothing.
type still struct{}

func (still) Receive(engine.Peer, engine.Message) {}
func (still) PeerDown(engine.Peer)                {}
func (still) Stop()                               {}

// worldOf returns a world of nodes that do nothing, some time after its beginning.
func worldOf(nodes int, at time.Duration) *sim.World {
	w := sim.New(sim.Default(engine.NewCodec()))
	for n := range nodes {
		w.Add(engine.IDOf([]byte{byte(n)}), func(engine.Env, *sim.Disk) engine.Protocol { return still{} })
	}
	w.BootAll(0)
	w.Run(at)
	return w
}

// judge fails the test unless an oracle fails as it should.
func judge(t *testing.T, what string, c check.Checker, fails bool) {
	t.Helper()
	if err := c.Err(); (err != nil) != fails {
		t.Errorf("%s: %v", what, err)
	}
}

// A content that stays the newest is missed: at the node that has it not, or too late.
func TestArrivesSeesWhatIsMissed(t *testing.T) {
	const hour = time.Hour
	for _, c := range []struct {
		name  string
		event func(a *arrives)
		fails bool
	}{
		{"it comes", func(a *arrives) {
			a.Observe(hour+time.Minute, 1,
				check.Delivered{Topic: topic, Content: second})
		}, false},
		{"it comes too late",
			func(a *arrives) { a.Observe(hour+11*time.Minute, 1, check.Delivered{Topic: topic, Content: second}) },
			true},
		{"another comes", func(a *arrives) {
			a.Observe(hour+time.Minute, 1,
				check.Delivered{Topic: topic, Content: first})
		}, true},
		{"its own poll shows it", func(a *arrives) { a.Observe(hour+time.Minute, 1, check.Polled{Topic: topic}) },
			false},
		{"another node's poll shows it",
			func(a *arrives) { a.Observe(hour+time.Minute, 0, check.Polled{Topic: topic}) }, true},
		{"nothing comes", func(*arrives) {}, true},
		{"it comes, and is forgotten", func(a *arrives) {
			a.Observe(hour+time.Minute, 1, check.Delivered{Topic: topic, Content: second})
			a.Observe(hour+time.Minute, 1, check.Forgot{})
			a.Observe(hour-time.Minute, 1, check.Subscribed{Topic: topic})
		}, true},
		{"nothing comes to a node that has left",
			func(a *arrives) { a.Observe(hour, 1, check.Unsubscribed{Topic: topic}) }, false},
		{"it is the newest for too short a time", func(a *arrives) {
			a.changed(hour+time.Minute, topic, first)
			a.Observe(hour+2*time.Minute, 1, check.Delivered{Topic: topic, Content: first})
		}, false},
	} {
		a := &arrives{within: 10 * time.Minute, live: func(sim.Node) time.Duration { return 0 }}
		a.changed(0, topic, first)
		a.Observe(time.Second, 1, check.Subscribed{Topic: topic})
		a.Observe(time.Minute, 1, check.Delivered{Topic: topic, Content: first})
		a.begin(30 * time.Minute)
		a.changed(hour, topic, second)
		c.event(a)
		a.Finish(worldOf(2, 2*hour))
		judge(t, c.name, a, c.fails)
	}
}

func TestGenuineSeesForgeries(t *testing.T) {
	g := &genuine{}
	g.serves(topic, first)
	g.Observe(0, 1, check.Delivered{Topic: topic, Content: first})
	judge(t, "what was served", g, false)
	g.Observe(0, 1, check.Delivered{Topic: engine.ID{}, Content: first})
	judge(t, "the content of another topic", g, true)
	g = &genuine{}
	h := honest{g, map[sim.Node]bool{1: true}}
	h.Observe(0, 1, check.Delivered{Topic: topic, Content: second})
	judge(t, "a forgery at its forger", h, false)
	h.Observe(0, 2, check.Delivered{Topic: topic, Content: second})
	judge(t, "a forgery elsewhere", h, true)
}

func TestPoliteCountsRequests(t *testing.T) {
	const interval = 10 * time.Minute
	newPolite := func(ceiling int) *polite {
		p := &polite{interval: interval, witnesses: 4, ceiling: ceiling, nodes: 20, host: map[engine.ID]int{topic: 3},
			served: make(map[engine.ID]time.Duration), restless: make(map[engine.ID]time.Duration)}
		for n := range sim.Node(20) {
			p.Observe(0, n, check.Subscribed{Topic: topic})
		}
		return p
	}
	poll := func(p *polite, from time.Duration, times int) {
		for i := range times {
			p.Observe(from+time.Duration(i), 1, check.Polled{Topic: topic})
		}
	}
	most := 20 + 2*(1+4+2) // readers, and one change that is verified
	stormy := 2 * (20*(2+4+2) + 20*(12+10))
	for _, c := range []struct {
		name    string
		ceiling int
		polls   func(p *polite)
		fails   bool
	}{
		{"as many as may be", 0, func(p *polite) { poll(p, time.Hour, most) }, false},
		{"one more", 0, func(p *polite) { poll(p, time.Hour, most+1) }, true},
		{"one more, in another interval", 0,
			func(p *polite) { poll(p, time.Hour, most); poll(p, time.Hour+2*interval, 1) }, false},
		{"one more, for a change", 0, func(p *polite) {
			p.Observe(time.Hour, 1, check.Published{Topic: topic})
			poll(p, time.Hour, most+1)
		}, false},
		{"one more, as readers have left", 0, func(p *polite) {
			p.Observe(time.Hour, 1, check.Unsubscribed{Topic: topic})
			poll(p, time.Hour, most)
		}, true},
		{"a ceiling below what each node may do once", 5, func(p *polite) { poll(p, time.Hour, most) }, false},
		{"as much as the ceiling", 5, func(p *polite) { p.nodes = 4; poll(p, time.Hour, most-15) }, false},
		{"more than the ceiling", 5, func(p *polite) { p.nodes = 4; poll(p, time.Hour, most-14) }, true},
		{"as many as an invented version costs", 0, func(p *polite) {
			p.inventors = true
			poll(p, time.Hour, most+20*12+10)
		}, false},
		{"more than an invented version costs", 0, func(p *polite) {
			p.inventors = true
			poll(p, time.Hour, most+20*12+11)
		}, true},
		{"one more, where two contents are shown within seconds", 0, func(p *polite) {
			p.serves(time.Hour-9*time.Second, topic)
			p.serves(time.Hour, topic)
			poll(p, time.Hour, most+20*(12+10))
		}, false},
		{"too many, where two contents are shown within seconds", 0, func(p *polite) {
			p.serves(time.Hour-9*time.Second, topic)
			p.serves(time.Hour, topic)
			poll(p, time.Hour, most+20*(12+10)+1)
		}, true},
		{"one more, where contents are shown for longer", 0, func(p *polite) {
			p.serves(time.Hour-10*time.Second, topic)
			p.serves(time.Hour, topic)
			poll(p, time.Hour, most+1)
		}, true},
		{"many while faults last", 0, func(p *polite) { p.on = false; poll(p, time.Hour, stormy) }, false},
		{"too many while faults last", 0, func(p *polite) { p.on = false; poll(p, time.Hour, stormy+1) }, true},
	} {
		p := newPolite(c.ceiling)
		p.begin(time.Minute)
		c.polls(p)
		judge(t, c.name, p, c.fails)
	}
}

// owners is a world in which some nodes hold a subscription.
type owners struct {
	lives map[sim.Node]int
	hold  []sim.Node
	soon  []sim.Node // hold it by the third look
	looks int
	acked bool
}

func (o *owners) acknowledged(follower) bool { return o.acked }
func (o *owners) holders(follower) (all []life) {
	hold := o.hold
	if o.looks++; o.looks > 2 && o.soon != nil {
		hold = o.soon
	}
	for _, n := range hold {
		all = append(all, life{n, o.lives[n]})
	}
	return all
}
func (o *owners) up(l life) bool      { return o.lives[l.node] == l.number }
func (o *owners) life(n sim.Node) int { return o.lives[n] }

func TestHeldSeesLostSubscriptions(t *testing.T) {
	pair := follower{1, topic}
	for _, c := range []struct {
		name  string
		then  func(o *owners)
		fails bool
	}{
		{"another holds it", func(o *owners) { o.hold = []sim.Node{4} }, false},
		{"nobody does, and one that did lives", func(o *owners) { o.hold, o.lives[2] = nil, 2 }, true},
		{"nobody does, and all that did have died", func(o *owners) { o.hold, o.lives[2], o.lives[3] = nil, 2, 2 },
			false},
		{"nobody does, and its own node has started anew", func(o *owners) { o.hold, o.lives[1] = nil, 2 }, false},
		{"its node has said so, and it is held again", func(o *owners) { o.hold, o.soon = nil, []sim.Node{2} }, false},
		{"it was not acknowledged", func(o *owners) { o.hold, o.acked = nil, false }, false},
	} {
		o := &owners{lives: map[sim.Node]int{1: 1, 2: 1, 3: 1, 4: 1}, hold: []sim.Node{2, 3}, acked: true}
		h := &held{view: o}
		h.look(0, []follower{pair})
		c.then(o)
		h.look(time.Minute, []follower{pair})
		judge(t, c.name+", just now", h, false)
		h.look(time.Minute+within, []follower{pair})
		judge(t, c.name, h, c.fails)
	}
}

// Two nodes hand a subscription to a third between two looks. It depends on that one alone from then on.
func TestHeldFollowsHandOvers(t *testing.T) {
	pair := follower{1, topic}
	for _, c := range []struct {
		name  string
		dies  sim.Node
		fails bool
	}{
		{"the node that holds it has died", 4, false},
		{"it lives, and has lost it", 3, true},
	} {
		o := &owners{lives: map[sim.Node]int{1: 1, 2: 1, 3: 1, 4: 1}, hold: []sim.Node{2, 3}, acked: true}
		h := &held{view: o}
		h.look(0, []follower{pair})
		o.hold = []sim.Node{4}
		h.forgotten(time.Second, pair.topic)
		o.hold, o.lives[c.dies] = nil, 2
		h.look(5*time.Second, []follower{pair})
		h.look(5*time.Second+within, []follower{pair})
		judge(t, c.name, h, c.fails)
	}
}

func TestBoundsAndQuiet(t *testing.T) {
	b := &bounded{}
	b.sent(0, 1, "a message", engine.MaxMessage)
	b.tables(0, 1, []table{{"a table", 3, 3}})
	judge(t, "within bounds", b, false)
	b.sent(0, 1, "a message", engine.MaxMessage+1)
	judge(t, "a message too long", b, true)
	b = &bounded{}
	b.tables(0, 1, []table{{"a table", 3, 3}, {"another", 4, 3}})
	judge(t, "a table too long", b, true)
	rest := load{messages: 20, counting: 4, timers: 10}
	for _, c := range []struct {
		after time.Duration
		now   load
		ends  bool
		fails bool
	}{
		{time.Minute, load{35, 100, 20}, true, false},
		{time.Minute, load{36, 4, 15}, false, false},
		{time.Minute, load{20, 4, 21}, false, false},
		{6 * time.Minute, load{35, 100, 20}, true, false},
		{6 * time.Minute, load{36, 4, 15}, true, true},
		{6 * time.Minute, load{20, 4, 21}, true, true},
	} {
		q := &quiet{rest: rest, by: 5 * time.Minute}
		if ends := q.compare(0, c.after, c.now); ends != c.ends || (q.at == c.after) != (ends && !c.fails) {
			t.Errorf("%+v: it ends: %v, at rest at %v", c, ends, q.at)
		}
		judge(t, "quiet", q, c.fails)
	}
	for counting, fails := range map[float64]bool{4: false, 20: false, 22: true} {
		q := &quiet{rest: rest}
		q.recovered(0, load{messages: 20, counting: counting})
		judge(t, "quiet when all is back", q, fails)
	}
	for _, c := range []struct {
		control load
		now     load
		fails   bool
	}{
		{load{messages: 30}, load{messages: 50}, false},
		{load{messages: 30}, load{messages: 51}, true},
		{load{messages: 10}, load{messages: 35}, false}, // the larger of both is normal
		{load{counting: 50}, load{messages: 36}, true},
	} {
		q := &quiet{rest: rest, control: func() load { return c.control }}
		q.compare(0, 6*time.Minute, c.now)
		judge(t, "quiet beside the same world without faults", q, c.fails)
	}
}

// pushedOf returns an oracle that knows of items, numbered from 1, which were published every second from a time on.
func pushedOf(items int, from time.Duration) *pushed {
	p := (&World{Interval: Seconds(10 * time.Minute), Storm: Seconds(4 * time.Minute)}).newPushed()
	for i := range items {
		at := from + time.Duration(i)*time.Second
		p.publishes(at, topic, uint64(i+1), itemOf(i+1), at)
	}
	return p
}

func itemOf(number int) engine.ID { return engine.IDOf([]byte{1, byte(number)}) }

func given(number int) check.Delivered {
	return check.Delivered{Topic: topic, Version: uint64(number), Content: itemOf(number)}
}

// An item is missed if a node lacks it or receives it too late. An item from the time of faults may arrive later.
func TestPushedSeesWhatIsMissed(t *testing.T) {
	const hour = time.Hour
	give := func(p *pushed, at time.Duration, numbers ...int) {
		for _, number := range numbers {
			p.Observe(at, 1, given(number))
		}
	}
	for _, c := range []struct {
		name  string
		from  time.Duration // when items are published; all is back after half an hour
		event func(p *pushed)
		fails bool
	}{
		{"all come", hour, func(p *pushed) { give(p, hour+time.Minute, 1, 2, 3) }, false},
		{"nothing comes", hour, func(*pushed) {}, true},
		{"one is missing", hour, func(p *pushed) { give(p, hour+time.Minute, 1, 3) }, true},
		{"one is late", hour, func(p *pushed) { give(p, hour+time.Minute, 1, 3); give(p, hour+8*time.Minute, 2) },
			true},
		{"another node has it", hour, func(p *pushed) {
			give(p, hour+time.Minute, 1, 3)
			p.Observe(hour+time.Minute, 2, given(2))
		}, true},
		{"one from before is late", time.Minute,
			func(p *pushed) { give(p, 2*time.Minute, 1, 3); give(p, 40*time.Minute, 2) }, false},
		{"one from before is missing", time.Minute, func(p *pushed) { give(p, 2*time.Minute, 1, 3) }, true},
		{"they come, and are forgotten", hour, func(p *pushed) {
			give(p, hour+time.Minute, 1, 2, 3)
			p.Observe(hour+time.Minute, 1, check.Forgot{})
			p.Observe(hour-time.Minute, 1, check.Subscribed{Topic: topic})
		}, true},
		{"the node has left", hour, func(p *pushed) { p.Observe(hour, 1, check.Unsubscribed{Topic: topic}) }, false},
		{"it followed later", hour, func(p *pushed) {
			p.Observe(hour, 1, check.Unsubscribed{Topic: topic})
			p.Observe(hour+3*time.Second, 1, check.Subscribed{Topic: topic})
		}, false},
		{"the node ignores a liar", hour, func(p *pushed) { p.ban(1, 2*hour) }, false},
		{"it does not any more", hour, func(p *pushed) { p.ban(1, 3*hour/2) }, true},
		{"another node does", hour, func(p *pushed) { p.ban(2, 2*hour) }, true},
		{"one was numbered anew", hour,
			func(p *pushed) { give(p, hour+time.Minute, 1, 3); p.withdraw(topic, itemOf(2)) }, false},
		{"the disk was lost before it came", hour, func(p *pushed) { p.lose(topic) }, false},
		{"numbers are given twice", hour, func(p *pushed) { p.doubt(topic) }, false},
		{"one is dated ahead", hour, func(p *pushed) {
			give(p, hour+time.Minute, 1, 2, 3)
			p.publishes(hour+time.Minute, topic, 4, itemOf(4), 3*hour)
		}, false},
		{"one is further back than is looked for", hour, func(p *pushed) {
			give(p, hour+time.Minute, 1, 3)
			p.publishes(hour+time.Minute, topic, 258, first, hour)
			p.Observe(hour+time.Minute, 1, check.Delivered{Topic: topic, Version: 258, Content: first})
		}, false},
	} {
		p := pushedOf(3, c.from)
		p.Observe(time.Second, 1, check.Subscribed{Topic: topic})
		p.begin(30 * time.Minute)
		c.event(p)
		p.Finish(worldOf(2, 2*hour))
		judge(t, c.name, p, c.fails)
	}
}

// An item may arrive after later ones if these have waited for it, and where nothing is held back for it.
func TestGapsSeesDisorder(t *testing.T) {
	hold := feedtree.Default().Hold
	for _, c := range []struct {
		name  string
		given []int
		after time.Duration // from publishing the last until it is given, and all after it
		fails bool
	}{
		{"in order", []int{1, 2, 3}, 0, false},
		{"too early", []int{1, 3, 2}, hold - time.Millisecond, true},
		{"after it was held", []int{1, 3, 2}, hold, false},
		{"from before the first", []int{3, 2, 1}, 0, false},
		{"with a gap that is not closed", []int{1, 3}, 0, false},
	} {
		p := pushedOf(0, 0)
		g := &gaps{pushed: p}
		at := time.Minute
		p.publishes(at, topic, 1, itemOf(1), at)
		if c.given[0] == 1 {
			g.Observe(at, 1, given(1))
			c.given = c.given[1:]
		}
		p.publishes(at, topic, 2, itemOf(2), at)
		p.publishes(at, topic, 3, itemOf(3), at)
		for _, number := range c.given {
			g.Observe(at+c.after, 1, given(number))
		}
		judge(t, c.name, g, c.fails)
	}
	p := (&World{Interval: Seconds(time.Hour), Faults: []Fault{{Kind: Rate, Amount: 2}}}).newPushed()
	if p.hold != hold/2 {
		t.Errorf("where a clock runs twice as fast items are held for %v", p.hold)
	}
}

// No other node publishes, whatever a node believes; one with a wrong clock may believe it.
func TestAloneSeesFalseRivals(t *testing.T) {
	for fault, fails := range map[Kind]bool{Crash: true, Wall: false, Rate: false} {
		a := &alone{}
		a.contested(0, &author{run: &run{world: &World{Faults: []Fault{{Kind: fault, Node: 3}}}}, at: 3})
		judge(t, string(fault), a, fails)
	}
}

// All oracles of package check are fed as well: a fault in each kind of event is seen under its name.
func TestEachOracleFailsInARun(t *testing.T) {
	for _, c := range []struct {
		oracle string
		events func(report func(n sim.Node, e check.Event))
	}{
		{"once", func(report func(sim.Node, check.Event)) {
			report(1, check.Delivered{Topic: topic, Version: 1, Content: first})
			report(1, check.Delivered{Topic: topic, Version: 1, Content: first})
		}},
		{"in order", func(report func(sim.Node, check.Event)) {
			report(1, check.Delivered{Topic: topic, Version: 2, Content: second})
			report(1, check.Delivered{Topic: topic, Version: 1, Content: first})
		}},
		{"genuine", func(report func(sim.Node, check.Event)) {
			report(1, check.Delivered{Topic: topic, Version: 1, Content: first})
		}},
		{"one content", func(report func(sim.Node, check.Event)) {
			report(1, check.Delivered{Topic: topic, Version: 1, Content: first})
			report(2, check.Delivered{Topic: topic, Version: 1, Content: second})
		}},
		{"wanted", func(report func(sim.Node, check.Event)) {
			report(2, check.Delivered{Topic: topic, Version: 1, Content: first})
		}},
		{"queues", func(report func(sim.Node, check.Event)) {
			report(1, check.Queued{Queue: "outbox", Length: 3, Bound: 2})
		}},
		{"noiseless", func(report func(sim.Node, check.Event)) { report(2, check.Carried{Topic: topic}) }},
		{"one item", func(report func(sim.Node, check.Event)) {
			report(1, check.Delivered{Topic: pushedTopic, Version: 1, Content: first})
			report(2, check.Delivered{Topic: pushedTopic, Version: 1, Content: second})
		}},
		{"in order", func(report func(sim.Node, check.Event)) {
			report(1, check.Delivered{Topic: pushedTopic, Version: 3, Content: itemOf(3)})
			report(1, check.Delivered{Topic: pushedTopic, Version: 2, Content: itemOf(2)})
		}},
		{"genuine", func(report func(sim.Node, check.Event)) {
			report(1, check.Delivered{Topic: pushedTopic, Version: 1, Content: first})
		}},
		{"pushed", func(report func(sim.Node, check.Event)) {
			report(1, check.Subscribed{Topic: pushedTopic})
			report(1, check.Delivered{Topic: pushedTopic, Version: 1, Content: itemOf(1)})
			report(1, check.Delivered{Topic: pushedTopic, Version: 3, Content: itemOf(3)})
		}},
	} {
		w := worldOf(3, time.Minute)
		r := &run{world: Small(1), sim: w, lives: make([]int, 3)}
		r.world.Router = "rappel"
		r.judges = r.newJudges()
		for i, o := range r.judges.all {
			if o.name == "noiseless" {
				r.judges.all[i].Checker = &check.Noiseless{Grace: lately}
			}
		}
		var checkers []check.Checker
		for _, o := range r.judges.all {
			checkers = append(checkers, o.Checker)
		}
		watch := check.All(w, nil, checkers...)
		watch.Report(1, check.Subscribed{Topic: topic})
		if p := r.judges.pushed; c.oracle == "pushed" || c.oracle == "in order" {
			p.begin(0)
			p.within = 0
			for number := range 3 {
				p.publishes(w.Now(), pushedTopic, uint64(number+1), itemOf(number+1), w.Now())
				if number == 0 && c.oracle == "in order" {
					watch.Report(1, check.Delivered{Topic: pushedTopic, Version: 1, Content: itemOf(1)})
				}
			}
		} else {
			p.of(pushedTopic)
		}
		c.events(watch.Report)
		r.judges.finish(w)
		if failures := r.judges.failures(); !slices.ContainsFunc(failures,
			func(f Failure) bool { return f.Oracle == c.oracle }) {
			t.Errorf("%s does not fail: %v", c.oracle, failures)
		}
	}
}
