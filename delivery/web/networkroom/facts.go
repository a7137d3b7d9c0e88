package networkroom

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/web/wording"
	"tidings/view"
)

// fact is one thing that the network means for people here.
type fact struct {
	Name string
	wording.Word
	Href, Link string // where more is to be seen or done; empty: nowhere
}

// Facts are what a person wants to know first: how many nodes work together, how soon changes are found, how many
// requests that costs sites and other nodes, and what is wrong.
func (p page) Facts() []fact {
	facts := []fact{{Name: p.say.Text("Nodes that work together"), Word: p.Standing}, p.soonFact()}
	if len(p.Near) > 0 {
		facts = append(facts, requestsFact(p.say, p.Coop.Day), sharedFact(p.say, p.Coop.Day))
	}
	if p.wrong() {
		return append(facts,
			fact{Name: p.say.Text("What is wrong"),
				Word: p.say.Bad("Something needs you", "It stands above, with what to do about it.")})
	}
	return append(facts, fact{Name: p.say.Text("What is wrong"), Word: p.say.Good("Nothing", "")})
}

// soonFact says how soon changes are found here, and how soon a node alone would find them.
func (p page) soonFact() fact {
	f := fact{Name: p.say.Text("How soon changes are found")}
	interval := p.Coop.Params.Interval
	alone := p.say.Soon(interval / 2)
	by := p.say.Text("A node alone checks a channel every %s, and finds a change after half of that on average.",
		p.say.Soon(interval))
	switch d := p.Coop.Detection; {
	case p.Followed.Public == 0:
		f.Word = p.say.Idle("Nothing to share yet", "Nodes check public channels for each other, and you follow none.")
		f.Href, f.Link = "/add", p.say.Text("Follow something")
	case interval <= 0:
		f.Word = p.say.Idle("Not known yet", "This node has not agreed with others how often to check.")
	case len(p.Near) == 0:
		f.Word = wording.Idle(p.say.Text("After %s on average", alone),
			p.say.Text("This node checks its channels by itself, every %s. With other nodes it is sooner.",
				p.say.Soon(interval)))
	case d.Changes > 0:
		f.Word = wording.Good(p.say.Text("After %s; alone %s", p.say.Soon(d.Median), alone),
			p.say.Text("Half of %s were found sooner, of which sites stated the time.",
				p.say.Count(int64(d.Changes), "change", "changes"))+" "+by)
		f.Href, f.Link = viewPath(viewSharing)+"#detection", p.say.Text("All times")
	case p.Followed.Expected > 0:
		f.Word = wording.Good(p.say.Text("About %s; alone %s", p.say.Soon(p.Followed.Expected), alone),
			p.say.Text("So soon it is to be expected for half of your public channels; nothing was measured yet.")+" "+
				by)
	default:
		f.Word = wording.Idle(p.say.Text("Not known yet; alone %s", alone),
			p.say.Text("No site has stated when it changed, and no channel’s owner how many nodes check it.")+" "+by)
	}
	return f
}

// requestsFact says how many requests sites got from here, and how many without other nodes.
func requestsFact(w wording.Words, day view.PollCounts) fact {
	f := fact{Name: w.Text("Requests to sites in 24 hours"), Href: viewPath(viewSharing),
		Link: w.Text("Who checked for whom")}
	f.Word = savedText(w, day)
	return f
}

// savedText says how many requests this node spares sites, or that it spares none.
func savedText(w wording.Words, c view.PollCounts) wording.Word {
	if c.Sent() == 0 && c.Readers == 0 {
		return w.Idle("None so far", "")
	}
	more := w.Text(
		"This node sent %s, all counted: also those to verify a change and for other nodes. Each reader here alone would have sent %s in all.",
		w.Number(c.Sent()), w.Number(c.Readers))
	if saved := c.Saved(); saved > 0 {
		return wording.Good(w.Text("%s spared", w.Number(saved)), more)
	}
	return wording.Idle(w.Text("None spared"),
		more+" "+w.Text("What is more is this node’s part of the work for all nodes."))
}

// sharedFact says what other nodes do for this one, and this one for others.
func sharedFact(w wording.Words, day view.PollCounts) fact {
	return fact{Name: w.Text("Work shared in 24 hours"), Word: wording.Good(
		w.Text("%s for you, %s by you", w.Count(day.ByOthers, "check", "checks"), w.Number(day.ForOthers)),
		w.Text("Other nodes made the first at channels that are followed here, as their owners say. This node made the others at what nobody here follows."))}
}

// followedOf sums up public channels.
func followedOf(public []tidings.Subscription) followed {
	var expected []time.Duration
	for _, f := range public {
		if f.Polling != nil && !f.Polling.Turns && f.Polling.Expected > 0 {
			expected = append(expected, f.Polling.Expected)
		}
	}
	slices.Sort(expected)
	sum := followed{Public: len(public)}
	if len(expected) > 0 {
		sum.Expected = expected[len(expected)/2]
	}
	return sum
}

// wrong reports whether something above the facts needs somebody.
func (p page) wrong() bool {
	return p.DuplicateKey || clockText(p.say, p.Clock) != "" || len(p.Notices()) > 0
}

// notice is something that is wrong, and what to do about it.
type notice struct{ What, Do, Href, Link string }

