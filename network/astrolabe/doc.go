// Package astrolabe keeps a database about the nodes of a network in the nodes themselves: Astrolabe (van Renesse, Birman and Vogels,
// "Astrolabe: A Robust and Scalable Technology for Distributed System Monitoring, Management, and Data Mining", ACM TOCS 21(2), 2003), as the paper on
// NewsWire describes it (section 3).
//
// Zones form a tree. Each zone has a table with a row for each member or zone in it; the row of a zone is computed from its table. A node keeps copies of
// the tables of the zones on its path, from the root down to the one that it is a member of, in which it writes its own row.
//
//	/            | members | reps     | filter |        /eu         | members | …
//	  eu         |   3,120 | a b c    | …      |          de        |      60 |
//	  us         |   2,871 | d e f    | …      |          ~3f0a1c   |      31 |        members of /eu/de: @a @b @c …
//
// Copies are brought together by gossip: each node with others of its lowest zone, and those who speak for a zone (its representatives) with those
// of the zones beside it; what they learn there comes to the other members by the same exchanges. A change is passed on at once to Config.Fanout
// nodes at each level; an exchange now and then brings it to those who were missed. An exchange compares sums first, then what rows are there and how
// new they are, and sends no more than is lacking (gossip.go).
//
// A row is a content, signed by who wrote it, with a stamp that says that it still holds (package table). Stamps are renewed every Config.Refresh, of
// large zones half as often; rows whose stamps are too old are dropped by all at about the same time, as ages travel with them: no clocks have to agree.
//
// The zone's first representative aggregates its table and writes its row in the parent's; the others do when it is late (aggregate.go). When none of
// them can be reached, the first member that notices names others (absent.go). What is computed is built in (package builtin), and what functions in SQL
// add that an authority has installed for a subtree: they are rows of the zone's table themselves, and run in a sandbox (functions.go, package sql).
//
// Zones shape themselves (place.go, shape.go): who joins asks its way down the tree to the nearest zone that has room, or to the one that it was given; a
// full zone splits, a small one that made itself dissolves. Who moves leaves its row behind for a while and is reached by it.
//
// Who may write which row: a member its own; any member of a zone that of the zone, as who represents it changes and nobody above can know. In an open
// network that is all, so a member that lies can make up the row of its own zone and of those above, until honest representatives write it
// again; what is forwarded by rows has to be recovered otherwise (package newswire does). A filter with too many bits set counts for nothing in its zone's
// (fill.go). In a closed network only certified members can write (package cert), in the zones that they are certified for, and others are told nothing (authority.go).
package astrolabe
