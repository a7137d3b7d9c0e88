// Package server serves HTTP for a node, at every listener that the node opens. No client can keep the others out. It
// is for the node, which gives it listeners and handlers.
//
// It promises:
//
//   - No client is waited for without end. A request's head is there within 10 s. A client that sends a body, or reads
//     an answer, slower than 500 bytes/s has 20 s for all its delays together; then it is cut (the values of Apache's
//     mod_reqtimeout). This holds for streams as well: between two events nothing is waited for, and a client that does
//     not read them is cut. Handlers set no deadlines of their own for this; those that do can only shorten it.
//   - An endpoint has a bound on open connections. One client (an IPv4 address, an IPv6 /64) has a share of them.
//   - At a bound, the new connection is admitted where another can go: one that waits for its next request, then one
//     of a client that has not signed in, then one that is still sending; of the client with the most of them first.
//     The connection of a signed-in client that is being answered is never closed for another.
//   - Behind a trusted proxy the share is that of the client that the proxy names, and counts requests under way; the
//     proxy itself has no share.
//   - Connections of one endpoint use nothing of another's bound.
//   - What answers hold in memory until their clients have read it has a bound for all of them (package memory).
//
// It uses HTTP/1.1 only: TLS and HTTP/2 are for a proxy in front of the node.
package server
