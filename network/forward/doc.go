// Package forward has nodes that cannot connect to each other talk all the same, by a neighbour of both that forwards:
// a node of which most are behind routers of homes receives only from those that it has connected to itself. It is for
// all protocols of a node alike. A [Node] stands between the world and them: it is the [engine.Env] that they are made
// with, and gets what comes for them first. It forwards for others whether its node serves as a relay of connections or
// not.
//
// # How a way is found
//
// A node that names a peer in a message may have a connection with it: it is that peer's introducer, as is the
// neighbour that a message came by. The codec says which peers a message names, so that no protocol has to do anything
// for it, and none can forget to. A peer without a connection is tried directly first, as ever. If there is still no
// connection after Config.Hedge, or the world says that it is down, the node asks introducers with which it has a
// connection, the latest first, to pass on an [Open]. One that has no connection with the peer says so, and by which it
// reaches the peer itself, or which named it: so the way that a Join went, for example, is found back hop by hop. The
// peer's answer opens the route, by the introducer that it came through:
//
//	        Send without         Hedge, or the           the peer has answered,
//	        a connection         world: it is down       or its message has come
//	(none) ─────────────▶ trying ───────────────▶ opening ────────────────────▶ open
//	   ▲                                          │ ▲ ▲                          │
//	   │ a connection, or a message      Within,  │ │ └──────────────────────────┘
//	   │ that came directly: from all     or all  │ │   the forwarder is down, has no connection
//	   └─────────────────────────────     refused ▼ │   with the peer, or the peer is silent
//	                                         closed─┘
//	                                                Send, after a rest that doubles
//
// What is sent meanwhile waits, up to Config.MaxHeld messages. What was sent while a direct connection was tried is
// sent again by the route and can arrive twice. While a route is open, a direct connection is tried after times that
// double; as soon as there is one, it is used.
//
// # What is promised
//
// The protocols see a peer with an open route as up. PeerDown comes once for each outage: when the world says that the
// peer is down and nobody forwards, or when nobody forwards any more; at most Config.Within after that was found out. A
// forwarder that loses messages is found out by traffic alone: if nothing has come from the peer for Config.Silence, a
// message asks it to answer, and without an answer within Config.Answer another way is looked for. A route without
// traffic costs nothing but direct tries that become rare.
//
// Forwarded messages keep their order, may be lost, and are handed to protocols as from the peer that signed them.
// Nothing longer than Config.MaxPayload goes by a route. What a node forwards is bounded for each neighbour and in all.
//
// A node forwards one hop, from one of its connections to another: it never connects to anybody for it, nor passes on
// what somebody has forwarded to it.
//
// # What an attacker can do
//
// A forwarder can read what it forwards, lose it, and delay it. It can neither invent nor change anything, which the
// sender's signature covers, nor give it to the wrong node. It cannot give anything twice, or later to another
// incarnation: a route begins with numbers that either side draws at random, and each message carries the receiver's
// and a count that rises. Who has forwarded an Open can repeat it, which delays the next route between the two by
// Config.Silence at most.
//
// A node that names peers can have others ask it for a way to them; that costs them maxAsked messages each time that
// they want to reach such a peer, after rests that double. It cannot have them forget which nodes have named others: so
// many names a second are accepted from each neighbour. A node that is asked to pass on an Open can name another
// forwarder, and so have a node connect to that one, once for each Open.
package forward
