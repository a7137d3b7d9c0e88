package corona

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// hosts is what this node divides as an owner of hosts: the requests that each may get among the
// channels that it has.
type hosts struct {
	index  map[engine.ID]*host
	list   []*host // in the order of coming
	claims int     // of all
	secret [16]byte
}

// host is one of them.
type host struct {
	key     engine.ID
	claims  []*claimed // in the order of coming
	index   map[engine.ID]*claimed
	divided time.Duration // when it was last
	told    time.Duration // until when primaries were told not to poll it
	due     bool          // it is about to be
}

// claimed is a channel whose primary has asked for grants, and has proved its readers.
type claimed struct {
	channel engine.ID
	by      engine.Peer
	claim   Claim
	proved  uint32 // readers that the proof was of, as the primary said
	sample  []roster.Sampled
	heard   time.Duration
	pending bool          // an answer is owed
	wait    time.Duration // until when the host asked not to be polled, by Env.Now
	held    []held
	latest  held // the latest of them: what an honest primary heeds
}

// held is a grant that was given and may be used still. What it costs is as it was then: whoever
// claims something else afterwards makes nothing dearer for others.
type held struct {
	portion
	until int64 // as long as it counts, in seconds since 1970
}

// Bounds of claims.
const (
	claimsLast    = 3  // maintenance intervals, without news
	maxHeld       = 4  // of one channel; more are counted as one
	proveAgain    = 16 // one in so many claims is to be proved anew
	proveMore     = 4  // part of the readers proved, beyond which more have to be
	divideEvery   = 120
	divideWait    = 200 * time.Millisecond
	divideSlower  = 1000 // channels that make it rarer once more
	maxInClaims   = 64   // claims, grants or asks in a message
	freshReaders  = 2    // times Config.Forget: older subscriptions prove nothing
	claimantShare = 16   // of Config.MaxHostClaims, part that one primary can have
)

func (n *budgeter) startHosts() {
	n.hosts.index = make(map[engine.ID]*host)
	if !n.Hosted() {
		return
	}
	for i := range 2 {
		binary.BigEndian.PutUint64(n.hosts.secret[8*i:], n.Env.Rand().Uint64())
	}
	n.Env.After(n.Jitter(n.config.Maintenance), n.reviewHosts)
}

// handClaims hands claims that were routed here to the owners of their host.
func (n *budgeter) handClaims(m *Claims) {
	owners, _ := n.Ring.Owners(m.Host, n.hostOwners())
	handed := *m
	handed.Handed = true
	for _, p := range owners {
		n.Env.Send(p, &handed)
	}
}

// ownsHost reports whether this node is an owner of a host, as far as it can tell.
func (n *budgeter) ownsHost(key engine.ID) bool {
	owners, _ := n.Ring.Owners(key, n.hostOwners())
	return slices.ContainsFunc(owners, n.IsSelf)
}

// takeClaims takes claims. Those of which there is a proof already, from who has proved it, are
// answered when the host is divided next; of the others proof is asked for, and nothing kept: who asks
// is unverified.
func (n *budgeter) takeClaims(from engine.Peer, m *Claims) {
	if !n.Hosted() || !n.Ring.Active() || !m.Handed || !n.ownsHost(m.Host) {
		return
	}
	h := n.hosts.index[m.Host]
	request := &AskProof{Host: m.Host}
	for i := range m.Claims {
		c := &m.Claims[i]
		channel := engine.IDOf([]byte(c.URL))
		if hostKey(c.URL) != m.Host || !n.MayLead(m.Node.ID, channel) {
			continue
		}
		var known *claimed
		if h != nil {
			known = h.index[channel]
		}
		switch {
		case known != nil && known.by.ID == m.Node.ID && from.ID != m.Node.ID:
			continue // it is told directly too
		case known == nil || known.by.ID != from.ID || n.doubts(known, c):
			request.Asks = append(request.Asks, AskFor{channel, n.nonce(channel, m.Node.ID, 0)})
		default:
			n.reclaim(h, known, c)
		}
	}
	if len(request.Asks) > 0 {
		n.Env.Send(m.Node, request)
	}
}

// doubts reports whether a claim needs another proof.
func (n *budgeter) doubts(known *claimed, c *Claim) bool {
	return c.Readers > known.proved+known.proved/proveMore || n.Env.Rand().IntN(proveAgain) == 0
}

