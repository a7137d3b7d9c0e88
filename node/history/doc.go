// Package history has what was published of a channel before a reader here followed it, or while the node was away. An Archive is the node's
// part in the network's archive of published items (network/archive): it keeps items for others, and puts what is published here there. A
// Reader reads a channel backwards for people: from that archive if its publisher pushes the channel, else from the archive documents that its
// feed names (RFC 5005).
package history
