// Package descriptors divides what a process may have open among its uses.
package descriptors

const (
	// otherDescriptors are those of the store, logs, lookups of names, backups and files that are read.
	otherDescriptors = 64
	// maxPageConnections and maxSocketConnections bound memory, about 20 KiB a connection, if there are descriptors for
	// more.
	maxPageConnections   = 16_384
	maxSocketConnections = 1024
	// minConnections are had in any case: with fewer descriptors than for that nothing works.
	minConnections = 16
	// maxNetworkDescriptors is how many descriptors connections to other nodes need, and may use at most.
	maxNetworkDescriptors = 512
	// unknownDescriptors is the assumed limit if the system reports none.
	unknownDescriptors = 8192
)

// Share is how many descriptors each use may have: connections to the page and the socket, and to other nodes. The rest
// is for polls and for what is always open.
type Share struct{ Page, Socket, Network int }

// Of divides what the system grants this process, of which so many polls may be under way at a time.
func Of(polls int) Share { return divide(openFiles(), polls) }

// divide divides as many descriptors as the system grants. A poll under way needs one, two at times, but all polls at
// most a quarter. More of them wait until a descriptor is free, as others do.
func divide(granted, polls int) Share {
	d := Share{
		Network: min(granted/4, maxNetworkDescriptors),
		Socket:  bounded(granted/16, maxSocketConnections),
	}
	d.Page = bounded(granted-otherDescriptors-d.Network-d.Socket-min(2*polls, granted/4), maxPageConnections)
	return d
}

func bounded(n, most int) int { return max(minConnections, min(n, most)) }
