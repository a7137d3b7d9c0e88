package node

import (
	"context"

	"tidings"
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/queries"
	"tidings/node/zones"
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

// Distrusts reports whether people here do not believe a node.
func (h zonesHost) Distrusts(id engine.ID) bool {
	return h.trust.Level(id) == tidings.Distrusted
}

// Brought has queries select from an update.
func (h zonesHost) Brought(u *corona.Update) {
	if stated, ok := h.coop.Stated(u); ok {
		h.Queries.Brought(u, stated)
	}
}

// openZones takes in what people have told of the node's zone.
func (n *Node) openZones(ctx context.Context) error {
	c := n.config
	order, err := zones.ReadOrder(c.Zone, c.ZoneCertificate, c.ZoneAuthority, c.ZoneClosed)
	if err != nil {
		return err
	}
	n.zones, err = zones.New(ctx, zonesHost{host{n}, n.queries}, zones.Config{
		Key: n.key, Codec: Codec(), Order: order, Changed: n.changed, Store: n.store, Log: n.log,
	})
	if err != nil {
		return err
	}
	n.zones.Warn()
	return nil
}
