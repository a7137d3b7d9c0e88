package coop

import (
	"context"
	"errors"
	"slices"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/store"
	"tidings/store/content"
	"tidings/store/shared"
	"tidings/view"
)

// ErrDistrusted says that the word of a distrusted node is not enough.
var ErrDistrusted = errors.New("who has found it is distrusted here")

// word is what others' word for a content is worth.
type word struct {
	seen    content.Seen // that have seen it, if it is here already
	by      []string     // IDs of the nodes that have signed that they saw it, but for its finder
	trusted bool         // enough to show it to readers here
}

// weigh returns what others' word for an update is worth.
func (l library) weigh(u *corona.Update) word {
	by, given := vouchedBy(u)
	w := word{by: l.witnesses(u), trusted: !given || l.trust.Level(by) != tidings.Distrusted}
	w.seen = content.Seen{ConfirmedBy: slices.DeleteFunc(slices.Clone(w.by),
		func(id string) bool { return id == l.self })}
	if u.FoundBy != (engine.ID{}) && u.FoundAt > 0 && l.trust.Level(u.FoundBy) != tidings.Distrusted {
		w.seen.FoundBy, w.seen.Found = u.FoundBy.String(), time.UnixMilli(u.FoundAt)
	}
	return w
}

// witnesses returns the nodes besides its finder that have signed that they saw the content of an update at the origin.
func (l library) witnesses(u *corona.Update) (ids []string) {
	if l.keys == nil {
		return nil
	}
	for i := range u.Seal.Seen {
		a := &u.Seal.Seen[i]
		id := a.By.ID.String()
		if len(ids) < tidings.MaxConfirmedBy && a.By.ID != u.FoundBy && !slices.Contains(ids, id) &&
			l.keys.Signed(a.By, corona.AttestationWords(u.Channel, u.Version, u.Hash, a), a.Signature) {
			ids = append(ids, id)
		}
	}
	return ids
}

// vouchedBy returns the node that vouches for a version: the finder, by its signature. If the finder is not known any
// more, it is the owner that has given the number. A version that this node is about to number itself (not given) was
// seen by it, or by another node than the finder.
func vouchedBy(u *corona.Update) (by engine.ID, given bool) {
	if u.FoundBy != (engine.ID{}) {
		return u.FoundBy, len(u.Seal.Given) > 0
	}
	return u.Seal.Giver.ID, len(u.Seal.Given) > 0
}

// doubtWhy is the logged reason of a poll after a distrusted node's report.
const doubtWhy = "a node that is distrusted here has told of a change"

// doubtsPart bounds the polls of a channel because of distrusted nodes' reports: so many an interval.
const doubtsPart = 8

// Stated returns the stated finder and time of an update of a channel that the store does not have. ok is false if the
// finder is not trusted enough here.
func (c *Coop) Stated(u *corona.Update) (f tidings.Change, ok bool) {
	if !c.desk.fits(corona.Channel{ID: u.Channel, URL: u.URL}) {
		return f, false // the owners of one channel do not speak for another
	}
	w := c.library.weigh(u)
	if !w.trusted {
		return f, false // no poll of this node's own will show whether it is true
	}
	attribute(&f, u)
	f.ConfirmedBy = w.by
	return f, true
}

// contradicted counts against all that have vouched for a version what the origin of a channel does not show. If it was
// shown here, it is withdrawn.
func (c *Coop) contradicted(e corona.Contradicted) {
	ch, _ := c.Get(e.Channel)
	now, url := time.Now().UTC(), ch.URL
	nodes, reasons := vouchers(e, c.config.NodeID)
	for i, node := range nodes {
		if c.penalties.add(node, view.PenaltyReason{Time: now, Channel: url, Reason: reasons[i]}) {
			c.Work(func(ctx context.Context) {
				if err := c.penalties.save(ctx, c.config.Store.DB); err != nil && ctx.Err() == nil {
					c.config.Log.Error("penalties were not stored", "error", err)
				}
			})
		}
	}
	c.told.Ring()
	if !e.Shown {
		c.config.Log.Info("what other nodes vouched for is not shown, as its origin does not show it", "channel", url,
			"version", e.Version, "vouched_by", nodes)
		return
	}
	c.config.Log.Warn("what other nodes vouched for is withdrawn, as its origin does not show it", "channel", url,
		"version", e.Version, "vouched_by", nodes)
	w := store.Withdrawal{
		Version: shared.Version{URL: url, Number: e.Version, Hash: e.Hash},
		Why:     tidings.Withdrawal{Time: now, Reason: "its origin does not show it", VouchedBy: nodes},
	}
	c.Work(func(ctx context.Context) {
		defer c.Lock(e.Channel)()
		if _, err := c.config.Entrance.Apply(ctx, w); err != nil && ctx.Err() == nil {
			c.config.Log.Error("what turned out to be false was not withdrawn", "channel", url, "version", e.Version,
				"error", err)
		}
	})
}
