// Package overlay keeps a node's neighbours: one overlay of few links in which the nodes that follow any topic are
// connected among themselves. It is section 2.3 of Chockler, Melamed, Tock and Vitenberg, "SpiderCast: A Scalable
// Interest-Aware Overlay for Topic-Based Pub/Sub Communication" (DEBS 2007), with names kept: Figure 1 is [task] and
// link, Figures 2 and 3 are task.go, Figure 4 is receive.go, Figure 5 is [Candidates] and [Index].
//
// # Use
//
//	o := overlay.New(env, overlay.Default(), candidates, links)
//	o.Join(topic)            // this node follows topic; o.Leave(topic) ends it
//	o.Seek(topic)            // this node publishes on topic without following it; o.Unseek(topic)
//	o.OnProfile(f)           // what others are to learn of this node: for the membership
//	o.Suspect(peer)          // the neighbour does not do what it should
//	o.Found()                // there is a new candidate that may be of use
//	o.Receive, o.PeerDown, o.Stop  // from what runs it
//
// It chooses neighbours among [Candidates]: an [Index] of a partial view, or the all-seeing package ideal. It reports
// to [Links] links as they come, go, and carry other topics. [Overlay.Neighbors] and [Overlay.Uncovered] are for people
// and experiments.
//
// # What is promised
//
// A node looks for Config.Greedy neighbours for each of its topics as long as there are candidates. It has at most
// K·topics + Margin in each of its two sets. A link carries only topics that both ends follow, as they said themselves:
// a Bloom filter's claims are verified first. What is kept and answered is bounded by Config, whatever others send.
//
// # What differs from the paper
//
//   - Figure 5 counts cover among candidates; the text and this package, among neighbours.
//   - Figure 3 picks neighbours with a degree above their target. Covered nodes have a target that equals their degree,
//     so none below L_max would ever part. The text has them part when covered, and so it is here: degree at or above
//     target.
//   - A node that lacks cover looks for neighbours up to L_max + Margin, not to L_max. Others fill its set with
//     neighbours that do not cover what it lacks, and in Figure 2 it would neither connect nor disconnect then.
//   - The youngest of equal candidates is disconnected, not a random one, and lost neighbours are tried again. So two
//     halves of a network meet after a partition although each half covers its topics (section 2.4 says nothing of
//     this).
//   - Heartbeats say which neighbours a node can do without, and only those are asked to disconnect. One that does not,
//     a minute later again. The paper asks in every step.
//   - Once everything is covered, links are exchanged for fewer ones: see [Swaps].
//   - K_r falls to its former value once a node has not been like its neighbours for five minutes. A task that is
//     switched off parts with neighbours that have no use for the link either. In the paper K_r only rises: each
//     partition left links for good.
//   - A task that has nothing to do rests longer each time.
//   - A node that shares no topic with the asker refuses.
//   - Topics that are only published on are not part of the interest that others see: a node that follows nothing is
//     sent nothing.
package overlay
