package node

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"tidings"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/store"
)

// zoneMember is what people have told a node of its zone, kept from run to run.
type zoneMember struct {
	store *store.Store
	mu    sync.Mutex // held while something changes, also over what is saved
	place zonePlace
	says  map[string]string // the node's attributes
	told  string            // the problem that the log has
}

// warn tells the log what is wrong with the node's certificate, once.
func (m *zoneMember) warn(self string, log *slog.Logger) {
	if m == nil {
		return
	}
	id, err := engine.ParseID(self)
	if err != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	shown := m.place.shown(id, time.Now())
	if shown.Problem != "" && shown.Problem != m.told {
		log.Warn(sentence(shown.Problem), "hint", shown.Hint)
	}
	m.told = shown.Problem
}

// recallZone returns what is known of the node's zone: what its configuration says goes before what was saved, and is not saved.
func (n *Node) recallZone(ctx context.Context) (*zoneMember, error) {
	text, err := n.store.Setting(ctx, zoneSetting)
	if err != nil {
		return nil, err
	}
	m := &zoneMember{store: n.store}
	if m.place, m.says, err = recallZone(text); err != nil {
		n.log.Error("in which zone the node is was lost; join it again with: tidings zone join", "error", err)
	}
	order, ok, err := n.config.zoneOrder()
	if err != nil {
		return nil, err
	}
	if ok {
		if m.place, err = m.place.with(order); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *zoneMember) now() (zonePlace, map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.place, maps.Clone(m.says)
}

// save keeps what is so from now on. The caller holds mu.
func (m *zoneMember) save(ctx context.Context, p zonePlace, says map[string]string) error {
	text, err := p.memory(says)
	if err != nil {
		return fmt.Errorf("keeping in which zone the node is: %w", err)
	}
	if err := m.store.SetSetting(ctx, zoneSetting, text); err != nil {
		return err
	}
	m.place, m.says = p, says
	return nil
}

// Bounds of what a node says of itself. An open network takes 2,048 bytes of a member in all.
const (
	maxZoneAttributes = 16
	maxZoneValue      = 128
)

// reserved are attributes that nodes, zones and their functions have of themselves.
var reserved = []string{
	astrolabe.AttrMembers, astrolabe.AttrRep, astrolabe.AttrReps, astrolabe.AttrUp, astrolabe.AttrDepth,
	"filter", "categories", "label", "moved", "paths", "text", "x", "y", "z", "h",
}

// JoinZone has the node be in a zone from now on, after every start.
func (n *network) JoinZone(ctx context.Context, o tidings.ZoneOrder) (tidings.ZoneMembership, error) {
	m := n.zoneMember
	m.mu.Lock()
	defer m.mu.Unlock()
	self := n.host.Self().ID
	p, err := m.place.with(o)
	if err != nil {
		return tidings.ZoneMembership{}, err
	}
	if problem, _ := p.problem(self, time.Now()); problem != "" {
		return tidings.ZoneMembership{}, invalid("%v", sentence(problem))
	}
	if len(p.file.Chain) > 0 { // of an open network too: what does not count is of no use
		closed := p
		closed.closed = true
		if problem, _ := closed.problem(self, time.Now()); problem != "" {
			return tidings.ZoneMembership{}, invalid("%v", sentence(problem))
		}
	}
	if err := m.save(ctx, p, m.says); err != nil {
		return tidings.ZoneMembership{}, err
	}
	if err := n.host.Do(ctx, func() { n.zoned.rejoin(p.membership()) }); err != nil {
		return tidings.ZoneMembership{}, fmt.Errorf("telling the network: %w", err)
	}
	n.log.Info("joins a zone", "zone", p.home, "closed", p.closed)
	n.changed.Ring()
	return p.shown(self, time.Now()), nil
}

// SetZoneAttribute has the node say something of itself to its zones, after every start; an empty value takes it back.
func (n *network) SetZoneAttribute(ctx context.Context, name, value string) error {
	m := n.zoneMember
	m.mu.Lock()
	defer m.mu.Unlock()
	says := maps.Clone(m.says)
	switch {
	case !attr.ValidName(name):
		return invalid("an attribute is called by small letters, digits and _, at most %d and no digit first, not %s", attr.MaxName, quoted(name))
	case slices.Contains(reserved, name):
		return invalid("the attribute %s is one that nodes and zones have of themselves: take another name", quoted(name))
	case len(value) > maxZoneValue || !utf8.ValidString(value):
		return invalid("the value of an attribute is a text of at most %d bytes", maxZoneValue)
	case value == "" && says[name] == "":
		return fmt.Errorf("%w: this node says nothing of %s", tidings.ErrNotFound, quoted(name))
	case value == "":
		delete(says, name)
	default:
		if says == nil {
			says = make(map[string]string)
		}
		says[name] = value
	}
	if len(says) > maxZoneAttributes {
		return invalid("a node says at most %d things of itself", maxZoneAttributes)
	}
	if err := m.save(ctx, m.place, says); err != nil {
		return err
	}
	a := attr.Attribute{Name: name, Value: valueOf(value)}
	if err := n.host.Do(ctx, func() { n.zoned.say(a) }); err != nil {
		return fmt.Errorf("telling the network: %w", err)
	}
	n.changed.Ring()
	return nil
}

// valueOf returns a number where people have written one, else a text; NULL where they have written nothing.
func valueOf(text string) attr.Value {
	if text == "" {
		return attr.Value{}
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return attr.Int(i)
	}
	if v, ok := realOf(text); ok {
		return v
	}
	return attr.String(text)
}

func realOf(text string) (attr.Value, bool) {
	f, err := strconv.ParseFloat(text, 64)
	v := attr.Float(f)
	row := attr.Row{{Name: "v", Value: v}}
	return v, err == nil && row.Validate() == nil // NaN and what is infinite are texts
}

// SpreadFunction passes a function on to the nodes of its zone that an authority has signed, or its end.
func (n *network) SpreadFunction(ctx context.Context, i tidings.ZoneInstallation) error {
	p, err := zone.Parse(i.Zone)
	if err != nil {
		return invalid("%v", err)
	}
	var chain cert.Chain
	if i.Certificate != "" {
		f, err := cert.ParseFile([]byte(i.Certificate))
		if err != nil {
			return invalid("the certificate of the authority's key: %v", err)
		}
		chain = f.Chain
	}
	r, err := astrolabe.Installed(p, i.Name, i.SQL, chain, i.Time, i.Signature)
	if err != nil {
		return invalid("%v", err)
	}
	if place, _ := n.zoneMember.now(); !place.trusts() {
		return invalid("this node trusts no authority, and takes no functions: tidings zone join %s --authority FILE", place.home)
	}
	var spread error
	if err := n.host.Do(ctx, func() { n.zoned.begin(); spread = n.zoned.zones.Spread(r) }); err != nil {
		return fmt.Errorf("telling the network: %w", err)
	}
	if spread != nil {
		return invalid("%v", spread)
	}
	return nil
}

// zoneMembership tells in which zone the node is, and by whose word; nil: it has to do with none.
func (n *network) zoneMembership(ctx context.Context) (*tidings.ZoneMembership, error) {
	place, says := n.zoneMember.now()
	m := place.shown(n.host.Self().ID, time.Now())
	m.Attributes = says
	begun := false
	if err := n.host.Do(ctx, func() {
		z := n.zoned.zones
		if begun = z != nil; !begun {
			return
		}
		if p, ok := z.Path(); ok {
			m.Own = string(p)
		}
		if why := z.Denied(); why != 0 && m.Problem == "" {
			m.Problem = fmt.Sprintf("Other nodes do not let this one into their zones: %s.", why)
			m.Hint = fmt.Sprintf("their network is closed; have its authority certify node %s, then: tidings zone join %s --certificate FILE --closed", n.host.Self().ID, place.home)
		}
	}); err != nil {
		return nil, fmt.Errorf("asking the network: %w", err)
	}
	if !begun && !place.chosen && len(says) == 0 {
		return nil, nil
	}
	return &m, nil
}
