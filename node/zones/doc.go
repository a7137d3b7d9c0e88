// Package zones is the node's place among the zones of the network, and the router newswire, which runs on them: in which zone people have
// told the node to be, and by whose certificate; what it says of itself there; what is sent to zones, and what comes of that.
//
//	people, configuration ──▶ place ──Rejoin──▶ astrolabe: the tables of the zones on the node's path
//	                                                   │
//	updates of channels ──▶ Router.Publish ──┐         ▼
//	SendToZone ──▶ signed items ─────────────┴──▶ newswire ──▶ member ──▶ Host.Brought, Host.BroughtToZone
//	                                                   │
//	                                        forwarding: the log, in the store
//
// A version of a channel is sent with the topics of its items besides the channel's, so that it comes to queries as well. Every node on the
// way checks who has signed it; whoever selects items checks that they are the version's.
//
// What the node has taken to bring to a zone is in the log before it says so, as is what it sends itself. After a start NewsWire goes on
// with what is left there, unless that is older than items are kept.
package zones
