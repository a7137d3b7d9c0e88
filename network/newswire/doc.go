// Package newswire carries events down Astrolabe's zones to those who subscribe: NewsWire (Vogels, Re, van Renesse and Birman, "A
// Collaborative Infrastructure for Scalable and Robust News Delivery", 2002). It is a network.Router.
//
// What a node subscribes to is hashed to bits of a filter (section 6), which is an attribute of its row; zones' rows have the OR of their
// members'. Send hands an item to a zone ([Node.Send], the paper's SendToZone, section 5): whoever is in the zone looks through its table, and for each row
// whose filter has one of the item's topics, and for whose attributes its predicate holds (section 8), sends the item to the member, or to one of
// those who speak for the zone, who does the same further down. The member tests the true subscription.
//
//	publisher ──Forward──▶ representative of /eu ──Forward──▶ of /eu/de ──Deliver──▶ member
//	          ◀──Taken────                       ◀──Taken────          ◀──Done─────
//	          ◀──Taken──── (at work)             ◀──Done───── (all members have it, or cannot be reached)
//	          ◀──Done─────
//
// Beyond the paper, which leaves them open:
//
//   - A representative answers for its whole zone: it says at once that it has taken an item, again and again while it is at work, and Done when all below
//     are. One that falls silent, at whatever point, is replaced by another; members drop what they have had. A job ends after Config.Deadline
//     whatever others say. Representatives that have crashed before they answer cost an item 1.5 s at most on each level of zones, and two messages, while
//     one of three lives. One that crashes at work costs Silence. A representative that was silent comes last for the next 30 seconds, unless it sends
//     something.
//   - Where all three have crashed, the item goes to another member of the zone, its contact (contacts.go): 2 s and a round trip after it was sent first,
//     if one of eight nodes that share the table knows one. Otherwise the zone has the item once it has named others, 10 to 20 s later. A contact that lies
//     costs what a representative that lies costs.
//   - Each row has a bounded queue (outlet.go) in which publishers take turns, and each publisher a token bucket at every forwarder (flow.go), beyond
//     which items wait where they come from.
//   - What a forwarder has taken, and what a publisher publishes, is in its log before it says so (log.go): it goes on after a crash.
//   - How full a node's outlets are is in its row (load.go): who has much to forward speaks for no zone while others have less.
//   - What came lately is collected by age and size, not by revision: an event has what has changed since the one before, and takes the place of none.
//   - Who was passed over finds out: every member asks another node now and then, of its own zone or of one beside, what came that its filter may want
//     (recover.go). Who finds a missed item gives it to its zone.
//   - In a closed network a publisher shows a certificate with each item, by which it may publish to the item's zone; everybody on the way checks that. An
//     event that carries the signatures of those who may send it (Seams.Vouched) needs no more than that its publisher is a member. Who asks for what it
//     has missed shows a certificate too.
//   - What a peer delivers, and how often it asks, is bounded as well, whoever has published it (flow.go).
//   - Publishers sign items, with their topics, zone and predicate, so that forwarders cannot redirect them. Only the node that has signed an event publishes it,
//     or those that may have (Seams.SignedBy). An item is known by its publisher and all that is signed ([Item.Name]), not by its event: where several nodes may
//     publish an event, none can keep it from others by an item that leads nowhere. The event is delivered once, by whatever items it comes; a node takes
//     few items with one event from each publisher.
package newswire
