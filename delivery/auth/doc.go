// Package auth finds the requester of a request to a node's interfaces, and refuses requests that are not allowed. The
// node puts one Guard in front of all interfaces that listen on TCP. The page uses it to sign people in and out.
//
// It promises:
//
//   - Passwords are kept as argon2id (RFC 9106) with the parameters of HashPassword.
//   - Sessions and tokens are 256 random bits; the store sees SHA-256 of them only. A token is for programs that use
//     the API and, as an app password, for feed readers (see Gate). For the Fever API, which needs an MD5, there are
//     tokens of their own, and none until one is made (see NewFeverToken).
//     A changed password ends all of an account's sessions.
//   - A feed address has a secret of 256 random bits, which opens one feed and nothing else (see Gate.Feed).
//   - A request that lasts, such as a stream, is admitted again every minute, and ends if it is not.
//   - Feed readers enter by tokens alone, never by a session or an address. From other machines they need TLS, or the
//     consent of the node's owner.
//   - A request is answered only under a name that the node knows as its own, so that
//     a web page elsewhere cannot reach the node by rebinding its own name (DNS
//     rebinding).
//   - A web page elsewhere can neither change anything nor load anything but whole
//     pages through links (see Guard.Handler).
//   - Guessing passwords is slow: attempts are limited for each address and in all,
//     in a table of bounded size, and hashes are computed one at a time.
//   - One table says of each route of the page, the API and the other interfaces for whom it is; a route that is not in
//     it is for administrators (see Admits). The interfaces ask it before they answer.
//   - A reader sends a bounded number of requests a minute, from whatever addresses.
//   - Strangers cannot lock out a known person: a browser in which somebody signed
//     in before has attempts of its own, over restarts too, and so has an address from
//     which somebody signed in, or used a session, since the node started. They go first.
//
// Forms need no hidden token: some requests change something and could come from a form. They are answered only if the
// browser says, by Sec-Fetch-Site or Origin, that the form is the node's own. All browsers of this decade send at least
// one of them; one that sends neither is refused. The session cookie is SameSite=Strict besides.
package auth
