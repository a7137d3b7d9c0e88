// Package zones is the node's place among the zones of the network, and the router newswire, which runs on them. It has
// the zone that people have set for the node, with the certificate for it, and the node's own attributes there. It also
// has what is sent to zones, and the outcome.
//
//	people, configuration ──▶ place ──Rejoin──▶ astrolabe: the tables of the zones on the node's path
//	                                                   │
//	updates of channels ──▶ Router.Publish ──┐         ▼
//	SendToZone ──▶ signed items ─────────────┴──▶ newswire ──▶ member ──▶ Host.Brought, Host.BroughtToZone
//	                                                   │
//	                                        forwarding: the log, in the store
//
// A version of a channel is sent with the topics of its items besides the channel's, so that it reaches queries as
// well. Every node on the way checks its signatures. A node that selects items checks that they are the version's.
//
// What the node has accepted to forward to a zone is in the log before the node confirms it. So is what it sends
// itself. After a start NewsWire goes on with what is left there, unless that is older than items are kept.
package zones
