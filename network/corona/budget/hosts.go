package budget

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// hosts divides, as owner of hosts, the requests of each host among its channels.
type hosts struct {
	*core
	index  map[engine.ID]*host
	list   []*host // in the order of arrival
	claims int     // of all; at most Config.MaxHostClaims
	secret [16]byte
	began  bool
}

// host is one of them.
type host struct {
	key       engine.ID
	claims    []*claimed // in the order of arrival
	index     map[engine.ID]*claimed
	divided   time.Duration // when it was last divided
	announced time.Duration // until when primaries were asked not to poll it
	due       bool          // it is about to be divided
}

// claimed is a channel with a claim by its primary and proved readers.
type claimed struct {
	channel   engine.ID
	by        engine.Peer
	claim     Claim
	proved    uint32 // readers that the proof was for, as claimed
	sample    []roster.Sampled
	claimedAt time.Duration
	pending   bool          // an answer is owed
	wait      time.Duration // until when the host asked not to be polled, by Env.Now
	held      []held        // at most maxHeld
	latest    held          // followed by an honest primary
}

// Bounds of claims.
const (
	claimsLast    = 3  // maintenance intervals, without renewal
	proveAgain    = 16 // one in so many claims needs a new proof
	proveMore     = 4  // fraction of the proved readers beyond which a claim needs a new proof
	divideEvery   = 120
	divideWait    = 200 * time.Millisecond
	divideSlower  = 1000 // channels that make it rarer once more
	freshReaders  = 2    // times Config.Forget: older subscriptions prove nothing
	claimantShare = 16   // fraction of Config.MaxHostClaims that one primary can have
	longestWait   = 24 * time.Hour
)

// begin begins to review once the load of hosts is bounded.
func (h *hosts) begin() {
	if !h.Hosted() || h.began {
		return
	}
	h.began = true
	for i := range 2 {
		binary.BigEndian.PutUint64(h.secret[8*i:], h.Env.Rand().Uint64())
	}
	h.Env.After(h.Jitter(h.config.Maintenance), h.review)
}

// handClaims passes claims that were routed here to the owners of their host.
func (h *hosts) handClaims(m *Claims) {
	owners, _ := h.Ring.Owners(m.Host, h.owners())
	handed := *m
	handed.Handed = true
	for _, p := range owners {
		h.Env.Send(p, &handed)
	}
}

// owns reports whether this node divides a host, as far as it knows.
func (h *hosts) owns(key engine.ID) bool {
	owners, _ := h.Ring.Owners(key, h.owners())
	return h.Hosted() && slices.ContainsFunc(owners, h.IsSelf)
}

// receiveClaims handles claims. A claim with a proof on record, by the node that proved it, is answered at the next
// division. For the others it asks for proof, and keeps nothing: the claimant is not authenticated.
func (h *hosts) receiveClaims(from engine.Peer, m *Claims) {
	if !m.Handed || !h.Ring.Active() || !h.owns(m.Host) {
		return
	}
	of := h.index[m.Host]
	request := &AskProof{Host: m.Host}
	for i := range m.Claims {
		c := &m.Claims[i]
		channel := engine.IDOf([]byte(c.URL))
		if HostKey(c.URL) != m.Host || !h.MayLead(m.Node.ID, channel) {
			continue
		}
		var known *claimed
		if of != nil {
			known = of.index[channel]
		}
		now := h.Env.Now()
		switch {
		case known != nil && known.by == m.Node && from.ID != m.Node.ID &&
			now < known.claimedAt+claimsLast*h.config.Maintenance:
			// The node that passed this on may have invented it: it does not change the claim. The primary also claims
			// directly, unless it has restarted and knows no owners: then the grants make it known.
			if now >= known.claimedAt+claimRetry {
				known.pending = true
				h.divideSoon(of)
			}
		case known == nil || known.by.ID != m.Node.ID || from.ID != m.Node.ID || h.doubts(known, c):
			request.Asks = append(request.Asks, AskFor{channel, h.nonce(channel, m.Node.ID, 0)})
		default:
			known.by = from // it may have another address
			h.reclaim(of, known, c)
		}
	}
	if len(request.Asks) > 0 {
		h.Env.Send(m.Node, request)
	}
}

// doubts reports whether a claim needs another proof.
func (h *hosts) doubts(known *claimed, c *Claim) bool {
	return c.Readers > known.proved+known.proved/proveMore || h.Env.Rand().IntN(proveAgain) == 0
}

