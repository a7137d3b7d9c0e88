package campaign

import (
	"errors"
	"slices"
	"time"

	"tidings/network"
	"tidings/network/corona/coronatest"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/live"
	"tidings/network/routers/rappel"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// judges are the oracles of a run. Those with a name of their own see more than events.
type judges struct {
	all     []oracle
	arrives *arrives
	genuine *genuine
	polite  *polite
	pushed  *pushed
	alone   *alone
	held    *held
	bounded *bounded
	quiet   *quiet
	ring    *verdict // it is right again within coronatest's settling, 15 minutes
	sound   *verdict // nothing panics
}

func (r *run) newJudges() judges {
	w := r.world
	j := judges{
		arrives: &arrives{within: w.arrival(), live: func(n sim.Node) time.Duration { return r.started[n] }},
		genuine: &genuine{}, held: &held{view: sight{r}}, bounded: &bounded{},
		quiet: &quiet{by: settling(w.Router, w.Upkeep)},
		ring:  &verdict{}, sound: &verdict{},
		polite: &polite{
			interval: w.Interval.D(), witnesses: w.Witnesses, ceiling: w.Ceiling, host: make(map[engine.ID]int),
			nodes: w.Nodes, inventors: w.invents(),
			served: make(map[engine.ID]time.Duration), restless: make(map[engine.ID]time.Duration),
		},
		pushed: w.newPushed(), alone: &alone{},
	}
	add := func(name string, c check.Checker) { j.all = append(j.all, oracle{name, honest{c, r.liars}}) }
	add("once", &check.Once{})
	add("in order", &gaps{pushed: j.pushed})
	add("genuine", j.genuine)
	if len(r.liars) == 0 {
		add("one content", polled{&check.OneContent{}, j.pushed})
	}
	add("one item", items{&check.OneContent{}, j.pushed})
	add("wanted", &check.Wanted{})
	if !w.lowCeiling() {
		add("arrives", j.arrives)
	}
	add("pushed", j.pushed)
	j.all = append(j.all, oracle{"alone", j.alone})
	j.all = append(j.all,
		oracle{"held", j.held}, oracle{"bounded", j.bounded},
		oracle{"queues", &check.Queues{Backlog: perLink()}},
		oracle{"quiet", j.quiet}, oracle{"ring", j.ring}, oracle{"sound", j.sound})
	if w.Ceiling > 0 { // else hosts have no budgets, and the policy Fast polls as often as its target needs
		j.all = append(j.all, oracle{"polite", j.polite})
	}
	switch w.Router {
	case network.Rappel.String():
		// A node that leaves serves its children until they have other parents (network/routers/rappel, doc.go). One
		// that has forgotten its parent has others, and does not say so.
		add("noiseless", &check.Noiseless{Grace: rappel.Default().Parting + lately, Except: r.mayCarry})
	case network.SpiderCast.String():
		add("noiseless", &check.Noiseless{Grace: lately, Except: r.mayCarry})
	}
	return j
}

// perLink is how many messages may wait for one node from another. A live node drops what is above, link by link: a
// node that is slow may have as many from each of its peers. Their sum is not judged.
func perLink() int { return live.DefaultLimits().QueueMessages }

// lately is how long an update may be under way to a node that no longer follows its channel: routertest's.
const lately = 10 * time.Second

// serves notes that an origin has a content from now on.
func (j *judges) serves(at time.Duration, topic engine.ID, content string) {
	name := coronatest.NameOf(coronatest.HashOf(content))
	j.genuine.serves(topic, name)
	j.arrives.changed(at, topic, name)
	j.polite.serves(at, topic)
}

// publishes notes that a publisher has signed an item.
func (j *judges) publishes(at time.Duration, topic engine.ID, i *feedtree.Item) {
	name := coronatest.NameOfItem(i)
	j.genuine.serves(topic, name)
	j.pushed.publishes(at, topic, i.Number, name, time.UnixMilli(i.Time).Sub(sim.Default(nil).Epoch))
}

// begin begins the second phase.
func (j *judges) begin(at time.Duration) {
	j.arrives.begin(at)
	j.pushed.begin(at)
	j.polite.begin(at)
}

// finish has all oracles look at the end of a run.
func (j *judges) finish(w *sim.World) {
	for _, o := range j.all {
		o.Finish(w)
		v := new(check.Violation)
		if errors.As(o.Err(), &v) && v.Seed == 0 {
			v.Seed = w.Seed()
			if v.Node >= 0 {
				v.ID = w.Peer(v.Node).ID
			}
		}
	}
}

// failures returns what was broken, the first of each kind.
func (j *judges) failures() (all []Failure) {
	for _, o := range j.all {
		if err := o.Err(); err != nil {
			all = append(all, Failure{o.name, err.Error()})
		}
	}
	return all
}

// has reports whether a failure is of an oracle.
func has(failures []Failure, oracle string) bool {
	return slices.ContainsFunc(failures, func(f Failure) bool { return f.Oracle == oracle })
}
