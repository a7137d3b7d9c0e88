// Package zones is the node's place among the zones of the network, and the router newswire, which runs on them: in which zone people have
// told the node to be, and by whose certificate; what it says of itself there; what is sent to zones, and what comes of that.
//
//	people, configuration ──▶ place ──Rejoin──▶ astrolabe: the tables of the zones on the node's path
//	                                                   │
//	updates of channels ──▶ Router.Publish ──┐         ▼
//	SendToZone ──▶ signed items ─────────────┴──▶ newswire ──▶ member ──▶ Host.Brought, Host.BroughtToZone
//	                                                   │
//	                                        forwarding: the log, in the store
package zones