// nonce returns the number that says which subscriptions a primary is to show. It changes from time to
// time, and nobody can know it before.
func (n *budgeter) nonce(channel, by engine.ID, ago int64) uint64 {
	b := append(n.hosts.secret[:], channel[:]...)
	b = append(b, by[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(int64(n.Env.Now()/n.config.Maintenance)-ago))
	sum := sha256.Sum256(b)
	return binary.BigEndian.Uint64(sum[:])
}

// takeProof takes a claim with proof of its readers.
func (n *budgeter) takeProof(from engine.Peer, m *Proof) {
	channel := engine.IDOf([]byte(m.Claim.URL))
	switch {
	case !n.Hosted() || !n.Ring.Active() || !n.ownsHost(m.Host):
		return
	case hostKey(m.Claim.URL) != m.Host || !n.MayLead(from.ID, channel):
		return
	case m.Nonce != n.nonce(channel, from.ID, 0) && m.Nonce != n.nonce(channel, from.ID, 1):
		return
	}
	sample := make([]roster.Sampled, 0, len(m.Subscriptions))
	var proofs []machine.Signed
	for i := range m.Subscriptions {
		s := &m.Subscriptions[i]
		again := slices.ContainsFunc(sample, func(t roster.Sampled) bool { return t.Node == s.Node.ID })
		if again || s.Count == 0 || !n.fresh(s.Stamp) {
			continue
		}
		count := float64(min(int64(s.Count), int64(n.config.MaxCount)))
		sample = append(sample, roster.Sampled{Node: s.Node.ID, Count: count, Rank: roster.Rank(s.Node.ID, count, m.Nonce)})
		proofs = append(proofs, machine.Signed{By: s.Node, Words: s.Words(channel), Signature: s.Signature})
	}
	n.CheckSigned(proofs, func(valid []bool) {
		var true1 []roster.Sampled
		for i, s := range sample {
			if valid[i] {
				true1 = append(true1, s)
			}
		}
		n.proved(from, m, channel, true1)
	})
}

// fresh reports whether a subscription was stamped lately enough to be renewed still.
func (n *budgeter) fresh(stamp uint64) bool {
	oldest := n.Env.Wall().Add(-freshReaders*n.config.Forget - clockError).UnixMilli()
	return int64(min(stamp, math.MaxInt64)) >= oldest
}

// proved takes a claim whose proof is true.
func (n *budgeter) proved(from engine.Peer, m *Proof, channel engine.ID, sample []roster.Sampled) {
	if len(sample) == 0 {
		return
	}
	h := n.hosts.index[m.Host]
	if h == nil {
		h = &host{key: m.Host, index: make(map[engine.ID]*claimed)}
	}
	c := h.index[channel]
	if c == nil {
		if n.hosts.claims >= n.config.MaxHostClaims || n.claimsOf(h, from.ID) > n.config.MaxHostClaims/claimantShare {
			n.LimitHit("MaxHostClaims", n.config.MaxHostClaims)
			return
		}
		if len(h.claims) == 0 {
			n.hosts.index[h.key] = h
			n.hosts.list = append(n.hosts.list, h)
		}
		c = &claimed{channel: channel}
		h.index[channel] = c
		h.claims = append(h.claims, c)
		n.hosts.claims++
	}
	c.by, c.proved, c.sample = from, m.Claim.Readers, sample
	n.reclaim(h, c, &m.Claim)
}

// claimsOf returns how many channels of a host one primary has claimed. It is asked for new ones alone.
func (n *budgeter) claimsOf(h *host, by engine.ID) (count int) {
	if len(h.claims) <= n.config.MaxHostClaims/claimantShare {
		return 0
	}
	for _, c := range h.claims {
		if c.by.ID == by {
			count++
		}
	}
	return count
}

// reclaim takes note of what a primary claims, and has it answered.
func (n *budgeter) reclaim(h *host, c *claimed, claim *Claim) {
	c.claim, c.heard, c.pending, c.wait = *claim, n.Env.Now(), true, 0
	c.claim.Bits = min(c.claim.Bits, alone)
	if claim.Wait > 0 {
		c.wait = n.Env.Now() + min(time.Duration(claim.Wait)*time.Second, maxWait)
	}
	n.divideSoon(h)
}

// divideSoon has a host divided, at once if it was not lately.
func (n *budgeter) divideSoon(h *host) {
	if h.due {
		return
	}
	h.due = true
	wait := divideWait
	if h.divided > 0 {
		pause := n.config.Maintenance / divideEvery * time.Duration(1+len(h.claims)/divideSlower)
		wait = max(wait, h.divided+pause-n.Env.Now())
	}
	n.Env.After(wait, func() {
		h.due, h.divided = false, n.Env.Now()
		n.divide(h)
	})
}

// reviewHosts forgets, once a maintenance interval, what is claimed no more, and what other nodes
// divide by now.
func (n *budgeter) reviewHosts() {
	n.Env.After(n.Jitter(n.config.Maintenance), n.reviewHosts)
	now := n.Env.Now()
	hosts := n.hosts.list[:0]
	for _, h := range n.hosts.list {
		mine := n.ownsHost(h.key)
		left := h.claims[:0]
		for _, c := range h.claims {
			n.expireHeld(c)
			if len(c.held) > 0 || mine && now < c.heard+claimsLast*n.config.Maintenance {
				left = append(left, c)
				continue
			}
			delete(h.index, c.channel)
			n.hosts.claims--
		}
		clear(h.claims[len(left):])
		if h.claims = left; len(left) > 0 {
			hosts = append(hosts, h)
			continue
		}
		delete(n.hosts.index, h.key)
	}
	clear(n.hosts.list[len(hosts):])
	n.hosts.list = hosts
}
