package node

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/sql"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/newswire"
	"tidings/network/pastry"
)

// zoned is the router newswire, and the zones under it. Both begin when they are first used: where the network has another router, the node sends
// nothing for them, and answers nothing.
type zoned struct {
	env   engine.Env
	ring  *pastry.Node
	seams astrolabe.Seams
	wire  newswire.Seams

	says  []attr.Attribute // of the node, once it begins
	asked bool             // people had said something of its zone when the node started: it begins whoever uses it

	zones *astrolabe.Node // nil: not used yet
	news  *newswire.Node

	newsTopics
}

// newZoned returns the router of a node that is in a zone, or in one below it that made itself. Where people have said something of its zone it begins
// when the node is in a ring, whoever uses it.
func newZoned(env engine.Env, ring *pastry.Node, member *zoneMember, keys engine.Keys, coordinates astrolabe.Coordinates, updates newsMember) *zoned {
	place, says := member.now()
	m := place.membership()
	z := &zoned{env: env, ring: ring, asked: place.chosen || len(says) > 0}
	z.seams = astrolabe.Seams{
		Keys: keys, Home: m.Home, Coordinates: coordinates, Trusted: m.Trusted, Closed: m.Closed, Proof: m.Proof,
		Compile: func(text string) (astrolabe.Function, error) { return sql.Compile(text) },
	}
	z.seams.OnPlaced = func(zone.Path) { updates.node.network.changed.Ring() }
	z.seams.OnDenied = func(by engine.Peer, why astrolabe.Denial) {
		updates.node.log.Warn("other nodes do not let this one into their zones", "why", why.String(), "said by", by.ID.Short())
		updates.node.network.changed.Ring()
	}
	ring.OnJoined(func(int) {
		if z.asked {
			env.After(0, z.begin) // now that there are nodes to ask
		}
	})
	updates.zoneOf = z.zoneOf
	z.wire = newswire.Seams{
		Member: updates, Wants: updates.node.wantsUpdate, Keys: keys, Log: updates.node.forwarding,
		Compile: func(text string) (newswire.Condition, error) { return sql.CompilePredicate(text) },
		// Updates of channels are signed by their owners, as any member can be.
		Vouched: func(_ engine.ID, event engine.Message) bool { _, ok := event.(*corona.Update); return ok },
	}
	for _, name := range slices.Sorted(maps.Keys(says)) {
		z.says = append(z.says, attr.Attribute{Name: name, Value: valueOf(says[name])})
	}
	return z
}

// rejoin has the node be in another zone, or show another certificate, and begin if it has not.
func (z *zoned) rejoin(m astrolabe.Membership) {
	if z.zones == nil {
		z.seams.Home, z.seams.Trusted, z.seams.Closed, z.seams.Proof = m.Home, m.Trusted, m.Closed, m.Proof
		z.begin()
		return
	}
	z.zones.Rejoin(m)
}

// begin has the node look for its zone, unless it has begun before.
func (z *zoned) begin() {
	if z.zones != nil {
		return
	}
	z.seams.Contacts = z.ring.Known()
	z.zones = astrolabe.New(z.env, astrolabe.Default(), z.seams)
	z.news = newswire.New(z.env, newswire.Default(), z.wire, z.zones)
	z.zones.Watch(z.news)
	z.zones.Set(z.says...)
	z.ring.OnNeighbours(func() { z.zones.Meet(z.ring.Known()...) })
}

// say has the node's row say something. Of what it says no more the router may have something to say itself.
func (z *zoned) say(a attr.Attribute) {
	z.begin()
	z.zones.Set(a)
	z.selectAgain()
}

// Join and Leave are as in router.Router.
func (z *zoned) Join(topic engine.ID) {
	z.begin()
	z.news.Join(topic)
}

func (z *zoned) Leave(topic engine.ID) {
	z.begin()
	z.news.Leave(topic)
}

// addTo puts both on a node's stack.
func (z *zoned) addTo(stack *engine.Stack) {
	stack.Add(engine.Astrolabe, zonePart{z})
	stack.Add(engine.NewsWire, newsPart{z})
}

// zonePart and newsPart hand messages on, once the node has begun.
type (
	zonePart struct{ *zoned }
	newsPart struct{ *zoned }
)

func (p zonePart) Receive(from engine.Peer, m engine.Message) {
	if p.zones != nil {
		p.zones.Receive(from, m)
	}
}

func (p zonePart) PeerDown(peer engine.Peer) {
	if p.zones != nil {
		p.zones.PeerDown(peer)
	}
}

