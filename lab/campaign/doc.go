// Package campaign draws random worlds without end, runs each in the simulator, and judges it by oracles that are
// independent of the protocols.
//
// A [World] is data: how many nodes there are, what they follow, by which router updates travel, and what goes wrong
// when. [Draw] makes one of a seed. [Run] plays it in nodes with whole protocol stacks (network/corona/coronatest),
// with witnesses, and returns an [Outcome]: the same world gives the same trace hash. [Shrink] makes a failing world
// smaller. A [Campaign] does all that until its time is over, and keeps a [Log] that can be resumed.
//
// A run has two phases. In the first, every drawn fault happens, and nothing false may be delivered. Then all faults
// end, and the network is left alone for as long as it may need. In the second phase every update has to reach each
// node that follows its channel, within the promised time. In each world about half of all kinds of faults are fully
// off: a kind that is always on hides failures that need its absence (Groce et al., "Swarm Testing", 2012).
//
// In half of all worlds some nodes are publishers that push (network/feedtree), by the world's router. Pushed items are
// judged by the oracles of polled updates: an item counts as a version of its topic. [pushed] and [gaps] judge them as
// well, by what feedtree states of gaps.
//
// A publisher's node does what package node/publish does. It keeps all that it has published through each fault but
// Amnesia. After Amnesia it is silent until all nodes are back, and goes on above the numbers that the network knows.
// If no node has its last number, it is not judged any more. If its clock was ahead, it is judged once nodes accept
// what it has signed.
//
// Not judged are archives and conventional feeds of pushed items, a publisher's second key, and polling by volunteers.
// If all owners of a channel died at once, before they handed over their state, it is not judged either: its
// subscriptions are owed to be back after 9/8 of corona.Config.Renew.
//
// Scenes in testdata/scenes have failed once, and pass.
package campaign
