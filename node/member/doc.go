// Package member makes the node a member of a network: it opens the connections to other nodes, finds nodes to join by, keeps its place in the
// ring among them, and remembers and shows whom it knows.
//
//	addresses that people gave ─┐
//	nodes of earlier runs ──────┼──▶ bootstrap ──▶ live.Host.Connect ──▶ pastry: Join
//	nodes seen by mDNS ─────────┘
//
// What runs on the ring is the node's business: see Host.Start.
package member
