// Package spidercast carries events over one overlay of few links, in which the nodes that have joined any topic are
// connected among themselves: Chockler, Melamed, Tock and Vitenberg, "SpiderCast: A Scalable Interest-Aware Overlay for
// Topic-Based Pub/Sub Communication" (DEBS 2007). It is the router "spidercast".
//
// A [Node] wires three parts, each of which can be read alone:
//
//   - package view: whom a node knows, and what these follow, by gossip (section 2.2);
//   - package overlay: whom it has a link to, so that each of its topics is covered K times (section 2.3);
//   - package spread: how events travel over the links, which the paper leaves open (section 5).
//
// Package interest is how topics are told. Package ideal stands in for the views in experiments: the paper's all-seeing membership.
//
// # What is promised
//
// Nobody who has not joined a topic is sent its events. An event is delivered once to each member that joined before it was
// published and stays up, as long as its topic is connected and what it lacks is kept by a neighbour; who joins, returns or is reached again
// after a partition is given what neighbours keep.
//
// Topics are connected with high probability and not by proof, as in the paper: each node has K neighbours for each of its topics, and where
// interests are so alike that greedy choices would leave topics in parts, others at random (section 3.3.1).
//
// # Lies
//
// All a node says of others is hearsay, with which nothing is done but asking them. Of itself it can lie:
//
//   - Interest in everything: who follows many times as many topics as usual does not count as cover. Who claims to follow most of what its neighbours
//     do, and no more than is believed, still attracts links: nodes with three such neighbours look for others at random. What is lost then is measured in
//     TestInterestInEverything: where one node in eleven lies so, up to a fifth of the subscriptions are cut off from honest nodes.
//   - Degrees: a link that cannot be dropped, or a request to disconnect a minute that is not answered.
//   - Redirects: each node is asked once in overlay.Config.Quarantine, and a task chooses by itself after some that follow each other.
//   - Nodes that do not exist: half of a view are nodes that were met; after two candidates in vain anybody is tried.
//   - Announcements of events that are not given: the neighbour is left for ten minutes.
//
// A neighbour that swallows events and keeps silent is not found out; other links bring what it does not.
package spidercast
