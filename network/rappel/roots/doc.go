// Package roots finds the roots of Rappel's trees where nobody publishes for all to know who they are: of topics that
// are not polled channels. The root of such a tree is the node of the ring that is closest to its topic, as in
// Scribe.
//
// A node near the topic sees that in its leaf set. Any other routes an [Ask] toward the topic, directly and over a
// random node, and is answered by the first node on the way that sees it ([Closest]). It asks again every Refresh, at
// once when the root is found down, and soon if nobody has answered.
//
// # Lies
//
// Who is closest is hearsay. Of all that were named lately the one closest to the topic counts. So a liar on one way
// does not hide the root that the other way names; one that invents a node is believed until that is found down, and
// then for Shunned no more. What such a root keeps back FeedTree finds out: see there.
package roots
