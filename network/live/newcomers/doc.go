// Package newcomers keeps room for peers that connect and have not said Hello. There are places for connections in
// their handshake, and places for those that have come through it and have not said Hello. No address, and no site (an
// IPv4 /24, an IPv6 /48), gets a place when it has half as many as are free. So one alone gets a third of all, and
// eight leave a fifth to others, however fast they come. While less than half are free, a connection that stays longer
// than its patience is closed. One that comes by UDP then has to prove its source address first.
//
// It stands before libp2p's resource manager, and so before any handshake: a refused connection has cost a table's
// entry.
package newcomers
