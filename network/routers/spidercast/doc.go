// Package spidercast carries events over one overlay with a small number of links. In it the nodes that have joined any
// topic are connected among themselves: Chockler, Melamed, Tock and Vitenberg, "SpiderCast: A Scalable Interest-Aware
// Overlay for Topic-Based Pub/Sub Communication" (DEBS 2007). It is the router "spidercast".
//
// A [Node] wires three parts, each of which can be read alone:
//
//   - package view: which nodes a node knows, and what these follow, by gossip (section 2.2);
//   - package overlay: which it has a link to, so that each of its topics is covered K times (section 2.3);
//   - package spread: how events travel over the links, which the paper leaves open (section 5).
//
// Package interest is how topics are announced. Package ideal stands in for the views in experiments: the paper's
// all-seeing membership.
//
// # What is promised
//
// No node that has not joined a topic is sent its events. An event is delivered once to each member that joined before
// it was published and stays up. This holds as long as its topic is connected and a neighbour keeps what it lacks. A
// node that joins, returns or is reached again after a partition receives what neighbours keep.
//
// Topics are connected with high probability and not by proof, as in the paper. Each node has K neighbours for each of
// its topics. If interests are so alike that greedy choices would leave topics in parts, it has others at random
// (section 3.3.1).
//
// # Lies
//
// All that a node says of others is hearsay, with which nothing is done but asking them. Of itself it can lie:
//
//   - Interest in everything: a node that follows many times as many topics as usual does not count as cover. One that
//     claims to follow most of what its neighbours do, and no more than is believed, still attracts links: nodes with
//     three such neighbours look for others at random. TestInterestInEverything measures what is lost then. Where one
//     node in eleven lies so, up to a fifth of the subscriptions are cut off from honest nodes.
//   - Degrees: a link that cannot be dropped, or a request to disconnect a minute that is not answered.
//   - Redirects: each node is asked once in overlay.Config.Quarantine, and a task chooses by itself after several that
//     follow each other.
//   - Nodes that do not exist: half of a view are nodes that were met; after two candidates in vain any other is tried.
//   - Announcements of events that are not sent: the neighbour is left for ten minutes.
//
// A neighbour that swallows events and keeps silent is not found out; other links bring the events.
package spidercast
