package zones

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"tidings"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/view"
)

// place is the intended zone of a node, and the authority for it.
type place struct {
	home   zone.Path
	file   cert.File // the authority that it trusts, if it has a key, and the node's own certificate
	closed bool
	chosen bool // a person has said one of these
}

// membership returns p as the protocol has it.
func (p place) membership() astrolabe.Membership {
	m := astrolabe.Membership{Home: p.home, Closed: p.closed, Proof: p.file.Chain}
	if p.trusts() {
		m.Trusted = []cert.Authority{p.file.Authority}
	}
	return m
}

func (p place) trusts() bool { return p.file.Authority.Key != nil }

// FingerprintOf returns what people know an authority's key by.
func FingerprintOf(key ed25519.PublicKey) feedtree.Fingerprint { return sha256.Sum256(key) }

func fingerprintOf(a cert.Authority) feedtree.Fingerprint { return FingerprintOf(a.Key) }

// with returns what p becomes by an order. It checks all but whether the certificate suffices: see problem.
func (p place) with(o view.ZoneOrder) (place, error) {
	p.chosen = true
	if o.Path != "" {
		home, err := zone.Parse(o.Path)
		if err != nil {
			return p, tidings.Invalidf("%v", err)
		}
		p.home = home
	}
	if o.Open {
		if o.Closed || o.Certificate != "" || o.Authority != "" {
			return p, tidings.Invalidf(
				"a network is open or closed: to open it, give neither certificate nor authority")
		}
		p.closed, p.file = false, cert.File{}
		return p, nil
	}
	p.closed = p.closed || o.Closed
	if o.Certificate != "" {
		f, err := cert.ParseFile([]byte(o.Certificate))
		switch {
		case err != nil:
			return p, tidings.Invalidf("the certificate cannot be used: %v", err)
		case len(f.Chain) == 0:
			return p, tidings.Invalidf(
				"the certificate cannot be used: it is the key of an authority alone, which has certified nothing yet")
		}
		if p.trusts() && o.Authority == "" && !p.file.Authority.Key.Equal(f.Authority.Key) {
			return p, tidings.Invalidf(
				"the certificate is by another authority than this node trusts: if that is right, say so by its fingerprint %s", fingerprintOf(f.Authority))
		}
		p.file = f
	}
	if o.Authority == "" {
		return p, nil
	}
	return p.trusting(o.Authority)
}

// trusting returns p with an authority, of which the text or the fingerprint is given.
func (p place) trusting(authority string) (place, error) {
	if wanted, err := feedtree.ParseFingerprint(strings.TrimSpace(authority)); err == nil {
		switch {
		case !p.trusts():
			return p, tidings.Invalidf(
				"of that authority nothing but the fingerprint is known: give its file, or a certificate by it too")
		case fingerprintOf(p.file.Authority) != wanted:
			return p, tidings.Invalidf("the certificate is by the authority %s, not by the one that was given",
				fingerprintOf(p.file.Authority))
		}
		return p, nil
	}
	f, err := cert.ParseFile([]byte(authority))
	if err != nil {
		return p, tidings.Invalidf("the authority cannot be used: %v", err)
	}
	if p.trusts() && len(p.file.Chain) > 0 && !p.file.Authority.Key.Equal(f.Authority.Key) {
		return p, tidings.Invalidf("the certificate of this node is by another authority: give one by the new one too")
	}
	p.file.Authority = f.Authority
	return p, nil
}

// problem returns why a node gets nothing of its zones, with a hint; "": nothing is known to be wrong.
func (p place) problem(self engine.ID, now time.Time) (text, hint string) {
	if !p.closed {
		return "", ""
	}
	again := fmt.Sprintf("have its authority certify node %s, then: tidings zone join %s --certificate FILE", self,
		p.home)
	if len(p.file.Chain) == 0 {
		return "This node has no certificate, and its network is closed.", again
	}
	last, err := p.file.Chain.Verify([]cert.Authority{p.file.Authority}, now)
	switch {
	case errors.Is(err, cert.ErrExpired):
		return "The certificate of this node for zones of the network has expired on " +
			p.until().Local().Format("2 January 2006") + ".", again
	case err != nil:
		return fmt.Sprintf("The certificate of this node for zones of the network does not count: %v.", err), again
	case !last.IsMember():
		return "The certificate that this node was given is one for an authority, not for a node.", again
	case last.Member != self:
		return fmt.Sprintf("The certificate that this node was given is one for the node %s.", last.Member), again
	case last.MayBe(p.home) != nil:
		return fmt.Sprintf("The certificate of this node is for %s, not for %s, where it was told to be.", last.Zone,
			p.home), again
	}
	return "", ""
}

// until returns when the node's certificate expires, without the grace that others give it.
func (p place) until() time.Time {
	until := uint64(1 << 40)
	for _, c := range p.file.Chain {
		until = min(until, c.NotAfter)
	}
	return time.Unix(int64(until), 0)
}

// soonExpired is how long before a certificate expires people are warned.
const soonExpired = 7 * 24 * time.Hour

// shown returns p as people see it.
func (p place) shown(self engine.ID, now time.Time) view.ZoneMembership {
	m := view.ZoneMembership{Home: string(p.home), Closed: p.closed}
	if p.trusts() {
		m.Authority = &view.ZoneAuthority{Zone: string(p.file.Authority.Zone),
			Fingerprint: fingerprintOf(p.file.Authority).String()}
	}
	if n := len(p.file.Chain); n > 0 {
		last := p.file.Chain[n-1]
		m.Certificate = &view.ZoneCertificate{Zone: string(last.Zone), Publish: last.Rights&cert.MayPublish != 0,
			Until: p.until()}
	}
	m.Problem, m.Hint = p.problem(self, now)
	if m.Problem == "" && m.Certificate != nil && p.closed && p.until().Sub(now) < soonExpired {
		m.Soon = true
		m.Problem = "The certificate of this node for zones of the network expires on " +
			p.until().Local().Format("2 January 2006 15:04") + "."
		m.Hint = fmt.Sprintf("have its authority certify node %s anew, then: tidings zone join %s --certificate FILE",
			self, p.home)
	}
	return m
}

// setting is where the store keeps a memory.
const setting = "zone"

// memory is a node's zone from run to run, as people have set it.
type memory struct {
	Home       string            `json:"home,omitempty"`
	File       string            `json:"file,omitempty"` // authority and certificate, as cert.File has them
	Closed     bool              `json:"closed,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
}

// recallPlace reads what was saved of the node's zone.
func recallPlace(text string) (p place, attributes map[string]string, err error) {
	p.home = zone.Root
	if text == "" {
		return p, nil, nil
	}
	var m memory
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return p, nil, fmt.Errorf("reading in which zone the node is: %w", err)
	}
	o := view.ZoneOrder{Path: m.Home, Closed: m.Closed}
	if m.File != "" {
		if p.file, err = cert.ParseFile([]byte(m.File)); err != nil {
			return p, nil, fmt.Errorf("reading the certificate of the node's zone: %w", err)
		}
	}
	if m.Home == "" {
		return p, m.Attributes, nil
	}
	p, err = p.with(o)
	return p, m.Attributes, err
}

func (p place) text(attributes map[string]string) (string, error) {
	m := memory{Closed: p.closed, Attributes: attributes}
	if p.chosen {
		m.Home = string(p.home)
	}
	if p.trusts() {
		m.File = string(p.file.Text())
	}
	text, err := json.Marshal(m)
	return string(text), err
}
