package zones

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"tidings"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/view"
)

// told is the node's zone as people have set it, kept from run to run.
type told struct {
	mu      sync.Mutex // held while something changes, also over what is saved
	place   place
	says    map[string]string // the node's attributes
	problem string            // that the log has
}

func (t *told) now() (place, map[string]string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.place, maps.Clone(t.says)
}

// recall finds out what is known of the node's zone. Settings of this start have precedence over saved ones, and are
// not saved.
func (z *Zones) recall(ctx context.Context) error {
	text, err := z.config.Settings.Setting(ctx, setting)
	if err != nil {
		return err
	}
	if z.told.place, z.told.says, err = recallPlace(text); err != nil {
		z.log.Error("in which zone the node is was lost; join it again with: tidings zone join", "error", err)
	}
	if z.config.Order != (view.ZoneOrder{}) {
		if z.told.place, err = z.told.place.with(z.config.Order); err != nil {
			return err
		}
	}
	return nil
}

// Warn logs what is wrong with the node's certificate, once. It is called now and then, as certificates end by
// themselves.
func (z *Zones) Warn() {
	t := &z.told
	t.mu.Lock()
	defer t.mu.Unlock()
	shown := t.place.shown(z.self, time.Now())
	if shown.Problem != "" && shown.Problem != t.problem {
		z.log.Warn(sentence(shown.Problem), "hint", shown.Hint)
	}
	t.problem = shown.Problem
}

// save keeps what is so from now on. The caller holds told.mu.
func (z *Zones) save(ctx context.Context, p place, says map[string]string) error {
	text, err := p.text(says)
	if err != nil {
		return fmt.Errorf("keeping in which zone the node is: %w", err)
	}
	if err := z.config.Settings.SetSetting(ctx, setting, text); err != nil {
		return err
	}
	z.told.place, z.told.says = p, says
	return nil
}

// Bounds of what a node says of itself. An open network accepts 2,048 bytes of a member in all.
const (
	maxZoneAttributes = 16
	maxZoneValue      = 128
)

// reserved are attributes that nodes, zones and their functions have of themselves.
var reserved = []string{
	astrolabe.AttrMembers, astrolabe.AttrRep, astrolabe.AttrReps, astrolabe.AttrUp, astrolabe.AttrDepth,
	"filter", "label", "moved", "text", "x", "y", "z", "h",
}

// JoinZone has the node be in a zone from now on, after every start.
func (z *Zones) JoinZone(ctx context.Context, o view.ZoneOrder) (view.ZoneMembership, error) {
	t := &z.told
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.place.with(o)
	if err != nil {
		return view.ZoneMembership{}, err
	}
	if problem, _ := p.problem(z.self, time.Now()); problem != "" {
		return view.ZoneMembership{}, tidings.Invalidf("%v", sentence(problem))
	}
	if len(p.file.Chain) > 0 { // of an open network too: what does not count is of no use
		closed := p
		closed.closed = true
		if problem, _ := closed.problem(z.self, time.Now()); problem != "" {
			return view.ZoneMembership{}, tidings.Invalidf("%v", sentence(problem))
		}
	}
	if err := z.save(ctx, p, t.says); err != nil {
		return view.ZoneMembership{}, err
	}
	if err := z.order(ctx, func() { z.router.rejoin(p.membership()) }); err != nil {
		return view.ZoneMembership{}, err
	}
	z.log.Info("joins a zone", "zone", p.home, "closed", p.closed)
	z.config.Changed.Ring()
	return p.shown(z.self, time.Now()), nil
}

// SetZoneAttribute sets an attribute of the node in its zones, after every start. An empty value removes it.
func (z *Zones) SetZoneAttribute(ctx context.Context, name, value string) error {
	t := &z.told
	t.mu.Lock()
	defer t.mu.Unlock()
	says := maps.Clone(t.says)
	switch {
	case !attr.ValidName(name):
		return tidings.Invalidf(
			"an attribute is called by small letters, digits and _, at most %d and no digit first, not %s",
			attr.MaxName, tidings.Quote(name))
	case slices.Contains(reserved, name):
		return tidings.Invalidf("the attribute %s is one that nodes and zones have of themselves: take another name",
			tidings.Quote(name))
	case len(value) > maxZoneValue || !utf8.ValidString(value):
		return tidings.Invalidf("the value of an attribute is a text of at most %d bytes", maxZoneValue)
	case value == "" && says[name] == "":
		hint := "it says nothing of itself"
		if len(says) > 0 {
			hint = "it says: " + strings.Join(slices.Sorted(maps.Keys(says)), ", ")
		}
		return tidings.WithHint(fmt.Errorf("%w: this node says nothing of %s", tidings.ErrNotFound,
			tidings.Quote(name)), hint)
	case value == "":
		delete(says, name)
	default:
		if says == nil {
			says = make(map[string]string)
		}
		says[name] = value
	}
	if len(says) > maxZoneAttributes {
		return tidings.Invalidf("a node says at most %d things of itself", maxZoneAttributes)
	}
	if err := z.save(ctx, t.place, says); err != nil {
		return err
	}
	a := attr.Attribute{Name: name, Value: valueOf(value)}
	if err := z.order(ctx, func() { z.router.say(a) }); err != nil {
		return err
	}
	z.config.Changed.Ring()
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

// Membership returns the node's zone, and the source of that; nil: it has no part in zones.
func (z *Zones) Membership(ctx context.Context) (*view.ZoneMembership, error) {
	place, says := z.told.now()
	m := place.shown(z.self, time.Now())
	m.Attributes = says
	begun := false
	if err := z.ask(ctx, func() {
		a := z.router.zones
		if begun = a != nil; !begun {
			return
		}
		if p, ok := a.Path(); ok {
			m.Own = string(p)
		}
		if why := a.Denied(); why != 0 && m.Problem == "" {
			m.Problem = fmt.Sprintf("Other nodes do not let this one into their zones: %s.", why)
			m.Hint = fmt.Sprintf(
				"their network is closed; have its authority certify node %s, then: tidings zone join %s --certificate FILE --closed", z.self, place.home)
		}
	}); err != nil {
		return nil, err
	}
	if !begun && !place.chosen && len(says) == 0 {
		return nil, nil
	}
	return &m, nil
}

// sentence makes a reason fit to be followed by a full stop.
func sentence(reason string) string { return strings.TrimRight(reason, ". ") }
