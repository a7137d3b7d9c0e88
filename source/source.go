// Package source watches the web. It knows when to poll a channel, what to make of
// what comes back, and nothing of where versions rest or who reads them.
//
//   - [Scheduler] decides when: every channel when it is due, never twice at a time.
//   - [Poller.Poll] makes one poll: ask the origin as fetch.Plan says, read the document
//     as a feed or a page, compare it with what is known, and return a [Result] with the
//     next time, the reason for it, and a tidings.Change if there is news.
//   - [Poller.Preview] makes the first poll of an address that nobody follows yet, finds
//     the feed of a page, and stores nothing.
//
// Nothing that an origin does holds a Scheduler up for long. A poll (a poll) has a slot of Schedule.Polls, and:
//
//   - One that does not come back in Schedule.Timeout is given up soon after, whatever it waits for: its
//     slot is free, its channel fails and rests for hours, what it brings later is dropped. At most
//     [MaxLeftBehind] such polls are left behind. Run itself ends within seconds of its context.
//   - A host has at most Schedule.PerHost slots.
//   - Guests, which are polled for others, take half of the slots, one of a host's places, and 8 places below one
//     registered domain. The node does not know who brought a guest, so it goes by what the guest's origin does:
//     until a poll of it was quick, and for four more after one that failed or was slow, a guest goes by an eighth of
//     the slots. A thousand tarpits of one subscriber share these, whatever their names.
//   - So what people here follow never waits for guests, nor do guests that are quick wait for those that are not.
//
// A poll is a function of the channel, what is remembered of it, the origin's answer,
// the clock and chance; it changes nothing by itself. Its Result has happened once a
// [Sink] has stored it.
package source
