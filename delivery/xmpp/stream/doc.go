// Package stream keeps one XMPP stream to a server: that of an external component (XEP-0114) or of an ordinary account
// (RFC 6120). It connects again whenever the stream ends, and knows which messages the server has accepted.
//
// What it promises:
//
//   - Send returns nil once the server has accepted a message. With stream management (XEP-0198) that is when the
//     server has acknowledged it. Without, as always for components, it is when a ping (XEP-0199) that was sent after
//     the message is answered, since a server handles the stanzas of a stream in their order. A receipt (XEP-0184)
//     counts as well.
//   - A message that is sent again with the same ID is not written again while the first may still be acknowledged, or
//     was acknowledged since. So a message comes twice only if a stream ends in between and cannot be resumed.
//   - An account authenticates over TLS alone, and by SCRAM alone (RFC 5802, RFC 7677), so that the server never learns
//     the password from it, and proves that it knows it. With TLS that both ends bind to (RFC 9266), nobody
//     stands between.
//   - Whatever a server sends, one stream holds at most MaxRead bytes and MaxElements elements of a stanza. A
//     stanza that is larger than MaxStanza reaches the handler without its content. One that is larger than MaxRead, is
//     no XML, or has what streams must not have (RFC 6120, section 11.1: comments, instructions, a DOCTYPE) ends the
//     stream.
//   - Connecting, each write, the rest of a stanza that has begun and each answer have a deadline. A server that does
//     not answer a ping ends the stream.
//
// One stream is one full address. Several nodes that share an account have a stream each, with resources of their own.
package stream