// nonce returns the number that selects the subscriptions that a primary is to show. It changes each maintenance
// interval, and nobody can know it before.
func (h *hosts) nonce(channel, by engine.ID, ago int64) uint64 {
	b := append(h.secret[:], channel[:]...)
	b = append(b, by[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(int64(h.Env.Now()/h.config.Maintenance)-ago))
	sum := sha256.Sum256(b)
	return binary.BigEndian.Uint64(sum[:])
}

// receiveProof handles a claim with proof of its readers.
func (h *hosts) receiveProof(from engine.Peer, m *Proof) {
	channel := engine.IDOf([]byte(m.Claim.URL))
	switch {
	case !h.Ring.Active(), !h.owns(m.Host), HostKey(m.Claim.URL) != m.Host, !h.MayLead(from.ID, channel):
		return
	case m.Nonce != h.nonce(channel, from.ID, 0) && m.Nonce != h.nonce(channel, from.ID, 1):
		return
	}
	h.checkSample(m, channel, func(signed []roster.Sampled) {
		if len(signed) > 0 {
			h.proved(from, m, channel, signed)
		}
	})
}

// proved records a claim with a true proof.
func (h *hosts) proved(from engine.Peer, m *Proof, channel engine.ID, sample []roster.Sampled) {
	of := h.index[m.Host]
	if of == nil {
		of = &host{key: m.Host, index: make(map[engine.ID]*claimed)}
	}
	c := of.index[channel]
	if c == nil {
		few := h.config.MaxHostClaims / claimantShare
		if h.claims >= h.config.MaxHostClaims || of.claimsBy(from.ID, few) > few {
			h.LimitHit("MaxHostClaims", h.config.MaxHostClaims)
			return
		}
		if len(of.claims) == 0 {
			h.index[of.key] = of
			h.list = append(h.list, of)
		}
		c = &claimed{channel: channel}
		of.index[channel] = c
		of.claims = append(of.claims, c)
		h.claims++
	}
	c.by, c.proved, c.sample = from, m.Claim.Readers, sample
	h.reclaim(of, c, &m.Claim)
}

// claimsBy returns how many channels of a host one primary has claimed, if the host has more than few. It is called for
// new ones only.
func (of *host) claimsBy(by engine.ID, few int) (count int) {
	for _, c := range of.claims {
		if len(of.claims) > few && c.by.ID == by {
			count++
		}
	}
	return count
}

// reclaim updates a claim, which will be answered.
func (h *hosts) reclaim(of *host, c *claimed, claim *Claim) {
	c.claim, c.claimedAt, c.pending, c.wait = *claim, h.Env.Now(), true, 0
	if !claim.Size.Valid() {
		c.claim.Size = machine.Alone
	}
	if claim.Wait > 0 {
		c.wait = h.Env.Now() + min(time.Duration(claim.Wait)*time.Second, longestWait)
	}
	h.divideSoon(of)
}

// divideSoon schedules the division of a host, not too soon after the last.
func (h *hosts) divideSoon(of *host) {
	if of.due {
		return
	}
	of.due = true
	wait := divideWait
	if of.divided > 0 {
		pause := h.config.Maintenance / divideEvery * time.Duration(1+len(of.claims)/divideSlower)
		wait = max(wait, of.divided+pause-h.Env.Now())
	}
	h.Env.After(wait, func() {
		of.due, of.divided = false, h.Env.Now()
		h.divide(of)
	})
}

// review drops, once a maintenance interval, claims that were not renewed, and hosts that other nodes now divide.
func (h *hosts) review() {
	h.Env.After(h.Jitter(h.config.Maintenance), h.review)
	now := h.Env.Now()
	h.list = slices.DeleteFunc(h.list, func(of *host) bool {
		mine := h.owns(of.key)
		of.claims = slices.DeleteFunc(of.claims, func(c *claimed) bool {
			c.expire(h.Env.Wall().Unix())
			if len(c.held) > 0 || mine && now < c.claimedAt+claimsLast*h.config.Maintenance {
				return false
			}
			delete(of.index, c.channel)
			h.claims--
			return true
		})
		if len(of.claims) == 0 {
			delete(h.index, of.key)
		}
		return len(of.claims) == 0
	})
}
