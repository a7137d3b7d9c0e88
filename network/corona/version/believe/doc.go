// Package believe decides which versions a node keeps, whatever the nodes that send them are. The paper trusts its
// nodes. Here a poller or subscriber keeps a version only if more nodes saw its content than the owner that numbered
// it, its giver.
//
// # States
//
// A version at a node that polls or subscribes:
//
//	version ──▶ this node has the content ────────────────────────────────────────────▶ kept
//	   ├──▶ four witnesses, at different places of the day, have signed it ───────────▶ kept     (witnesses.go)
//	   ├──▶ the origin wants few polls, and the finder and another giver have signed ─▶ kept
//	   └──▶ a subscriber polls, up to four times ───▶ sees it ────────────────────────▶ kept     (sights.go)
//	                                             ├──▶ sees the content before ──▶ not shown; its giver is blamed
//	                                             └──▶ sees something else ──▶ not shown; readers see what it polled
//	kept, unseen ──▶ the origin still shows the predecessor half an interval after it first did ──▶ withdrawn
//
// A version at the owner that numbers it:
//
//	a report is checked ──▶ asked early ──▶ it makes no version: asked in vain, not again for an interval
//	                             │ its number
//	a number ──▶ asked ──────────┴──▶ four have signed ──▶ attested; later ones count for half a minute
//	               │ half a second
//	               └──▶ the spare places are asked as well
//
// # Witnesses
//
// A channel has six places for witnesses, drawn over the whole ring from its ID and the day. The giver routes a Verify
// to four of them, and to the other two half a second later. It does so while it checks a report itself: a false report
// costs the origin these polls, once an interval. The node closest to a place polls and signs, as often as the
// channel's proved readers allow (polls.go).
//
// Rings with room for fewer than four (24 nodes) use fewer witnesses, at least two. Readers' nodes poll for themselves
// in rings of fewer than eight nodes, for channels with at most four subscribers, and for channels that only their
// primary polls. Members of a polling set that do not subscribe see the content in their turn. For each poll by a
// witness a turn is skipped, at most every other one, so that origins get few more requests (plan.Plan.Rest).
//
// # Signatures
//
// Where there are keys, the finder signs what it has seen, witnesses what they see, and an owner the number that it
// assigns (seals.go). Pollers and subscribers accept an update only if its number is possible by now and all have
// signed. Its giver must also be close enough to the channel to own it. After three badly signed messages a sender is
// ignored. Older versions are always ignored.
//
// The headers of two contents with one number prove that their giver equivocates. Owners and pollers learn of it. For a
// day no node treats it as an owner of anything, and the next owner numbers above (equivocation.go). Only contents with
// hashes that share their first 24 bits can have one number.
//
// # What an attacker can do
//
//   - A single node, wherever it stands, cannot get an invention shown. To deceive nodes that do not poll, an attacker
//     needs the place of an owner and four of the day's six places. Of N nodes each is within 1.7/N of the ring. With
//     random IDs a tenth of a percent of liars never has these places. One node in twenty has them for 0.7 % of the
//     channels on a day, one in five for a quarter. An attacker that generates keys needs about N/3 for each place, new
//     ones each day. A node that has just started, and has not counted the ring, accepts witnesses within 3/N. If all
//     have just started, their first counts are too low, and they accept witnesses within 5/N until these are complete.
//   - An owner that invents costs each reader's node four polls an interval, or one for each of its readers, up to
//     twelve, and one a minute beyond that. After three such versions it costs one an interval. The next honest
//     primary polls for such a version as well, and up to ten times more. It then numbers what it saw (package report).
//   - A malicious primary can make each of six witnesses poll once an interval, and once more for every proved reader.
//     The ceilings of hosts do not count that. An honest one causes no more: each version was found by a poll of a
//     poller in its turn.
//   - Places can be computed days ahead, and nobody checks where a witness's address leads. A place costs what keys
//     cost.
//   - Where an origin wants fewer polls than the set makes, a finder and an owner that lie together are believed. That
//     it wants fewer, an owner without readers believes from the other owners, and readers' nodes from the origin
//     alone.
//   - If an origin shows each request something else, nobody sees a content twice. Its readers see what their own nodes
//     poll: one poll for each version, of which there is one an interval. If it shows each address something else,
//     readers see what it shows their own nodes.
//   - Where readers' nodes poll for themselves, they do so four times in an interval, or once for each reader, up to
//     twelve times, and once a minute beyond that. Of what changes more often they show the newest within a minute. The
//     signatures of finder and giver are not enough there: where one node in a hundred lied, such pairs deceived 12 %
//     of the readers.
package believe
