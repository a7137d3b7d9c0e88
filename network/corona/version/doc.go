// Package version is how nodes find out what a channel's latest content is, agree on a number for it, and bring it to all who poll or subscribe.
//
// # Reports
//
// A change is reported until the primary has dealt with it, at first by its hash alone; a primary that sees something else asks for the content. It becomes a
// version if it is
//
//   - new: neither several finders of one change nor mirrors with an old content make a version;
//   - true: the primary sees it too, or two other pollers do. What the primary finds in its turn does not wait for a check under way. A report counts as false
//     if others who poll later see the content before it, until they see what was reported (falsereporters.go);
//   - stable: a second change within a polling interval has to be seen twice, so that a content that differs from request to request makes one version an
//     interval. A return to an earlier content is believed after an interval and some more polls (doubt.go).
//
// # Versions
//
// The primary's library takes a version first, which proves that it fits; then the other owners note the number; then it is sent. Of a first version only the
// number is sent, as subscribers have polled when they began.
//
//   - Primaries of a partitioned ring never give one number to two contents (number.go). Afterwards the highest number holds; the primary compares its content
//     with the origin's, and sends the latest to all (reunion.go). A node that has the content under another number takes the number alone.
//   - Each subscriber is given each version once. After a partition it may miss one that only the other side had, but not what leads to the latest. It may be
//     given an older content and the newer one again if one side had not seen the origin's last change; a Library that recognizes its last contents shows
//     neither.
//   - If the primary does not confirm a report within three seconds, the next owner makes the version. Its library keeps the channel for that, though it may
//     not poll it (duties.go). A new primary sends a young version again.
//   - Subscribers acknowledge. One that lacks a version asks whoever told it of the next, an owner and the origin, in this order (gaps.go); one that was away
//     learns of the latest when it renews.
//   - All pollers keep what an origin asks for (Retry-After, least time between polls). What other nodes say of it is believed for one polling interval; for
//     more the primary asks the origin itself, once (origins.go).
//
// # From a report to a version
//
// Of each channel one report is a candidate at a time; the latest of those that come meanwhile waits. Its stages:
//
//	            not signed                     the origin wants no more requests
//	report ────────────────▶ confirming ──┐  ┌──────────────▶ awaiting ─────┐ another finds it
//	   │ signed                           ▼  │                              │
//	   ├──────────────────────────────▶ checking ──▶ asking (others) ───────┤ they see it
//	   │ found here                       │ sees it                         ▼
//	   └──────────────────────────────────┴─────────────────────────────▶ keeping ──▶ committing ──▶ witnessing ──▶ sent
//	                                            fetching ◀── a bare update ──┘ fits         owners noted it    witnesses have signed,
//	                                                                                        it, or 2 s         or 3 s
//
// From each up to keeping it can be refused; the finder is told, and the next report taken up.
//
// # Who is believed
//
// A version is kept by those who poll or subscribe only if its content was seen by more than the owner that gives it, by this rule:
//
//	version ──▶ this node has the content ──────────────────────────────────────────────▶ kept
//	   ├──▶ four witnesses, at different places of the day, have signed that they saw it ──▶ kept        (attest.go)
//	   ├──▶ the origin wants few polls, and the finder and another giver have signed ──────▶ kept
//	   └──▶ a subscriber polls, up to four times ───▶ sees it ─────────────────────────────▶ kept        (unseen.go)
//	                                             ├──▶ sees what was there before ──▶ not shown; its giver is blamed
//	                                             └──▶ sees something else ──▶ not shown; the readers of this node see what it was shown itself
//
// A channel has six places for witnesses, drawn over the whole ring from its ID and the day. The giver routes a Verify to each of four, and to the other two
// half a second later, while it makes sure of a report itself (of a false one that costs the origin these polls, once an interval); the node closest to a place
// polls, if the host's owners have certified that the channel may be polled, and signs. In rings with room for
// less than four (24 nodes) fewer do, at least two; in rings of fewer than eight nodes, for channels with no more than four subscribers, and for those that
// their primary polls alone, readers' nodes poll for themselves. Members of a polling set that do not subscribe come upon the content in their turn. For each poll by a
// witness a turn is skipped, so that origins get no more requests (plan.Plan.Rest).
//
// A version that a node has shown on the word of others, and whose predecessor the origin still shows it half an interval after it did first, is withdrawn: Contradicted
// says who found it, who gave it, and who has sworn to it.
//
// # Malicious nodes
//
// Where there are keys, the finder signs what it has seen, witnesses what they see, and an owner the number that it gives (seals.go). Pollers and subscribers accept
// an update only if its number can have been given by now, its giver is close enough to the channel to own it, and all have signed. A sender is ignored after three that
// are not signed as they should be, and older versions always. Primaries poll before they believe a report (check.go).
//
//   - One node alone, wherever it stands, has nobody show what it has invented. To have an invention believed by those who do not poll the channel takes the place
//     of an owner and four of the day's six places: of N nodes each is within 1.7/N of the ring, so with random IDs a tenth of a percent of liars never has them, one
//     in twenty has them for 0.7 % of the channels on a day, one in five for a quarter. Who makes keys for them needs about N/3 for each place, new ones each day.
//     A node that has only just started, and has not counted the ring, accepts witnesses within 3/N.
//   - An owner that invents costs each reader's node four polls an interval, or one for each of its readers, to twelve, and one a minute beyond that; after three
//     such versions one an interval.
//   - The headers of two contents with one number prove that their giver equivocates: owners and pollers learn of it, no node takes it for an owner of anything
//     for a day, and the next owner numbers above (equivocation.go). Only contents whose hashes begin with the same 24 bits can have one number.
//   - Who is given a number above the owners', by a node that could own the channel, tells the owners; they number the next version above it. There always is a
//     higher one: none is accepted that is more than a day ahead of the calendar (floors.go).
//   - A primary that ignores or denies a report is bypassed: another owner deals with it (reports.go). So are missing versions. Where the
//     origin wants few polls, that owner waits for another finder, as the primary does.
//   - Below a poller that drops updates, nodes find the changes in their slots, and ask for the version.
//   - Subscribers whose owners are all silent notice it when they renew or find something, and trace that they should poll each interval (suspicion.go). If all
//     owners lie and keep up appearances it takes a subscriber's own poll: a day at most, in package node.
//
// Not promised:
//
//   - A primary that lies, and has a certificate, can have each of six witnesses poll once an interval, and once more for every poller that is granted: the
//     ceilings of hosts do not count that. An honest one asks for no more: each version was found by a poll of a poller in its turn.
//   - Places can be computed days ahead, and nobody checks where a witness's address leads: what a place costs is what keys cost.
//   - Where an origin wants fewer polls than the set makes, a finder and an owner that lie together are believed.
//     That the origin does, an owner without readers believes the other owners, and readers' nodes the origin alone.
//   - Of an origin that shows each request something else nobody can see a content twice. Its readers see what their own nodes are shown:
//     one poll for each version, of which there is one an interval.
//   - Where readers' nodes poll for themselves they do so four times in an interval, or once for each reader, to twelve times, and once a minute beyond that. Of
//     what changes more often they show the newest within a minute; that the finder and the giver have signed is not enough there: of nodes one in a hundred
//     of which lies, such pairs had 12 % of the readers believe them.
//   - An origin that shows each address something else is shown to readers as it shows itself to their own nodes; its versions come by their polls.
//   - A node inside a tree can withhold a version from those below it until they ask an owner, once an interval (member.go).
//   - If a primary denies a report, and the owner that replaces it may not poll and finds nobody to ask, subscribers have to poll themselves: each eighth
//     interval from then on.
//   - A content that the origin has replaced before an owner or a poller that it asks could poll makes no version, however many report it: two malicious
//     reporters could otherwise add a content to each change. Machines so busy that a poll takes longer than an origin keeps a content lose versions by that.
//   - A primary can say that an origin asks for patience that it does not ask for. Pollers that drop updates are not told apart.
//
// Only the validity of signatures depends on the calendar. A finder whose clock is wrong by more than five minutes is asked whether it is the finder. A node
// whose clock is a day slow accepts no versions of channels whose origins date changes, and shows what it polls itself. A clock before 2025 counts as not set.
package version
