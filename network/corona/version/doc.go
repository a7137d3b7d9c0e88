// Package version finds out a channel's latest content and agrees on a version number for it. It sends the version to
// every node that polls the channel or subscribes to it.
//
// # Reports
//
// A node that finds a change reports it until the primary has dealt with it. The report carries the content's hash. If
// the primary sees something else, it requests the content. A report becomes a version if its content is
//
//   - new: several finders of one change make one version, and mirrors with an old content make none;
//   - true: the primary sees it too, or two other pollers do. A content that the primary finds in its turn is accepted
//     even while a check is under way. A report counts as false if pollers see only the previous content after it,
//     until they see what was reported (falsereporters.go);
//   - stable: a second change within a polling interval has to be seen twice. So a content that differs from request to
//     request makes one version an interval. A return to an earlier content is accepted after an interval and some more
//     polls (doubt.go).
//
// # Versions
//
// The primary's library stores a version first, which proves that it fits. Then the other owners note its number, and
// then it is sent. Of a first version only the number is sent: subscribers polled when they began.
//
//   - Primaries of a partitioned ring never assign one number to two contents (number.go). Afterwards the highest
//     number holds. The primary compares its content with the origin's, and sends the latest to all (reunion.go). A
//     node that has the content under another number adopts the number alone.
//   - Each subscriber receives each version once. After a partition it may miss one that only the other side had, but
//     not what leads to the latest. If one side had not seen the origin's last change, a subscriber may receive an
//     older content and the newer one again. A Library that recognizes its last contents shows neither.
//   - If the primary does not confirm a report within three seconds, the next owner makes the version. Its library
//     keeps the channel for that, even if it may not poll it (duties.go). A new primary sends a young version again.
//   - Subscribers acknowledge. One that lacks a version asks the node that announced the next, then an owner, then the
//     origin (gaps.go). One that was away learns of the latest when it renews.
//   - All pollers obey the origin (Retry-After, least time between polls). What other nodes report of its wishes holds
//     for one polling interval. For longer the primary asks the origin itself, once (origins.go).
//
// # From a report to a version
//
// Each channel has one candidate at a time. Of the reports that come meanwhile, the latest waits. The stages of a
// candidate:
//
//	            not signed                     the origin wants no more requests
//	report ────────────────▶ confirming ──┐  ┌──────────────▶ awaiting ─────┐ another finds it
//	   │ signed                           ▼  │                              │
//	   ├──────────────────────────────▶ checking ──▶ asking (others) ───────┤ they see it
//	   │ found here                       │ sees it                         ▼
//	   └──────────────────────────────────┴─────────────────────────────▶ keeping ──▶ committing ──▶ witnessing ──▶ sent
//	                                         fetching ◀── a bare update ──┘ fits      owners noted   witnesses
//	                                                                                  it, or 2 s     signed, or 3 s
//
// It can be refused at each stage up to keeping. The finder is then notified, and the next report considered.
//
// # Trust
//
// A poller or subscriber keeps a version only if more nodes saw its content than the owner that numbered it, its giver:
//
//	version ──▶ this node has the content ────────────────────────────────────────────▶ kept
//	   ├──▶ four witnesses, at different places of the day, have signed it ───────────▶ kept     (attest.go)
//	   ├──▶ the origin wants few polls, and the finder and another giver have signed ─▶ kept
//	   └──▶ a subscriber polls, up to four times ───▶ sees it ────────────────────────▶ kept     (unseen.go)
//	                                             ├──▶ sees the content before ──▶ not shown; its giver is blamed
//	                                             └──▶ sees something else ──▶ not shown; its readers see what it polled
//
// A channel has six places for witnesses, drawn over the whole ring from its ID and the day. The giver routes a Verify
// to four of them, and to the other two half a second later. It does so while it checks a report itself: a false report
// costs the origin these polls, once an interval. The node closest to a place polls and signs, if the host's owners
// have certified that the channel may be polled.
//
// Rings with room for fewer than four (24 nodes) use fewer witnesses, at least two. Readers' nodes poll for themselves
// in rings of fewer than eight nodes, for channels with at most four subscribers, and for channels that only their
// primary polls. Members of a polling set that do not subscribe see the content in their turn. For each poll by a
// witness a turn is skipped, so that origins get no more requests (plan.Plan.Rest).
//
// A node may have shown a version that it did not see itself. It withdraws that version if the origin still shows the
// predecessor half an interval after it first did. Contradicted names the finder, the giver and the witnesses.
//
// # Malicious nodes
//
// Where there are keys, the finder signs what it has seen, witnesses what they see, and an owner the number that it
// assigns (seals.go). Pollers and subscribers accept an update only if its number is possible by now and all have
// signed. Its giver must also be close enough to the channel to own it. After three badly signed messages a sender is
// ignored. Older versions are always ignored. Primaries poll before they accept a report (check.go).
//
//   - A single node, wherever it stands, cannot get an invention shown. To deceive nodes that do not poll, an attacker
//     needs the place of an owner and four of the day's six places. Of N nodes each is within 1.7/N of the ring. With
//     random IDs a tenth of a percent of liars never has these places. One node in twenty has them for 0.7 % of the
//     channels on a day, one in five for a quarter. An attacker that generates keys needs about N/3 for each place, new
//     ones each day. A node that has just started, and has not counted the ring, accepts witnesses within 3/N.
//   - An owner that invents costs each reader's node four polls an interval, or one for each of its readers, up to
//     twelve, and one a minute beyond that. After three such versions it costs one an interval.
//   - The headers of two contents with one number prove that their giver equivocates. Owners and pollers learn of it.
//     For a day no node treats it as an owner of anything, and the next owner numbers above (equivocation.go). Only
//     contents with hashes that share their first 24 bits can have one number.
//   - A node may receive a number above the owners' from a node that could own the channel. It notifies the owners,
//     which number the next version above it. There always is a higher one: no number is accepted that is more than a
//     day ahead of the calendar (floors.go).
//   - A primary that ignores or denies a report is bypassed: another owner deals with it (reports.go). The same holds
//     for missing versions. Where the origin wants few polls, that owner waits for another finder, as the primary does.
//   - Below a poller that drops updates, nodes find the changes in their slots, and request the version.
//   - If all owners are silent, subscribers notice it when they renew or find something. They trace that they should
//     poll each interval (suspicion.go). If all owners lie and keep up appearances, only a subscriber's own poll shows
//     it: after a day at most, in package node.
//
// Not promised:
//
//   - A malicious primary with a certificate can make each of six witnesses poll once an interval, and once more for
//     every node that fits a set of the granted size. The ceilings of hosts do not count that. An honest one causes no
//     more: each version was found by a poll of a poller in its turn.
//   - Places can be computed days ahead, and nobody checks where a witness's address leads. A place costs what keys
//     cost.
//   - Where an origin wants fewer polls than the set makes, a finder and an owner that lie together are believed. That
//     it wants fewer, an owner without readers believes from the other owners, and readers' nodes from the origin
//     alone.
//   - If an origin shows each request something else, nobody sees a content twice. Its readers see what their own nodes
//     poll: one poll for each version, of which there is one an interval.
//   - Where readers' nodes poll for themselves, they do so four times in an interval, or once for each reader, up to
//     twelve times, and once a minute beyond that. Of what changes more often they show the newest within a minute. The
//     signatures of finder and giver are not enough there: where one node in a hundred lied, such pairs deceived 12 %
//     of the readers.
//   - If an origin shows each address something else, readers see what it shows their own nodes. Its versions come by
//     their polls.
//   - A node inside a tree can withhold a version from those below it until they ask an owner, once an interval
//     (member.go).
//   - A primary may deny a report while the owner that replaces it may not poll and finds nobody to ask. Then
//     subscribers have to poll themselves: each eighth interval from then on.
//   - A content that the origin replaces before an owner, or a poller that it asks, could poll makes no version,
//     however many report it. Otherwise two malicious reporters could add a content to each change. If machines are so
//     busy that a poll takes longer than an origin keeps a content, versions are lost.
//   - A primary can claim that an origin asks for patience when it does not. Pollers that drop updates are not
//     identified.
//
// Only the validity of signatures depends on the calendar. A finder with a clock off by more than five minutes is asked
// to confirm its report. A node with a clock a day slow accepts no versions of channels with dated changes, and shows
// what it polls itself. A clock before 2025 counts as not set.
package version
