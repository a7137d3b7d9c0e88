// Package report finds out what is news. A poller reports to a channel's primary what it has found, until the primary
// has dealt with it. The primary distinguishes news from noise.
//
// In the paper a node that detects an update sends it to the nodes of its wedge at once (section 3.4). A node could
// invent updates then. Here the primary decides, and this package has the means: the contents that the channel had, the
// polls that it may make itself, and the finders whose reports proved false.
//
// The report carries the content's hash. If the primary sees something else, it requests the content. A report is
// accepted if its content is
//
//   - new: several finders of one change make one version, and mirrors with an old content make none;
//   - true: the primary sees it too, or two other pollers do. A content that the primary finds in its turn is accepted
//     even while a check is under way. A report counts as false if pollers see only the previous content after it,
//     until they see what was reported;
//   - stable: a second change within a polling interval has to be seen twice. So a content that differs from request to
//     request makes one version an interval. A return to an earlier content is accepted after an interval and some more
//     polls (doubt.go).
//
// # States
//
// A found change at its finder (finder.go):
//
//	found ──▶ sent to the primary ──▶ round the primary ──▶ … five times ──▶ the owners are silent
//	               │    ▲ three seconds, doubled each time        │
//	               │    └── it is being checked: wait longer      │
//	               ├──▶ a version with it has come: ended         │
//	               └──▶ it makes no version: ended; if it is found again, round the primary;
//	                    the third time the owners deny what this node sees
//
// A reported content at the primary. Each channel has one candidate at a time. Of the reports that come meanwhile, the
// latest waits:
//
//	            not signed                     the origin wants no more requests
//	report ────────────────▶ confirming ──┐  ┌──────────────▶ awaiting ─────┐ another finds it
//	   │ signed                           ▼  │                              │
//	   ├──────────────────────────────▶ checking ──▶ asking (others) ───────┤ they see it
//	   │ found here                       │ sees it                         ▼
//	   └──────────────────────────────────┴─────────────────────────────▶ accepted ──▶ published
//	                                         fetching ◀── a bare update ──┘ unfit
//
// It can be refused at each stage. The finder is then notified, and the next report considered.
//
// A primary that learns of versions of another side of a ring compares them with the origin's content (reunion.go):
//
//	reunite ──▶ this node may poll ──▶ it sees the latest ──▶ sent to all
//	   │                           └─▶ it sees another ─────▶ accepted, or doubted if it is an earlier one
//	   └──────▶ it may not ──▶ the latest counts as the newest, or it waits for a permit
//
// # What is not promised
//
//   - A content that the origin replaces before an owner, or a poller that it asks, could poll makes no version,
//     however many report it. Otherwise two malicious reporters could add a content to each change. If machines are so
//     busy that a poll takes longer than an origin keeps a content, versions are lost.
//   - A primary that ignores or denies a report is bypassed: another owner deals with it. Where the origin wants few
//     polls, that owner waits for another finder, as the primary does. A primary may deny a report while that owner may
//     not poll and finds nobody to ask. Then subscribers have to poll themselves: each eighth interval from then on.
//   - All pollers obey the origin (Retry-After, least time between polls). What other nodes report of its wishes holds
//     for one polling interval. For longer the primary asks the origin itself, once (origins.go). A primary can claim
//     that an origin asks for patience when it does not.
package report
