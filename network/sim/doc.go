// Package sim is [engine.Env] on virtual time: one loop, one queue of typed events, any number of nodes, and faults
// drawn from a seed.
//
// A run is a function of its Config and of what the experiment does with the World: the same seed gives the same trace
// hash, on every machine and for every GOMAXPROCS. A world is used by one goroutine and starts none; independent worlds
// run side by side, by [Each].
//
// The network is modelled as the live one is. Peers are authenticated. A node that sends to a peer that does not answer
// learns of it by PeerDown after Config.Detect. Messages between two nodes keep their order unless a fault says
// otherwise.
//
// What can go wrong, and what a protocol sees of it:
//
//   - [Faults], of the network, a node or a link: messages lost, doubled, overtaken or late by chance, without notice.
//   - [World.Partition], [World.CutOneWay], [World.CutBetween], [Cut.Flap]: links on which nothing passes. A node that
//     sends into them gets PeerDown.
//   - [Homes]: which nodes can connect to which. A node that sends to a private one without a connection gets PeerDown.
//   - [World.Crash], [World.CrashFor], [World.Restart]: nothing is called any more; a new incarnation finds the Disk as
//     it was. With [World.Restore] it finds an older one or none, after [World.Move] itself at another address.
//     [World.Clone] makes a second node with the same ID.
//   - [World.Pause], [World.Suspend]: time passes unseen; what was due happens at the end.
//   - [World.SetRate], [World.SetWall]: clocks that are wrong.
//   - [World.SetSlow], [World.SetBandwidth]: queues that fill up and drop what is least urgent.
//   - [World.Inject]: any of these at the very moment when a protocol traces something.
//
// PeerDown is called once for each outage: Detect after the first message that reached no node, unless something came
// from the peer meanwhile. The next message that comes from the peer ends the outage. With Config.Connections, a node
// that lately exchanged messages with one that is gone is called without sending.
package sim
