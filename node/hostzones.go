package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/coop"
	"tidings/node/queries"
	"tidings/node/wholefile"
	"tidings/node/zones"
)

// zonesHost is the node as package zones sees it.
type zonesHost struct{ host }

// Router returns by which router the network carries updates.
func (h zonesHost) Router() (name router.RouterName, agreed bool) {
	p := h.coop.Params()
	return p.Router, p.Settled
}

// Items reads the document of an order.
func (h zonesHost) Items(ctx context.Context, o tidings.ZoneSending) ([]zones.Item, error) {
	read, err := h.publisher.Items(ctx, tidings.PublishOrder{Source: o.Source, Document: o.Document})
	if err != nil {
		return nil, err
	}
	items := make([]zones.Item, len(read))
	for i := range read {
		items[i] = zones.Item(read[i])
	}
	return items, nil
}

// Topics returns the topics of the items of a changeset.
func (h zonesHost) Topics(channel string, changeset []byte, most int) ([]string, error) {
	return queries.Topics(channel, changeset, most, h.poller.Feed)
}

// Wants reports whether queries may select from an event. The whole query is evaluated by a worker, as an event takes long to read.
func (h zonesHost) Wants(event engine.Message) bool {
	switch e := event.(type) {
	case *corona.Update:
		return len(e.Payload) > 0 && h.queries.Any()
	case *feedtree.Item:
		return h.queries.Any()
	}
	return false
}

// Distrusts reports whether people here do not believe a node.
func (h zonesHost) Distrusts(id engine.ID) bool {
	return h.trust.Level(id) == tidings.Distrusted
}

// Brought has queries select from an update.
func (h zonesHost) Brought(u *corona.Update) {
	if !h.coop.Fits(u.Channel, u.URL) {
		return // the owners of one channel do not speak for another
	}
	by, given := coop.VouchedBy(u)
	if given && h.Distrusts(by) {
		return // no poll of this node's own will show whether it is true
	}
	e := queries.Event{Channel: u.URL, Version: u.Version, Hash: u.Hash, Payload: u.Payload}
	stated := tidings.Change{}
	coop.Attribute(&stated, u)
	e.FoundBy, e.Found, e.Changed = stated.FoundBy, stated.Found, stated.OriginChanged
	h.queries.Arrived(e)
}

// BroughtToZone has queries, and zones that are followed, select an item.
func (h zonesHost) BroughtToZone(to zone.Path, sender engine.ID, item *feedtree.Item) {
	h.queries.Arrived(queries.Event{
		Channel: tidings.ZoneURL(string(to)), Version: uint64(item.Time), Payload: item.Entry,
		FoundBy: sender.String(), Found: time.UnixMilli(item.Time), Signed: item.Key.Fingerprint().String(),
	})
}

// openZones takes in what people have told of the node's zone.
func (n *Node) openZones(ctx context.Context) error {
	order, err := n.config.zoneOrder()
	if err != nil {
		return err
	}
	n.zones, err = zones.New(ctx, zonesHost{host{n}}, zones.Config{Key: n.key, Codec: Codec(), Order: order, Changed: n.changed, Store: n.store, Log: n.log})
	if err != nil {
		return err
	}
	n.zones.Warn()
	return nil
}

// zoneOrder returns what the configuration says of the node's zone; zero: nothing.
func (c Config) zoneOrder() (o tidings.ZoneOrder, err error) {
	o = tidings.ZoneOrder{Path: c.Zone, Authority: c.ZoneAuthority, Closed: c.ZoneClosed}
	if c.ZoneCertificate != "" {
		if o.Certificate, err = readZoneFile(c.ZoneCertificate); err != nil {
			return o, tidings.Invalidf("the zone's certificate: %v", err)
		}
	}
	if _, err := feedtree.ParseFingerprint(c.ZoneAuthority); c.ZoneAuthority != "" && err != nil {
		if o.Authority, err = readZoneFile(c.ZoneAuthority); err != nil {
			return o, tidings.Invalidf("the zone's authority is neither a fingerprint nor a file: %v", err)
		}
	}
	return o, nil
}

func readZoneFile(name string) (string, error) {
	text, err := wholefile.Read(name, cert.MaxFile)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("there is no file %s", name)
	}
	return string(text), err
}
