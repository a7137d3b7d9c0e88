// Package websub is a subscriber of WebSub (W3C Recommendation, 23 January 2018, https://www.w3.org/TR/websub/) and of
// rssCloud (http://rsscloud.co): where a feed or page names a hub, the hub is asked to announce what changes.
//
//   - [Discover] finds what a document names (section 4): hubs and the topic in Link headers, else in the document.
//   - A [Subscriber] has a subscription for each channel that names a hub, at a callback of its own that nobody can
//     guess. It keeps them alive, answers verifications, and has a channel polled when a push comes. It holds them in a
//     Store.
//
// What a push says is not used: hubs send what is new, or all, or an old state, and a forged one could put anything
// into a channel. The channel's origin is polled at once instead, by a conditional request; again after a minute and
// after five where that brings nothing, as caches between may be behind the hub. So an update is found as any other is.
//
// What it promises:
//
//   - A channel is polled by plan until its hub has proved itself: until a push has brought news. From then on it is
//     polled each [BackupEvery]. It is polled by plan again when such a poll finds, for the second time in a row, what
//     should have been pushed, and when the lease ends.
//   - A tally of that is kept of each subscription, and can be shown.
//   - With a secret, which hubs over TLS or on this machine get, a push without a right signature has no effect
//     (section 7.1).
//   - A lease is renewed when two thirds of it are over, after the topic was read again, so that a move to another hub
//     or topic is followed (section 6.1).
//   - Bounds: [MaxChannels] subscriptions, [maxRequests] requests to hubs at a time, each for at most [Timeout]; a push
//     has at most [MaxPush] bytes, and causes at most one poll of its channel in [pollPause].
package websub
