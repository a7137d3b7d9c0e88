// Package memory bounds how much memory all requests and answers of a node hold together. So clients that send slowly,
// or do not read, cannot exhaust it.
//
// It promises:
//
//   - An [Answer] counts what is read for it from the store, and what is encoded, until the client has read that or is
//     cut.
//   - A request's body counts for its answer as far as it has come, until the answer is made. Bodies leave half to the
//     answers.
//   - Together they hold at most the [Budget]'s limit, apart from what the store's readers are reading at that moment.
//     The first 8 KiB of each answer are not counted, so that what is small is answered whatever others hold.
//     A single answer that is larger than the limit is admitted while no other holds anything.
//   - An answer that finds no room fails with [ErrFull]: the client is asked to come again (503 with Retry-After). One
//     that comes in pieces waits before, in order of arrival: for [FirstPatience] with its first piece, for [Patience]
//     with the others, after which it is cut.
//   - Remote clients leave an eighth of the limit to clients on this machine, and those by TCP an eighth to the node's
//     own socket. Answers that come in pieces, such as streams and long lists, leave half to the others. So the
//     command line and the page work while others hold all they can.
//
// The HTTP server begins an answer for each request (package server), and the handlers find it in the request's
// context. What the store gives is counted where the node connects both.
package memory
