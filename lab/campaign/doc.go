// Package campaign draws random worlds without end, runs each in the simulator, and judges it by oracles that stand apart
// from the protocols.
//
// A [World] is data: how many nodes there are, what they follow, by which router updates travel, and what goes wrong when.
// [Draw] makes one of a seed. [Run] plays it in nodes with whole protocol stacks (network/corona/coronatest), with witnesses, and
// returns an [Outcome]: the same world gives the same trace hash. [Shrink] makes a failing world smaller. A [Campaign] does all
// that until its time is over, and keeps a [Log] that can be resumed.
//
// A run has two phases. In the first everything goes wrong that was drawn, and nothing false may happen. Then all faults end,
// the network is left alone for as long as it may need, and in the second phase every update has to come to each node that
// follows its channel, within the time that is promised. In each world about half of all kinds of faults are fully off: one that is
// always on hides what needs its absence (Groce et al., "Swarm Testing", 2012).
//
// In half of all worlds some nodes are publishers that push (network/feedtree), by the world's router. What is pushed is judged by
// the oracles of what is polled: an item counts as a version of its topic. Besides, [pushed] and [gaps] judge it, by what feedtree
// states of gaps. A publisher's node does what package node/publish does. It keeps all that it has published through each
// fault but Amnesia. Then it is silent until all is back, and goes on above what the network knows; where
// no node has its last number, nothing is judged of it any more. One whose clock was ahead is judged when nodes
// accept what it has signed.
//
// What is not judged: archives and conventional feeds of what is pushed, a publisher's second key, and polling by volunteers. Nor are
// channels judged all of whose owners died at once, before they handed over what they held: these are owed to be back after 9/8 of
// corona.Config.Renew.
//
// Scenes in testdata/scenes have failed once, and pass.
package campaign
