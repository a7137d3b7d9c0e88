// Package source watches the web. It knows when to poll a channel and how to read the answer. It does not know where
// versions are stored or which accounts read them.
//
//   - [Scheduler] decides when: every channel when it is due, never twice at a time.
//   - [Poller.Poll] makes one poll. It asks the origin as fetch.Plan says, reads the document as a feed or a page, and
//     compares it with what is known. It returns a [Result] with the next time, the reason for it, and a tidings.Change
//     if there is news.
//   - [Poller.Preview] makes the first poll of an address that nobody follows yet, finds the feed of a page, and stores
//     nothing.
//
// Nothing that an origin does holds a Scheduler up for long. A poll has a slot of Schedule.Polls, and:
//
//   - A poll that does not end in Schedule.Timeout is given up soon after, whatever it waits for. Its slot is free, its
//     channel fails and rests for hours, and its later result is dropped. At most [MaxLeftBehind] such polls are left
//     behind. Run itself ends within seconds of its context.
//   - A host has at most Schedule.PerHost slots.
//   - Guests, which are polled for others, occupy at most half of the slots, all but one of a host's places, and 8
//     places below one registered domain. The node does not know which subscriber brought a guest, so it judges by the
//     guest's origin. Until a poll of a guest was quick, the guest shares an eighth of the slots with others like it.
//     So it does for four more polls after one that failed or was slow. A thousand tarpits of one subscriber share
//     these, whatever their names.
//   - So the channels that people here follow never wait for guests, and quick guests do not wait for others.
//
// A poll is a function of the channel, what is remembered of it, the origin's answer, the clock and chance. It changes
// nothing by itself. Its Result has happened once a [Sink] has stored it.
package source
