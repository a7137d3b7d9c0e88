// Package share is for nodes that are signed in to one XMPP account. It decides which of them sends a message, so that
// each message is sent once.
//
// The nodes of an account are its resources that are present. One of them is the primary of an address: the one with
// the smallest hash of node and address. The owners of a channel have a primary in the same way (section 3.3 of the
// paper on Corona). If a node ends, only its addresses get other primaries.
//
// A message consists of parts, such as items, that all nodes name alike. A node that has a message asks the address's
// primary for its parts, and sends those that it is granted. A part is granted to one node at a time, and to none once
// it is known to be sent. Nodes learn what the others send by message carbons (XEP-0280): the server gives them out
// with the message, before it reports that the sender is gone. So a node that takes over knows all that was sent.
//
// A State has no goroutine, lock, clock or connection.
package share