func (p zonePart) Stop() {
	if p.zones != nil {
		p.zones.Stop()
	}
}

func (p newsPart) Receive(from engine.Peer, m engine.Message) {
	if p.news != nil {
		p.news.Receive(from, m)
	}
}

func (p newsPart) PeerDown(peer engine.Peer) {
	if p.news != nil {
		p.news.PeerDown(peer)
	}
}

func (p newsPart) Stop() {
	if p.news != nil {
		p.news.Stop()
	}
}

// Zone returns the table of a zone on the node's path, its own if path is empty, where the network's router is newswire.
func (n *network) Zone(ctx context.Context, path string) (tidings.Zone, error) {
	wanted := zone.Path("")
	if path != "" {
		p, err := zone.Parse(path)
		if err != nil {
			return tidings.Zone{}, fmt.Errorf("%w: %w", tidings.ErrInvalid, err)
		}
		wanted = p
	}
	result := tidings.Zone{Path: path, Rows: []tidings.ZoneRow{}}
	var missing error
	err := n.host.Do(ctx, func() {
		z := n.zoned.zones
		if z == nil {
			return
		}
		own, placed := z.Path()
		if !placed {
			return
		}
		if wanted == "" {
			wanted = own
		}
		t := z.Table(wanted)
		if t == nil {
			missing = fmt.Errorf("%w: this node is in %s, and keeps the tables of that zone and those above it alone, not that of %s", tidings.ErrNotFound, own, wanted)
			return
		}
		result.Path, result.Own = string(wanted), string(own)
		for r := range t.All() {
			if !zone.IsFunction(r.Label) || astrolabe.FunctionText(r) != "" {
				result.Rows = append(result.Rows, zoneRow(z, t, r, n.env.Now()))
			}
		}
	})
	if err != nil {
		return tidings.Zone{}, fmt.Errorf("asking the network: %w", err)
	}
	for i := range result.Rows {
		if r := &result.Rows[i]; r.Kind == tidings.ZoneFunction {
			r.Computes, r.Failure = computes(r.Attributes["text"])
		}
	}
	return result, missing
}

// computes returns which attributes a function gives to zones, or why it gives none.
func computes(text string) (names []string, failure string) {
	f, err := sql.Compile(text)
	if err != nil {
		return nil, err.Error()
	}
	defer f.Close()
	return f.Writes(), ""
}

// zoneRow returns a row as people see it.
func zoneRow(z *astrolabe.Node, t *table.Table, r table.Row, now time.Duration) tidings.ZoneRow {
	_, age, _ := t.Known(r.Label, now)
	row := tidings.ZoneRow{Label: r.Label, Issuer: r.Issuer.ID.String(), Written: time.Now().Add(-age), Attributes: make(map[string]string)}
	own, _ := z.Path()
	switch {
	case zone.IsFunction(r.Label):
		row.Kind, row.Installed = tidings.ZoneFunction, time.Unix(int64(r.Time), 0)
		row.Attributes["text"] = astrolabe.FunctionText(r)
		return row
	case zone.IsMember(r.Label):
		row.Kind = tidings.ZoneMember
		row.Members = 1
	default:
		row.Kind = tidings.ZoneChild
		row.Members = r.Attributes.Get(astrolabe.AttrMembers).Integer
		row.Within = r.Path().Contains(own)
	}
	for _, p := range astrolabe.Representatives(r) {
		row.Representatives = append(row.Representatives, p.ID.String())
	}
	for _, a := range r.Attributes {
		if !slices.Contains(toldOtherwise, a.Name) {
			row.Attributes[a.Name] = attributeText(a)
		}
	}
	return row
}

// toldOtherwise are attributes that a ZoneRow has fields for, and network coordinates, which say nothing to people.
var toldOtherwise = []string{astrolabe.AttrRep, astrolabe.AttrReps, astrolabe.AttrMembers, "x", "y", "z", "h"}

// attributeText returns a value as people read it: of a set of bits how many are set.
func attributeText(a attr.Attribute) string {
	switch v := a.Value; v.Type {
	case attr.Integer:
		return fmt.Sprint(v.Integer)
	case attr.Real:
		return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", v.Real), "0"), ".")
	case attr.Text:
		return string(v.Bytes)
	case attr.Blob:
		set := 0
		for i := range 8 * len(v.Bytes) {
			set += int(v.Bytes[i/8] >> (i % 8) & 1)
		}
		return fmt.Sprintf("%d of %d bits", set, 8*len(v.Bytes))
	}
	return ""
}
