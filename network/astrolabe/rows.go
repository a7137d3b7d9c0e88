package astrolabe

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// stamps are what a node makes rows with: each is later than the one before.
type stamps struct {
	keys engine.Keys
	time uint32 // of the last one, or a later one of another node
}

// stamp makes a row of a content, which holds for a while from now on; 0: not any more.
func (s *stamps) stamp(c *table.Content, holds time.Duration, now time.Time) table.Row {
	s.time = max(s.time+1, wallTime(now))
	stamp := &table.Stamp{Time: s.time, Lifetime: uint16(holds / time.Second), Content: c.Digest()}
	copy(stamp.Signature[:], s.keys.Sign(stamp.Words()))
	return table.Row{Content: c, Stamp: stamp}
}

// follow makes later rows supersede one of a time: it may be another node's, or from before a restart.
func (s *stamps) follow(time uint32) { s.time = max(s.time, time) }

// write puts a row of the node's own into the table at a depth, and pushes it if it is news.
func (n *Node) write(depth int, c *table.Content) (news bool) {
	if old, _, ok := n.branch.tables[depth].Known(c.Label, 0); ok {
		n.stamps.follow(old.Time)
	}
	_, hold := n.config.Stamps(c.Attributes)
	r := n.stamps.stamp(c, hold, n.env.Wall())
	_, news = n.branch.tables[depth].Put(r, 0, n.env.Now())
	if news {
		n.learned(depth, r, false)
		n.passOn(depth, table.Sent{Row: r}, engine.Peer{})
	} else if zone.IsZone(c.Label) {
		n.notifyOthers(depth, r)
	}
	return news
}

// notifyOthers reports to the other representatives of a zone that its row has been stamped anew, so that it is not
// their turn.
func (n *Node) notifyOthers(depth int, r table.Row) {
	for _, p := range Representatives(r) {
		if p.ID != n.env.Self().ID && !n.Down(p.ID) {
			n.sendRows(p, depth, []Update{updateOf(n.env.Rand(), depth, table.Sent{Row: r}, true)})
		}
	}
}

// issueOwn writes the node's own row.
func (n *Node) issueOwn() {
	self := n.env.Self()
	depth := n.branch.lowest()
	n.write(depth, &table.Content{
		Zone: n.branch.path, Label: n.branch.label, Issuer: self, Attributes: n.ownAttributes(), Proof: n.seams.Proof,
	})
}

// ownAttributes returns what the node's row says.
func (n *Node) ownAttributes() attr.Row {
	return MemberAttributes(n.env.Self(), append(slices.Clone(n.own), n.bearing.announce()...), n.env.Now()-n.started)
}

// MemberAttributes returns the attributes of a member that is up for a while, with its own ones.
func MemberAttributes(p engine.Peer, own attr.Row, up time.Duration) attr.Row {
	rep := PeerValue(p)
	return attr.Of(append(slices.Clone(own),
		attr.Attribute{Name: AttrMembers, Value: attr.Int(1)},
		attr.Attribute{Name: AttrRep, Value: rep},
		attr.Attribute{Name: AttrReps, Value: attr.Bytes(attr.AppendList(nil, rep.Bytes))},
		attr.Attribute{Name: AttrUp, Value: attr.Int(int64(up / time.Hour))},
	)...)
}

// maybeRefresh stamps the node's own row anew, if that is due, or it says what is no longer so.
func (n *Node) maybeRefresh() {
	depth := n.branch.lowest()
	_, age, ok := n.branch.tables[depth].Known(n.branch.label, n.env.Now())
	if !ok || age >= n.config.Refresh {
		n.issueOwn()
	}
}

// Errors of rows that are refused.
var (
	errPlace    = errors.New("a row that belongs elsewhere")
	errDigest   = errors.New("a stamp of another content")
	errFuture   = errors.New("a time that is far ahead")
	errLifetime = errors.New("a lifetime beyond the bound")
	errLabel    = errors.New("a label that is none, or another's")
	errSigned   = errors.New("a signature that is false")
	errSize     = errors.New("more attributes than a member may have that nobody has certified")
)

