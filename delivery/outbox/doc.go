// Package outbox delivers what waits in the store's outbox to its targets.
//
// What it promises:
//
//   - At least once: a message leaves the outbox when its target has accepted it. It may come again if the node
//     crashed, or the attempt timed out, before that was known: at most one message to each target.
//   - In order: a target gets one message at a time, the oldest first. One that it did not accept is tried again before
//     the next.
//   - A target that hangs, refuses or answers slowly delays no other. An attempt that takes longer than [Config.Slow]
//     moves to one of [Config.MaxSlow] slow slots. A target whose last attempt failed gets only those. More than
//     MaxSlow targets that begin to hang at once delay others until their attempts time out.
//   - After a failure it waits 10 s, and twice as long after each further one, up to an hour, a quarter more or less.
//     If the target asks for a longer wait, it gets that, up to a day. A message that is older than [Config.Patience]
//     and fails is given up, and so is one that the target will never accept.
//   - Messages of items that were read elsewhere are retracted before anything else is sent, as far as the target can
//     and with few attempts: a failure may leave one where it is.
//   - When the context is done, attempts under way have [Grace] to end.
//
// A [Sender] sends the messages.
package outbox
