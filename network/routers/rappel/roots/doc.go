// Package roots finds the roots of Rappel's trees of topics that are not polled channels: their roots have no publisher
// that all nodes know. The root of such a tree is the node of the ring that is closest to its topic, as in Scribe.
//
// A node near the topic sees that in its leaf set. Any other routes an [Ask] toward the topic, directly and over a
// random node. The first node on the way that sees it answers ([Closest]). It asks again every Refresh, at once when
// the root is found down, and soon if no answer has come.
//
// # Lies
//
// Which node is closest is hearsay. Of all that were named lately the one closest to the topic counts. So a liar on one
// way does not hide the root that the other way names. An invented node is believed until it is found down, and then
// not for Shunned. FeedTree finds out what such a root keeps back: see there.
package roots
