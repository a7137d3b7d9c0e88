// Package newcomers keeps room for those that connect and have not said who they are. There are places for connections in
// their handshake, and places for those that have come through it and have not said Hello. No address, and no site
// (an IPv4 /24, an IPv6 /48), gets a place when it has half as many as are free: one alone gets a third of all, eight
// leave a fifth to others, however fast they come. While less than half are free, whoever stays longer than its patience is
// put out, and who comes by UDP first has to show that it is where it says.
//
// It stands before libp2p's resource manager, and so before any handshake: what is refused has cost a table's entry.
package newcomers
