// Package outbox keeps the addresses at which people are notified, and what has yet to be delivered to them.
//
// Its tables: target, delivery, hub, sent (the last messages that can be retracted).
//
// What it promises:
//
//   - An update that a target selects enters the outbox in the transaction that stores the update ([Enqueue]). A crash
//     loses neither, or both.
//   - Each update enters once for each target. A delivery leaves the outbox when it was delivered, dropped by its
//     owner, or crowded out: of a target at most tidings.MaxPending wait, and the oldest goes for a new one and is
//     counted.
//   - Deliveries to a target are handed out one at a time ([Store.Next]), in the order of their updates.
//   - A delivery that was given up ([Store.GiveUp]) stays, with the reason, until its owner retries or drops it, or
//     until tidings.MaxPending younger ones have failed.
//   - What a person has read leaves the outbox of that person's own targets in the transaction of the mark
//     ([Store.DropRead]). Of what was sent to a target that can retract it, the last messages are retracted then.
//   - What a filter of its owner drops or mutes never enters the outbox of a target, nor goes out as part of an update.
//   - Nobody but a target's owner sees it or changes it.
//
// Reads: channel, version, revision and item of content; subscription, mark, edit, edit_mark and filtered of reader.
//
// Errors: tidings.ErrNotFound, tidings.ErrExists, tidings.ErrInvalid; else those of package db.
package outbox
