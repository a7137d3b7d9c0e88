// Package history has the items of a channel from before a reader here followed it, or from while the node was away. An
// Archive is the node's part in the network's archive of published items (network/archive). It keeps items for others,
// and puts what is published here there. A Reader reads a channel backwards for people. It reads from that archive if
// its publisher pushes the channel, else from the archive documents that its feed names (RFC 5005).
package history
