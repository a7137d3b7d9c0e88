// Package queries has the queries that people follow select items of the public channels of all nodes. A query that is followed is a channel
// of tidings.KindQuery; what it selects is recorded there, as an item with an ID and a tidings.Source that name the channel it came from.
// A zone that is followed is a channel of tidings.KindZone, and selects what nodes send to it: such items have an ID and a Source that name who has sent them.
//
// Items come by two ways, and are recorded once whatever way they come:
//
//	own poll, peer, publisher ──▶ store ──update IDs──▶ Queries.scan ──┐
//	                                                                   ├──▶ match ──▶ feed.Match ──▶ Host.Record
//	network (newswire), by topics ──▶ Queries.arrived ──▶ queue ───────┘
//	and what is sent to zones
//
// The store's own stream of updates is the queue of the first: a cursor says up to where it has been read, and is kept, so that
// nothing is lost when the node stops, and what is read twice is known by its ID. Events of the network are of zones, and of channels
// that the store does not have; they wait in a bounded queue, and what comes while the node is away is lost to it, unless
// the network's own recovery brings it.
//
// Items of channels that are not public are never looked at, nor those of queries' own channels.
package queries
