// Package astrolabe keeps a database about the nodes of a network in the nodes themselves: Astrolabe (van Renesse,
// Birman and Vogels, "Astrolabe: A Robust and Scalable Technology for Distributed System Monitoring, Management, and
// Data Mining", ACM TOCS 21(2), 2003), as the paper on NewsWire describes it (section 3).
//
// Zones form a tree. Each zone has a table with a row for each member or zone in it. The row of a zone is computed from
// its table. A node keeps copies of the tables of the zones on its path, from the root down to the one that it is a
// member of, in which it writes its own row.
//
//	/            | members | reps     | filter |        /eu         | members | …
//	  eu         |   3,120 | a b c    | …      |          de        |      60 |
//	  us         |   2,871 | d e f    | …      |          ~3f0a1c   |      31 |        members of /eu/de: @a @b @c …
//
// Copies are brought together by gossip. Each node gossips with others of its lowest zone. Those that speak for a zone
// (its representatives) gossip with those of the zones beside it, and the same exchanges bring what they learn there to
// the other members. A change is sent at once to Config.Fanout nodes at each level. Later exchanges bring it to those
// that were missed. An exchange compares sums first, then which rows are there and how new they are, and sends no more
// than is lacking (gossip.go).
//
// A row is a content, signed by its writer, with a stamp that says that it still holds (package table). Stamps are
// renewed every Config.Refresh, of large zones half as often. Rows with stamps that are too old are dropped by all at
// about the same time, as ages travel with them: no clocks have to agree.
//
// The zone's first representative aggregates its table and writes its row in the parent's. The others do when it is
// late (aggregate.go). When none of them can be reached, the first member that notices names others (absent.go). A row
// has the built-in attributes (package builtin), and those of functions in SQL that an authority has installed for a
// subtree. Functions are rows of the zone's table themselves, and run in a sandbox (functions.go, package sql).
//
// Zones shape themselves (place.go, shape.go). A joining node asks its way down the tree to the nearest zone that has
// room, or to its configured one. A full zone splits, and a small one that made itself dissolves. A node that moves
// leaves its row behind for a while and is reached by it.
//
// Which nodes may write which row: a member its own; any member of a zone that of the zone, as its representatives
// change and no node above can know. In an open network that is all. So a member that lies can make up the row of its
// own zone and of those above, until honest representatives write it again. What is forwarded by rows has to be
// recovered otherwise (package newswire does). A filter with too many bits set counts for nothing in its zone's
// (fill.go). In a closed network only certified members can write (package cert), in the zones that they are certified
// for, and others learn nothing (authority.go).
package astrolabe
