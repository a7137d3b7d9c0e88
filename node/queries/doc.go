// Package queries has the queries that people follow select items of the public channels of all nodes. A query that is
// followed is a channel of tidings.KindQuery. What it selects is recorded there, as an item with an ID and a
// tidings.Source that name the channel it came from. A zone that is followed is a channel of tidings.KindZone, and
// selects what nodes send to it. Such items have an ID and a Source that name their sender.
//
// Items come by two ways, and are recorded once on any of them:
//
//	own poll, peer, publisher ──▶ store ──update IDs──▶ Queries.scan ──┐
//	                                                                   ├──▶ match ──▶ feed.Match ──▶ Host.Record
//	network (newswire), by topics ──▶ Queries.arrived ──▶ queue ───────┘
//	and what is sent to zones
//
// The first way's queue is the store's own stream of updates. A cursor says how far it has been read, and is kept, so
// that nothing is lost when the node stops. Updates that are read twice are known by their IDs. Events of the network
// are of zones, and of channels that the store does not have. They wait in a bounded queue. Events that come while the
// node is away are lost to it, unless the network's own recovery brings them.
//
// Items of channels that are not public are never looked at, nor those of queries' own channels.
package queries
