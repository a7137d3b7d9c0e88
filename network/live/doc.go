// Package live is the world of a node that runs for real: [engine.Env] on libp2p connections.
//
// A [Host] listens on QUIC and on TCP with Noise, finds its own addresses and how it can be reached, and runs a node's
// protocols in one loop. Protocols see the same as in network/sim: checked senders, order while a connection lasts, one
// PeerDown an outage, time that counts what the machine slept.
//
// # Links
//
// Between two nodes there is one link: a stream for each direction, opened by the side that sends on it. Both are on
// one libp2p connection, or on two if both dialled at once. A stream begins with [engine.Hello] and [Place]. Then come
// frames of messages, and of the transport's own: [Ping], [Pong], [Bye], [DuplicateKey]. A side sends only its greeting
// before it has the other's. So both know the version, and nothing is lost with a connection that was being closed.
//
//	        Send                stream open               Bye
//	(none) ─────▶ opening ─────────────────▶ open ─────────────────▶ ending ───▶ (none)
//	   ▲             │ ▲ accepted              │ connection lost,       drained both ways,
//	   │             │ └──────── (none)        │ silent, at fault       no PeerDown
//	   └─────────────┴─────────────────────────┘ PeerDown, once
//
// The loop owns links, timers and protocols. For each link one goroutine reads and one writes. They meet the loop at
// two bounded queues. A full inbox stops reading, so that the peer feels it. A full outbox drops the oldest of the
// least urgent class. Neither ever makes the loop wait, so a peer that does not read loses its own messages alone.
//
// A peer is down in each of these cases:
//
//   - Its connections are lost, or it says Bye to stop.
//   - It was pinged, and nothing came from it for Limits.DeadAfter. Time in which this node itself came to run late
//     does not count (see loop.tick).
//   - It cannot be dialled, or accepted nothing for Limits.Stall.
//   - It was at fault, or a protocol refuses it (Host.Refuse).
//
// A link that loses one of two connections moves to the other; what was under way on the first may be lost. If both
// streams were on one connection, and the peer begins anew on another, the link moves with it: only the peer may know
// that the first is dead.
//
// # Trust
//
// An [engine.Address] names an Ed25519 key and where its holder listens. A peer with an ID that is not the SHA-1 of
// that key is a lie, is never dialled and is reported as down. libp2p proves the key of the host that answers. A peer's
// Place counts for its own key only. mDNS finds are suggested on [Host.Found] and nothing more. A dial tries the places
// in the address at hand alone, whatever else libp2p knows of the peer.
//
// # Duplicate keys
//
// A Hello carries a number that is drawn when a host starts, its incarnation. A new number counts as a restart, and
// gets the peer's link. If the one before it then comes back, two hosts hold one key. The elder gets the link again.
// The younger is notified ([DuplicateKey], [ErrDuplicateKey]) and gets none while the elder is connected. Which of the
// two has a right to the key cannot be known. A ring was built on the one that was there first. Hosts that met the
// younger first keep that one.
//
// # What others learn
//
// Addresses in messages go to strangers. A host that has a connection with a public address is on the open internet. It
// announces only places that can be dialled from everywhere, in Place and in libp2p's identify: its own public ones,
// those that its router forwards, and those at relays. It may have none. Then it is met by its own dialling, or through
// others.
//
// Only a host that knows no such connection announces the addresses of its local network: in a network in which all are
// private there is nothing else. Two hosts that are seen at one public address are behind one router. They send each
// other their places on its local network (Place.Near), which go no further. mDNS shows the local addresses on the
// local network in any case. Loopback is announced where there is nothing else.
//
// # Private networks
//
// With a network key, libp2p's pre-shared key protector encrypts each connection before any other byte is sent. It
// works on byte streams alone, so such a node has no QUIC: it listens and dials on TCP only.
//
// # Behind NAT
//
// A host that listens at a public IPv4 address of its own machine counts itself as public. One that others see at an
// address which is not its own counts itself as private. Both hold until AutoNAT finds out by having peers dial back.
// Dial-backs for others are few (Limits), and go to the address that a request comes from. Routers are asked to forward
// the ports (Config.PortMapping).
//
// A public host relays for those that are not, many (Config.Relay) or a few. A private one asks up to three of its
// peers that relay, the nearest first, for a place and announces those addresses too. A link that goes through a relay
// has a circuit, which the relay ends after some time and some bytes. Before that the link goes on on a new one:
//
//	dialler                    acceptor
//	   │ Bye, renewing ──────────▶ │   each keeps what its protocols send from here on
//	   │ ◀────────────── Bye, seen │   nothing is under way
//	   │ dials anew ─────────────▶ │   the new link has what was kept: no PeerDown
//
// A hole is punched (DCUtR) as soon as a link has come through a relay, again when one of the two has another address,
// and then at growing intervals. It is tried seldom where a router draws another port for each peer, and never where
// both do. Once a connection without relay stands, each side moves its stream there. Messages on the new one are read
// when the old one has ended, so they keep their order. A router that has another address breaks punched connections.
// It moves those with public nodes, as their QUIC goes on; their Pong says where they see the host since.
//
// # Rest
//
// On a quiet link a side requests a sign of life every Limits.PingEvery, and once the link has lasted every
// Limits.RestEvery. That keeps mappings of routers, and is all that the transport sends for all protocols. A node that
// finds a peer dead reports it (Suspect), and the others check at once.
//
// # Sleep
//
// Go's monotonic clock stands still while a Linux or macOS machine is suspended. Once a second the loop compares it
// with a clock that does not. It adds the difference to Now, runs what fell due, and requests a sign of life of all
// peers. Elsewhere Now is what Go's clock says.
package live