// Notices are what is wrong, but for the clock and another node with the same key.
func (p page) Notices() (all []notice) {
	if p.Coop != nil {
		if p.Coop.Refused != "" {
			all = append(all, notice{p.say.Text("Most others go by terms that this node does not take over."),
				wording.Sentence(p.say.Said(p.Coop.Refused), 200) + ".", viewPath(viewSharing),
				p.say.Text("The terms")})
		}
		if n := p.Coop.Pushes.Alarms; n > 0 {
			all = append(all,
				notice{p.say.Count(int64(n), "channel has a publisher’s key that you should decide about.",
					"channels have publishers’ keys that you should decide about."),
					p.say.Text("The list of channels names them."), "/channels", p.say.Text("The channels")})
		}
	}
	if z := p.Zones; z != nil && z.Problem != "" && !z.Soon {
		all = append(all,
			notice{wording.Plain(p.say.Said(z.Problem), 300), p.say.Text("It gets nothing of its zones.") + " " +
				wording.Sentence(p.say.Said(z.Hint), 300) + ".", viewPath(viewRouters) + "#zones",
				p.say.Text("The zones")})
	}
	if len(p.Addresses) == 0 {
		all = append(all,
			notice{p.say.Text("Others cannot find this node."),
				p.say.Text("It has no address. See whether this machine is connected, and what the node’s log says."),
				viewPath(viewNode), p.say.Text("This node")})
	}
	return all
}

// Joining reports whether the addresses to join by are worth a look: nobody is here yet, or one of them does not work.
func (p page) Joining() bool {
	return p.Show == viewNode || len(p.Joins) > 0 && len(p.Neighbours) == 0 ||
		slices.ContainsFunc(p.Joins, func(j view.Join) bool { return j.State != view.Joined })
}

// section is a page about the network, in one line.
type section struct{ Name, Href, Line string }

// Sections lead to the pages behind the overview.
func (p page) Sections() (all []section) {
	lines := map[string]string{viewRing: p.ringLine(), viewSharing: p.sharingLine(), viewRouters: p.routersLine(),
		viewTrust: p.trustLine(), viewNode: p.nodeLine()}
	for _, v := range views {
		if line := lines[v.Show]; line != "" {
			all = append(all, section{v.name(p.say), viewPath(v.Show), line})
		}
	}
	return all
}

func (p page) ringLine() string {
	nearest := view.Peer{}
	for _, o := range p.Near {
		if o.RTT > 0 && (nearest.RTT == 0 || o.RTT < nearest.RTT) {
			nearest = o.Peer
		}
	}
	if nearest.RTT > 0 {
		return p.say.Text("Where each node has its place, and how far away it is: the nearest neighbour answers in %s.",
			rttText(p.say, nearest.RTT))
	}
	return p.say.Text("Where each node has its place, and how far away it is.")
}

func (p page) sharingLine() string {
	switch {
	case p.Coop.Params.Polling == view.PollingVolunteer:
		return p.say.Text("Nodes check in turns, each every %s.", p.say.Soon(p.Coop.Params.Interval))
	case p.Coop.Policy != "":
		return p.say.Text("By the policy %s: %s.", wording.Plain(p.Coop.Params.Policy, 30), p.Coop.Policy)
	}
	return p.say.Text("Who checks for whom, and how soon changes are found.")
}

func (p page) routersLine() string {
	var parts []string
	if n := int64(len(p.Friends)); n > 0 {
		parts = append(parts, p.say.Count(n, "friend", "friends"))
	}
	if n := int64(len(p.Overlay.Links)); n > 0 {
		parts = append(parts, p.say.Count(n, "link", "links"))
	}
	if p.Zone != nil {
		parts = append(parts, p.say.Text("zone %s", wording.Plain(p.Zone.Own, 40)))
	}
	line := cmp.Or(p.Coop.Carried, p.say.Text("How updates come to this node."))
	if len(parts) > 0 {
		line += " " + p.say.Text("It has %s.", strings.Join(parts, ", "))
	}
	return line
}

func (p page) trustLine() string {
	of := map[tidings.TrustLevel]int{}
	for _, b := range p.Believed {
		of[b.Trust]++
	}
	line := p.say.Text("You believe all nodes alike")
	if len(p.Believed) > 0 {
		line = p.say.Text("You prefer %d and distrust %d", of[tidings.Preferred], of[tidings.Distrusted])
	}
	if n := len(p.Coop.Penalties); n > 0 {
		return line + "; " + p.say.Count(int64(n), "node has a penalty.", "nodes have penalties.")
	}
	return line + "; " + p.say.Text("no node has a penalty.")
}

func (p page) nodeLine() string {
	line := p.say.Count(int64(len(p.Addresses)), "address to give to others.", "addresses to give to others.") + " "
	switch p.Reachable {
	case view.ReachPublic:
		line += p.say.Text("Nodes outside can connect.")
	case view.ReachPrivate:
		line += p.say.Text("Nodes outside cannot connect; it works without, but slower.")
	default:
		line += p.say.Text("Whether nodes outside can connect is not known yet.")
	}
	if p.Sum.Sent+p.Sum.Received > 0 {
		line += " " + p.say.Text("Sent %s, received %s.", p.say.Bytes(int64(p.Sum.SentBytes)),
			p.say.Bytes(int64(p.Sum.ReceivedBytes)))
	}
	return line
}
