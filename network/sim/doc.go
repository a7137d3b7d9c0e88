// Package sim is [engine.Env] on virtual time: one loop, one queue of typed events, any number
// of nodes, and faults drawn from a seed.
//
// A run is a function of its Config and of what the experiment does with the World: the same
// seed gives the same trace hash, on every machine and for every GOMAXPROCS. Nothing here
// starts a goroutine; independent worlds can run side by side.
//
// The network is modelled as the live one is: peers are authenticated, a node that sends
// something to a peer that does not answer hears of it by PeerDown after Config.Detect, and
// messages between two nodes keep their order unless a fault says otherwise.
package sim
