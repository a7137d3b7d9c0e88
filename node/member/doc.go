// Package member makes the node a member of a network. It opens the connections to other nodes, finds nodes to join by,
// and keeps its place in the ring among them. It remembers and shows the nodes that it knows.
//
//	addresses that people gave ─┐
//	nodes of earlier runs ──────┼──▶ bootstrap ──▶ live.Host.Connect ──▶ pastry: Join
//	nodes seen by mDNS ─────────┘
//
// What runs on the ring is the node's business: see Host.Start.
package member
