package corona

import "tidings/network/corona/roster"

// owned is what an owner knows of a channel, besides what the machines keep themselves.
type owned struct {
	*roster.Owned
	permit *permit // nil unless this node is the primary and the load of hosts is bounded
}
