// Package websub is a hub of WebSub (W3C Recommendation, 23 January 2018, https://www.w3.org/TR/websub/) for any public
// feed or page: a subscriber asks it for a topic, and gets the topic's content whenever that changes.
//
// A [Hub] answers requests at its URL and verifies them: it asks the callback whether it wants the subscription, and
// only then stores it. It is also the outbox.Sender of what is to be delivered. When a message is sent, and again, is
// decided by package delivery/outbox: in order, one at a time for each subscription, and slow callbacks apart.
//
// What it promises:
//
//   - A request is answered at once: 202 if it will be verified, else 4xx or 5xx with a line that says why. What the
//     topic's policy forbids is denied at the callback (section 5.2).
//   - A subscription is that of a topic and a callback. Both are compared after escapes of unreserved characters are
//     decoded (RFC 3986, section 6.2.2.2), and are used as the subscriber wrote them. A second request changes lease
//     and secret only after it was verified.
//   - A lease lasts from [MinLease] to [MaxLease], [DefaultLease] if the subscriber asks for none, counted from the
//     verification. The verification says which it got (hub.lease_seconds).
//   - A delivery is the topic's whole content with its Content-Type, signed if there is a secret, with Link headers for
//     hub and self. If several updates wait for a subscription, it gets the newest content once.
//   - Every 2xx is success. 410 ends deliveries to the subscription; all else is a failure, redirects too, and is tried
//     again.
//
// Nobody can use it against others:
//
//   - Config.Guard checks the address of a callback as it is dialled, so private addresses are refused whatever name
//     leads there. The hub itself is refused too. No redirect is followed, and at most [MaxAnswer] bytes of an answer
//     are read.
//   - One verification at a time is under way for the callbacks below one registered domain. [VerifyBurst] and then one
//     in [VerifyEvery] are sent to a domain that does not confirm; those that are confirmed do not count. The same
//     holds for an address, as it is connected to, whatever the names that lead there. Deliveries count there too,
//     until the address has accepted something for the callback's domain: the name of a callback may be moved to a
//     victim.
//   - Requests are limited by client, subscriptions by callback's domain, by topic and altogether, pings by topic and
//     by host.
//   - Every wait has an end: an exchange with a callback ends after [Timeout].
//
// A request that waits for verification is in memory: if the node stops before, the subscriber has to send it again.
package websub
