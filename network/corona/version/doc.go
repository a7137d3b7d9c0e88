// Package version finds out a channel's latest content and agrees on a version number for it. It sends the version to
// every node that polls the channel or subscribes to it.
//
// It consists of three parts, none of which knows another. Machine passes on what they return (Machine.route):
//
//   - report: a poller reports what it has found, and the primary distinguishes news from noise;
//   - believe: a node keeps a version only if other nodes than its giver have seen it, and withdraws a false one;
//   - deliver: the primary numbers a content, agrees on that with the other owners, and brings it to all.
//
// What they exchange is in package update. The way of a change:
//
//	Machine.Polled ──▶ report ── Accepted ──▶ deliver ── Numbering, Attesting ──▶ believe (signs, asks witnesses)
//	                     ▲                     │  ▲  ◀── enough witnesses ──────── believe
//	                     ├── Unfit, Refused ───┤  │
//	                     └── Published ────────┘  ├── Bring ── an update that other nodes have sent
//	                                              └── Bring ── believe (a version that this node has seen itself)
//
// # Promises
//
//   - Primaries of a partitioned ring never assign one number to two contents. Afterwards the highest number holds. The
//     primary compares its content with the origin's, and sends the latest to all. A node that has the content under
//     another number adopts the number alone.
//   - Each subscriber receives each version once. After a partition it may miss one that only the other side had, but
//     not what leads to the latest. If one side had not seen the origin's last change, a subscriber may receive an
//     older content and the newer one again. A Library that recognizes its last contents shows neither.
//   - If the primary does not confirm a report within three seconds, the next owner makes the version. Its library
//     keeps the channel for that, even if it may not poll it (duties.go). A new primary sends a young version again.
//   - If all owners are silent, subscribers notice it when they renew or find something. They trace that they should
//     poll each interval. If all owners lie and keep up appearances, only a subscriber's own poll shows it: after a day
//     at most, in package node.
//
// Only the validity of signatures depends on the calendar. A finder with a clock off by more than five minutes is asked
// to confirm its report. A node with a clock a day slow accepts no versions of channels with dated changes, and shows
// what it polls itself. A clock before 2025 counts as not set.
package version
