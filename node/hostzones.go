package node

import (
	"context"
	"errors"

	"tidings"
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/node/queries"
	"tidings/node/zones"
	"tidings/source/fetch"
	"tidings/view"
)

// zonesHost is the node as package zones sees it.
type zonesHost struct {
	host
	*queries.Queries
}

// Router returns by which router the network carries updates.
func (h zonesHost) Router() (name router.RouterName, agreed bool) {
	p := h.coop.Params()
	return p.Router, p.Settled
}

// Items reads the document of an order.
func (h zonesHost) Items(ctx context.Context, o view.ZoneSending) ([]zones.Item, error) {
	read, err := h.publisher.Items(ctx, view.PublishOrder{Source: o.Source, Document: o.Document})
	if err != nil {
		return nil, err
	}
	items := make([]zones.Item, len(read))
	for i := range read {
		items[i] = zones.Item(read[i])
	}
	return items, nil
}

// Distrusts reports whether people here do not believe a node.
func (h zonesHost) Distrusts(id engine.ID) bool {
	return h.trust.Level(id) == tidings.Distrusted
}

// Published returns what others may know of an item that is published here. That is nothing if its channel is not
// public. It is also nothing if a third party publishes it, as only nodes that chose to believe it do.
func (h zonesHost) Published(ctx context.Context, topic engine.ID, item *feedtree.Item,
	most int) (url string, topics []string) {
	url, own := h.publisher.Channel(topic)
	if !own || fetch.Classify(url, h.config.LabOrigins) != tidings.Public {
		return "", nil
	}
	switch w, err := h.store.Content.Watch(ctx, url); {
	case errors.Is(err, tidings.ErrNotFollowed):
	case err != nil || w.Privacy != tidings.Public:
		return "", nil
	}
	topics, _ = h.Topics(url, item.Content(), most) // an unreadable item has no topics
	return url, topics
}

// Brought has queries select from an update.
func (h zonesHost) Brought(u *corona.Update) {
	if stated, ok := h.coop.Stated(u); ok {
		h.Queries.Brought(u, stated)
	}
}

// openZones applies the orders that people have given for the node's zone.
func (n *Node) openZones(ctx context.Context) error {
	c := n.config
	order, err := zones.ReadOrder(c.Zone, c.ZoneCertificate, c.ZoneAuthority, c.ZoneClosed)
	if err != nil {
		return err
	}
	n.zones, err = zones.New(ctx, zonesHost{host{n}, n.queries}, zones.Config{
		Key: n.key, Codec: Codec(), Order: order, Changed: n.changed, Shared: n.store.Shared, Settings: n.store.DB,
		Log: n.log,
	})
	if err != nil {
		return err
	}
	n.zones.Warn()
	return nil
}
