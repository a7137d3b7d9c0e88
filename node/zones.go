package node

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/sql"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
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

	zones *astrolabe.Node // nil: not used yet
	news  *newswire.Node

	newsTopics
}

// newZoned returns the router of a node that is in a zone, or in one below it that made itself.
func newZoned(env engine.Env, ring *pastry.Node, home zone.Path, keys engine.Keys, coordinates astrolabe.Coordinates, member newsMember) *zoned {
	return &zoned{
		env: env, ring: ring,
		seams: astrolabe.Seams{Keys: keys, Home: home, Coordinates: coordinates, Compile: func(text string) (astrolabe.Function, error) { return sql.Compile(text) }},
		wire:  newswire.Seams{Member: member, Wants: member.node.wantsUpdate, Keys: keys, Compile: func(text string) (newswire.Condition, error) { return sql.CompilePredicate(text) }},
	}
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
	z.ring.OnNeighbours(func() { z.zones.Meet(z.ring.Known()...) })
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
			result.Rows = append(result.Rows, zoneRow(z, t, r, n.env.Now()))
		}
	})
	if err != nil {
		return tidings.Zone{}, fmt.Errorf("asking the network: %w", err)
	}
	return result, missing
}

// zoneRow returns a row as people see it.
func zoneRow(z *astrolabe.Node, t *table.Table, r table.Row, now time.Duration) tidings.ZoneRow {
	_, age, _ := t.Known(r.Label, now)
	row := tidings.ZoneRow{Label: r.Label, Issuer: r.Issuer.ID.String(), Written: time.Now().Add(-age), Attributes: make(map[string]string)}
	own, _ := z.Path()
	switch {
	case zone.IsFunction(r.Label):
		row.Kind = tidings.ZoneFunction
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
