package rappel

import (
	"fmt"
	"time"
)

// Config holds the constants of the protocol and the bounds of what a node keeps. Start from Default, or from Paper.
type Config struct {
	// Friends is how many friends a node has at most: alpha, 6 in the paper (section 3.1). More cover more topics, and
	// each costs a ping a period.
	Friends int

	// Fans is how many nodes may have this one for a friend: 2·alpha (section 3.1). More make popular nodes pay.
	Fans int

	// Candidates bounds the nodes remembered as possible friends: 3·alpha² + 2·alpha (section 3.3), 300 bytes each.
	Candidates int

	// Audit is how often a candidate is examined: 30 s (section 3.4). Oftener improves friends sooner and fetches more
	// profiles, 200 bytes each.
	Audit time.Duration

	// Gain is how much more utility replaces a friend: 0.01 (delta, section 3.4). With less, friends alternate.
	Gain float64

	// Useful is what makes a node a useful friend (section 3.2). Anything but InterestAndDistance is there to see what
	// either is good for (figure 9).
	Useful Useful

	// Cover makes a node prefer friends that together cover more of its topics, before their utility. A node with
	// enough fans lets one go that does not need it, for one that does: one with other friends that do not cover all
	// that it does. In the paper utility alone counts, in which distance can outweigh topics, and fans are admitted as
	// they come.
	Cover bool

	// Children is how many children a node has in one tree: beta, 5 (section 4.1). Fewer deepen trees; more load nodes.
	Children int

	// Ping is how often a neighbour is pinged: 30 s (section 3.3). Oftener finds dead parents sooner.
	Ping time.Duration

	// PingTimeout is when a neighbour that did not answer counts as dead: 15 s (section 3.3).
	PingTimeout time.Duration

	// PingRetry is after how long an unanswered ping is repeated, until PingTimeout; 0 as in the paper: never. Without
	// it each lost message costs a neighbour.
	PingRetry time.Duration

	// Rejoin is how often a node looks for a better place: 10 min (section 4.3). Oftener shortens paths and costs
	// joins.
	Rejoin time.Duration

	// RejoinSoon is after how long a node that has a new place looks for a better one. It doubles up to Rejoin. The
	// paper waits for Rejoin.
	RejoinSoon time.Duration

	// Improve makes a node refuse places in a rejoin with a path from the root that is not shorter, and try more
	// branches. Once it waits for Rejoin, it drives no child out. Parents send down the child with the least cost. The
	// paper accepts every offered place, so that trees at rest never stop moving.
	Improve bool

	// Orphans makes a node call the children of a dead child to it, as soon as it knows: at the next update, where the
	// transport reports dead connections, instead of at the next ping. The paper has no such thing.
	Orphans bool

	// JoinTimeout is how long an answer to a Join is waited for. The paper says nothing.
	JoinTimeout time.Duration

	// JoinRetry is how long a node without a parent waits when no node admitted it; it doubles up to JoinSlow.
	JoinRetry, JoinSlow time.Duration

	// Forwards is how often a joining node lets itself be sent on before it begins anew.
	Forwards int

	// Parting is how long a node that leaves, or a child that was evicted, goes on being served: 30 s (section 4.4).
	Parting time.Duration

	// Cache is how many of a topic's latest updates a node keeps for those that lack them: 10 (section 4.1).
	Cache int

	// Pull is how long a gap may last before the parent is asked, and how long each asked node may need. A shorter wait
	// only pulls updates that others overtook.
	Pull time.Duration

	// PullTries is how many nodes must say that they lack the missing update before it is given up: the parent twice,
	// then those above, the root last.
	PullTries int

	// Void is how often a root that has nothing to say sends the latest number (section 4.1: periodically).
	Void time.Duration

	// Inspect is how often a member compares what it has with another ancestor than its parent, which may swallow
	// updates. The paper suggests it, without a figure.
	Inspect time.Duration

	// Stagger is the time between two joins at roots in a virgin session: 20 s. StaggeredJoins is how many of them
	// there are: 12 (section 5.2). Topics that are uncovered then are joined at once.
	Stagger        time.Duration
	StaggeredJoins int

	// PublishRetry is how long a secondary publisher waits for the root to accept an event. Then it sends the event
	// again, up to PublishTries times in all. The wait doubles.
	PublishRetry time.Duration
	PublishTries int

	// Recent bounds the age of updates that are sent to a new root, in case that they did not reach all members.
	Recent time.Duration

	// Idle is how long a root keeps a tree that nobody is in.
	Idle time.Duration

	// Bounds of what a node keeps besides; what would go beyond is refused and traced.
	MaxTrees   int
	MaxUntaken int // events that no root has accepted yet

	// PeerRate and PeerBurst bound how many requests of one peer are answered a second, and at once. MaxMetered is of
	// how many peers that is counted.
	PeerRate, PeerBurst int
	MaxMetered          int
}

