// Package mail sends messages to mail addresses, by one SMTP server that the node's operator names.
//
// What it promises:
//
//   - Nothing but a request for confirmation goes to an address that nobody has confirmed: see [NewKey]. So no person
//     of the node can have mail sent to a stranger.
//   - An attempt ends by its deadline, whatever the server does. At most maxReplies bytes of the server's replies are
//     read, and at most maxConnections connections are open.
//   - The connection is encrypted, and the server's certificate checked, unless the server is on this machine. A
//     password goes over no other connection.
//   - A message has at most MaxMessage bytes. What feeds say stays text or harmless HTML: no line of it becomes a
//     header, nothing of it runs, and nothing is loaded when it is read: pictures are named by their text.
//   - A message has the same Message-ID at each attempt. Every mail says how to end them. If the node has a public URL,
//     that is one click (RFC 8058).
//   - Errors are plain words for people, and hold no password.
//
// # Refusals
//
// What the server says of the recipient decides (RFC 5321, section 4.2; codes of RFC 3463):
//
//	recipient, 550, 551 or 553 without a code, 5.1.x, 5.2.1   outbox.Refusal.Gone: there is no such mailbox
//	recipient, any other 5xx                                  outbox.Refusal.Final
//	message, 5xx                                              outbox.Refusal.Final
//	anything else: 4xx, connection, sign-in, sender           an error: it is tried again
//
// # Sources
//
//   - RFC 5321 (SMTP), 5322 (format), 3207 (STARTTLS), 8314 (implicit TLS), 4954 (AUTH), 3463 (codes)
//   - RFC 8058 (one-click unsubscribing), 2369 (List-Unsubscribe), 2919 (List-Id), 3834 (Auto-Submitted)
package mail
