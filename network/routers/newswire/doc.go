// Package newswire carries events down Astrolabe's zones to those that subscribe: NewsWire (Vogels, Re, van Renesse and
// Birman, "A Collaborative Infrastructure for Scalable and Robust News Delivery", 2002). It is a network.Router.
//
// A node's subscriptions are hashed to bits of a filter (section 6), which is an attribute of its row; zones' rows have
// the OR of their members'. Send sends an item to a zone ([Node.Send], the paper's SendToZone, section 5). A node in
// the zone looks through its table for matching rows: with one of the item's topics in the filter, and with attributes
// that its predicate accepts (section 8). For each it sends the item to the member, or to a representative of the zone,
// which does the same further down. The member tests the true subscription.
//
//	publisher ──Forward──▶ representative of /eu ──Forward──▶ of /eu/de ──Deliver──▶ member
//	          ◀──Taken────                       ◀──Taken────          ◀──Done─────
//	          ◀──Taken──── (at work)             ◀──Done───── (all members have it, or cannot be reached)
//	          ◀──Done─────
//
// Beyond the paper, which leaves them open:
//
//   - A representative answers for its whole zone. It says at once that it has accepted an item, again and again while
//     it is at work, and Done when all below are done. One that falls silent, at whatever point, is replaced by
//     another; members drop repeated items. A job ends after Config.Deadline whatever others say. Representatives that
//     have crashed before they answer cost an item 1.5 s at most on each level of zones, and two messages, while one of
//     three lives. One that crashes at work costs Silence. A representative that was silent comes last for the next 30
//     seconds, unless it sends something.
//   - Where all three have crashed, the item goes to another member of the zone, its contact (contacts.go). It gets
//     there 2 s and a round trip after it was sent first, if one of eight nodes that share the table knows one.
//     Otherwise the zone has the item once it has named others, 10 to 20 s later. A contact that lies costs as much as
//     a representative that lies.
//   - Each row has a bounded queue (outlet.go) in which publishers alternate. Each publisher has a token bucket at
//     every forwarder (flow.go), beyond which items wait at their sender.
//   - Accepted and published items are in a node's log before it says so (log.go): it goes on after a crash.
//   - How full a node's outlets are is in its row (load.go): a node that has much to forward represents no zone while
//     others have less.
//   - Recent items are collected by age and size, not by revision: an event has what has changed since the one before,
//     and replaces none.
//   - A node that was passed over finds out. Every member asks another node at intervals, of its own zone or of one
//     beside, for items that its filter may want (recover.go). A node that finds a missed item sends it to its zone.
//   - In a closed network a publisher shows a certificate with each item, by which it may publish to the item's zone;
//     every node on the way checks that. An event with the signatures of nodes that may send it (Seams.Vouched) needs
//     no more than that its publisher is a member. A node that requests what it has missed shows a certificate too.
//   - How much a peer delivers, and how often it asks, is bounded as well, whichever node has published it (flow.go).
//   - Publishers sign items, with their topics, zone and predicate, so that forwarders cannot redirect them. Only the
//     node that has signed an event publishes it, or those that may have (Seams.SignedBy). An item is known by its
//     publisher and all that is signed ([Item.Name]), not by its event. So where several nodes may publish an event,
//     none can keep it from others by an item that leads nowhere. The event is delivered once, by whatever items it
//     comes. From each publisher a node accepts a bounded number of items with one event.
package newswire