// Useful says what the utility of friends is made of.
type Useful uint8

// What a friend can be useful by.
const (
	InterestAndDistance Useful = iota
	InterestAlone
	DistanceAlone
)

// Default returns what an ordinary network uses: the paper's values, with what finds dead ancestors sooner.
func Default() Config {
	const alpha = 6
	return Config{
		Friends: alpha, Fans: 2 * alpha, Candidates: 3*alpha*alpha + 2*alpha,
		Audit: 30 * time.Second, Gain: 0.01, Cover: true, Children: 5,
		Ping: 30 * time.Second, PingTimeout: 15 * time.Second, PingRetry: 4 * time.Second,
		Rejoin: 10 * time.Minute, RejoinSoon: 30 * time.Second, Improve: true, Orphans: true,
		JoinTimeout: 5 * time.Second, JoinRetry: 2 * time.Second, JoinSlow: time.Minute, Forwards: 32,
		Parting: 30 * time.Second, Cache: 10, Pull: 2 * time.Second, PullTries: 4,
		Void: 5 * time.Minute, Inspect: 5 * time.Minute,
		Stagger: 20 * time.Second, StaggeredJoins: 12,
		PublishRetry: 2 * time.Second, PublishTries: 6, Recent: 2 * time.Minute, Idle: 10 * time.Minute,
		MaxTrees: 1 << 14, MaxUntaken: 256,
		PeerRate: 20, PeerBurst: 200, MaxMetered: 1024,
	}
}

// patience is how long a fan or a child is believed to be there without a ping (section 3.3).
func (c *Config) patience() time.Duration { return c.Ping + c.PingTimeout }

// Paper returns the paper's way where Default departs from it: a ping is sent once, rejoining nodes accept every place,
// orphans are not called.
func Paper() Config {
	c := Default()
	c.PingRetry, c.Cover, c.Improve, c.Orphans = 0, false, false, false
	c.RejoinSoon = c.Rejoin
	return c
}

// Validate returns what is wrong with c, nil if nothing.
func (c Config) Validate() error {
	for _, d := range []struct {
		name string
		d    time.Duration
	}{
		{"Audit", c.Audit}, {"Ping", c.Ping}, {"PingTimeout", c.PingTimeout}, {"Rejoin", c.Rejoin},
		{"RejoinSoon", c.RejoinSoon}, {"JoinTimeout", c.JoinTimeout}, {"JoinRetry", c.JoinRetry},
		{"JoinSlow", c.JoinSlow}, {"Parting", c.Parting}, {"Pull", c.Pull}, {"Void", c.Void}, {"Inspect", c.Inspect},
		{"Stagger", c.Stagger}, {"PublishRetry", c.PublishRetry}, {"Recent", c.Recent}, {"Idle", c.Idle},
	} {
		if d.d <= 0 {
			return fmt.Errorf("rappel: %s is %v, not above zero", d.name, d.d)
		}
	}
	if c.PingRetry < 0 || !(c.Gain >= 0 && c.Gain <= 1) {
		return fmt.Errorf("rappel: PingRetry is %v and Gain %v, not 0 or more, and 1 at most", c.PingRetry, c.Gain)
	}
	for _, n := range []struct {
		name           string
		n, least, most int
	}{
		{"Friends", c.Friends, 1, maxFriends}, {"Fans", c.Fans, 1, 1024}, {"Candidates", c.Candidates, 1, 1 << 14},
		{"Useful", int(c.Useful), 0, int(DistanceAlone)},
		{"Children", c.Children, 1, maxChildren}, {"Forwards", c.Forwards, 1, 1024}, {"Cache", c.Cache, 1, 64},
		{"PullTries", c.PullTries, 1, 16}, {"StaggeredJoins", c.StaggeredJoins, 0, 1024},
		{"PublishTries", c.PublishTries, 1, 16}, {"MaxTrees", c.MaxTrees, 1, 1 << 20},
		{"MaxUntaken", c.MaxUntaken, 1, 1 << 16}, {"PeerRate", c.PeerRate, 1, 1 << 20},
		{"PeerBurst", c.PeerBurst, 1, 1 << 20}, {"MaxMetered", c.MaxMetered, 1, 1 << 20},
	} {
		if n.n < n.least || n.n > n.most {
			return fmt.Errorf("rappel: %s is %d, not between %d and %d", n.name, n.n, n.least, n.most)
		}
	}
	return nil
}