// admit returns an error unless a row may stand in the table of a zone on the node's path. What was checked of a
// content that is held already is not checked again.
func (n *Node) admit(p zone.Path, r table.Row, held bool) error {
	if int64(r.Time) > n.env.Wall().Add(table.MaxAhead).Unix() {
		return errFuture
	}
	if zone.IsFunction(r.Label) {
		return n.admission.admitFunction(p, r, n.env.Wall())
	}
	if time.Duration(r.Lifetime)*time.Second > MaxLifetime {
		return errLifetime
	}
	if !held {
		most := n.config.MaxAttributes
		if n.admission.closed { // an authority answers for members
			most = math.MaxInt
		}
		if err := admitContent(p, r, most); err != nil {
			return err
		}
	}
	// also of a content that is held: a certificate expires
	if err := n.admission.mayWrite(r, n.env.Wall()); err != nil {
		return err
	}
	if !n.seams.Keys.Signed(r.Issuer, r.Words(), r.Signature[:]) {
		return errSigned
	}
	return nil
}

// admitContent checks what a row of a member or a zone says. most is how many bytes of attributes a member may have.
func admitContent(p zone.Path, r table.Row, most int) error {
	switch {
	case r.Zone != p:
		return errPlace
	case r.Content.Digest() != r.Stamp.Content:
		return errDigest
	case zone.IsMember(r.Label) && r.Label != zone.Member(r.Issuer.ID), !zone.IsMember(r.Label) &&
		!zone.IsZone(r.Label):
		return errLabel
	case p.Depth() == zone.MaxDepth && !zone.IsMember(r.Label):
		return errPlace
	}
	if err := r.Attributes.Validate(); err != nil {
		return err
	}
	if zone.IsMember(r.Label) && r.Attributes.Size() > most {
		return errSize
	}
	return nil
}

// accept accepts a row that a peer has sent. It reports whether that was news.
func (n *Node) accept(from engine.Peer, depth int, u *Update) (r table.Row, news bool) {
	s, ok := u.Stamp.(*table.Stamp)
	t := &n.branch.tables[depth]
	if !ok || !t.Newer(u.Label, s) {
		return table.Row{}, false
	}
	r = table.Row{Stamp: s}
	old, _, held := t.Known(u.Label, 0)
	held = held && old.Stamp.Content == s.Content
	if held {
		r.Content = old.Content
	} else if r.Content, ok = u.Content.(*table.Content); !ok {
		return table.Row{}, false
	}
	p := n.branch.path.At(depth)
	err := n.admit(p, r, held)
	if err == nil && r.Label != u.Label {
		err = errLabel
	}
	if err != nil {
		n.env.Trace(Refused{from, p, fmt.Errorf("the row %q: %w", u.Label, err)})
		return table.Row{}, false
	}
	if r.Issuer.ID == n.env.Self().ID && zone.IsMember(r.Label) && n.outlive(depth, r) {
		return table.Row{}, false
	}
	_, news = t.Put(r, time.Duration(u.Age)*time.Second, n.env.Now())
	n.down.lives(r.Issuer.ID, n.env.Now()-time.Duration(u.Age)*time.Second)
	if news {
		n.learned(depth, r, r.Gone())
	}
	return r, news
}

// outlive writes the node's own row anew where others know a later one, from before a restart, and withdraws one of a
// zone that it is no longer a member of. It reports whether it has done either: a row that says that the node has left
// is right.
func (n *Node) outlive(depth int, r table.Row) bool {
	n.stamps.follow(r.Time)
	switch {
	case depth == n.branch.lowest():
		n.issueOwn()
	case !r.Gone() && !hasMoved(r):
		n.farewell(r.Zone, 0)
	default:
		return false
	}
	return true
}
