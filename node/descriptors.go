package node

// Descriptors of the system: how a node divides what it may have open.
const (
	// otherDescriptors are those of the store, logs, lookups of names, backups and files that are read.
	otherDescriptors = 64
	// maxPageConnections and maxSocketConnections bound memory, some 20 KiB a connection, where there are descriptors
	// for more.
	maxPageConnections   = 16_384
	maxSocketConnections = 1024
	// minConnections are had in any case: with fewer descriptors than for that nothing works.
	minConnections = 16
	// maxNetworkDescriptors is what connections to other nodes may take at most, and need.
	maxNetworkDescriptors = 512
	// pageShare is the part of the page's connections that one client may have: one in so many.
	pageShare = 4
	// unknownDescriptors is taken for the limit where the system tells none.
	unknownDescriptors = 8192
)

// descriptors is how many descriptors each use may take: connections to the page and the socket, and to other nodes.
// The rest is for polls and for what is always open.
type descriptors struct{ page, socket, network int }

func (c Config) descriptors() descriptors { return divide(openFiles(), c.Polls) }

// divide divides as many descriptors as the system grants. A poll under way takes one, two at times, but all polls at
// most a quarter; more of them wait until a descriptor is free, as others do.
func divide(granted, polls int) descriptors {
	d := descriptors{
		network: min(granted/4, maxNetworkDescriptors),
		socket:  bounded(granted/16, maxSocketConnections),
	}
	d.page = bounded(granted-otherDescriptors-d.network-d.socket-min(2*polls, granted/4), maxPageConnections)
	return d
}

func bounded(n, most int) int { return max(minConnections, min(n, most)) }
