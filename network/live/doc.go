// Package live is the world of a node that runs for real: [engine.Env] on libp2p connections.
//
// A [Host] listens on QUIC and on TCP with Noise, finds its own addresses and how it can be
// reached, and runs a node's protocols in one loop. What the protocols see is what
// network/sim shows them: checked senders, order while a connection lasts, one PeerDown an
// outage, time that counts what the machine slept.
//
// # Links
//
// Between two nodes there is one link: a stream for each direction, opened by the side that
// sends on it, both on one libp2p connection or on two if both dialled at once. A stream
// begins with [engine.Hello] and [Place]; then come frames of messages, and of the
// transport's own: [Ping], [Pong], [Bye], [DuplicateKey]. A side says no more than its greeting before
// it has the other's, so that both know the version, and nothing is lost with a connection
// that was being closed.
//
//	        Send                stream open               Bye
//	(none) ─────▶ opening ─────────────────▶ open ─────────────────▶ ending ───▶ (none)
//	   ▲             │ ▲ accepted              │ connection lost,       drained both ways,
//	   │             │ └──────── (none)        │ silent, at fault       no PeerDown
//	   └─────────────┴─────────────────────────┘ PeerDown, once
//
// The loop owns links, timers and protocols. For each link one goroutine reads and one writes;
// they meet the loop at two bounded queues, the inbox (which stops reading when full, so that
// the peer feels it) and the outbox (which drops the oldest of the least urgent class). Neither
// ever makes the loop wait, so a peer that does not read loses its own messages alone.
//
// A peer is down when its connections are lost, when it says Bye to stop, when nothing was
// heard of it for Limits.DeadAfter although it was pinged (not counted what this node itself
// came to run late, see loop.tick), when it cannot be dialled, when
// it took nothing for Limits.Stall, when it was at fault, and when a protocol refuses it
// (Host.Refuse). A link that loses one of two connections moves to the other; what was under
// way on the first may be lost. If both streams were on one, and the peer begins anew on another, the link goes with it: only the
// peer may know that the first is dead.
//
// # Trust
//
// An [engine.Address] names an Ed25519 key and where its holder listens. A peer whose ID is
// not the SHA-1 of that key is a lie, is never dialled and is reported as down. libp2p proves
// the key of whoever answers. What a peer says of itself in Place counts for its own key only.
// What mDNS finds is suggested on [Host.Found] and nothing more. A dial tries the places in the
// address at hand alone, whatever else libp2p has heard of the peer.
//
// # Duplicate keys
//
// A Hello carries a number that is drawn when a host starts, its incarnation. One that was not
// met before is taken for a restart, and gets the peer's link. If the one before it then comes
// back, two hosts hold one key: the elder gets the link again, the younger is told so ([DuplicateKey],
// [ErrDuplicateKey]) and gets none while the elder is connected. Which of the two has a right to the key
// nobody can tell; who was there first is what a ring has built on. Hosts that met the younger
// first keep that one.
//
// # What others are told
//
// Addresses in messages go to strangers. A host that has a connection with a public address is on the open internet, and tells only
// places that can be dialled from everywhere, in Place and in libp2p's identify: its own public ones, those that its router forwards, and those
// at relays. It may have none; then it is met by its own dialling, or through others. Only a host that knows no such connection tells the addresses of its
// local network: in a network in which all are private there is nothing else. Two hosts that are seen at one public address are
// behind one router, and tell each other where they are on its local network (Place.Near); that goes no further. mDNS shows the local addresses on
// the local network in any case. Loopback is told where there is nothing else.
//
// # Private networks
//
// With a network key, libp2p's pre-shared key protector encrypts each connection before any
// other byte is said. It works on byte streams alone, so such a node has no QUIC: it listens
// and dials on TCP only.
//
// # Behind NAT
//
// A host that listens at a public IPv4 address of its own machine takes itself for public, one that others see at an address which is not its own for
// private, until AutoNAT finds out by having peers dial back; those that this node does for others are few (Limits), and go to
// where they ask from. Routers are asked to forward the ports (Config.PortMapping).
//
// A public host relays for those that are not, many (Config.Relay) or a few. A private one asks up to three of its peers that relay, the nearest first, for a
// place and gives those addresses too. A link that goes through a relay has a circuit, which the relay ends after some time and some
// bytes. Before that the link goes on on a new one:
//
//	dialler                    acceptor
//	   │ Bye, renewing ──────────▶ │   each keeps what its protocols send from here on
//	   │ ◀────────────── Bye, seen │   nothing is under way
//	   │ dials anew ─────────────▶ │   the new link has what was kept: no PeerDown
//
// A hole is punched (DCUtR) as soon as a link has come through a relay, again when one of the two has another address, and now and then; seldom
// where a router draws another port for each peer, and never where both do. Once a connection without
// relay stands, each side moves its stream there: what follows on the new one is read when the old one has ended, so that messages keep their order.
// A router that has another address breaks punched connections, and moves those with public nodes, whose QUIC goes on; their Pong says from where they
// see the host since.
//
// # Rest
//
// On a quiet link a side asks for a sign of life every Limits.PingEvery, and once it has lasted every Limits.RestEvery: that keeps mappings of routers and
// is all that the transport says for all protocols. Whoever finds a peer dead says so (Suspect), and the others look at once.
//
// # Sleep
//
// Go's monotonic clock stands still while a Linux or macOS machine is suspended. Once a second the
// loop compares it with a clock that does not, adds the difference to Now, runs what fell due,
// and asks all peers for a sign of life. Elsewhere Now is what Go's clock says.
package live
