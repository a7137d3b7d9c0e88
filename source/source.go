// Package source watches the web. It knows when to look at a channel, what to make of
// what comes back, and nothing of where versions rest or who reads them.
//
//   - [Watcher] decides when: every channel when it is due, never twice at a time.
//   - [Looker.Look] makes one look: ask the origin as fetch.Plan says, read the document
//     as a feed or a page, compare it with what is known, and return a [Result] with the
//     next time, the reason for it, and a tidings.Finding if there is news.
//   - [Looker.Probe] makes the first look at an address that nobody follows yet, finds
//     the feed of a page, and stores nothing.
//
// A look is a function of the channel, what is remembered of it, the origin's answer,
// the clock and chance; it changes nothing by itself. Its Result has happened once a
// [Sink] has stored it.
package source
