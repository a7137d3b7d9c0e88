package newswire

// Working returns how many items a node is at work on, or has on their way.
func Working(n *Node) int { return len(n.jobs) + len(n.parcels.byNumber) + len(n.outlets.all) }
