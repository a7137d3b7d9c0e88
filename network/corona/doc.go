// Package corona has nodes poll channels together: Ramasubramanian, Peterson and Sirer, "Corona: A High Performance
// Publish-Subscribe System for the World Wide Web" (NSDI 2006).
//
// # How it works
//
//   - Owners. The Config.Owners nodes closest to a channel's ID own it: they hold its subscriptions. The closest one is
//     the primary.
//   - Wedge. The primary chooses the polling level: how many first bits a node's ID shares with the channel's if it polls
//     the channel. These nodes are the channel's wedge. network/honeycomb finds the best levels for all channels
//     together, from the channels owned here and from clusters that sum up all others (aggregation).
//   - Maintenance. Assignments to poll go down the wedge along the routing tables, with the slots of the polling interval
//     in which members poll. Where the primary is not in the wedge, a member leads it as its deputy (deputy.go).
//   - Updates. A node that finds a change reports it to the primary, which makes it a version with a number. The version
//     goes down the wedge, so that all pollers compare with the same content, and to all subscribers: directly where
//     there are few, by a tree of the network's router where there are many (dissemination.go).
//
// # Subscriptions
//
//   - A subscription is acknowledged when all owners hold it: it survives the simultaneous failure of all but one. An
//     owner that gives no answer for some ten seconds is not waited for.
//   - The subscriber's node signs each subscription (signed.go) and stamps it. Of two the higher stamp holds, also where
//     one of them ends the subscription; for that, ended ones are kept for a while. So tables merge without conflict,
//     whatever is lost, doubled, reordered or partitioned. Equal stamps differ only after a node has lost its count: then
//     the one with more readers holds until the node stamps anew.
//   - Owners compare sums of their tables once a maintenance interval, and whenever a channel gets another owner. A former
//     owner keeps what it has until the owners have confirmed that they have it.
//   - Subscriptions are renewed, and forgotten if they are not for Config.Forget. What all owners lose at once comes back
//     within 9/8 of Config.Renew, within a minute where the subscriber's node notices that the primary is down.
//   - A node that is told of a subscription that it has not made, as after the loss of its disk, ends it.
//
// # Reports
//
// A change is reported until the primary has dealt with it. At first the report names the content by its hash alone; a
// primary that sees something else asks for the whole. The primary makes a version if the content is (judge.go):
//
//   - new: neither several finders of one change nor mirrors that serve an old content make a version;
//   - true: the primary sees it in a poll of its own, or two other members of the wedge do. What the primary finds in its
//     turn does not wait for a check under way. A finder whose content others who poll later do not see has made a false
//     report; it is acquitted if they see it later (falsereporters.go);
//   - stable: a second change within a polling interval has to be seen twice, so that a content that differs from request
//     to request makes one version an interval. An origin that goes back to an earlier content is believed after an
//     interval and some more polls (doubt.go).
//
// # Versions
//
// A version goes first to the primary's library, which proves that it fits, then its number to the other owners, then the
// whole to the wedge and the subscribers. Of a channel's first version only the number is sent, as subscribers have
// polled when they began; one that has seen another content asks for it.
//
//   - Two primaries of a partitioned ring give no number to two contents (number.go). Afterwards the highest number holds.
//     The primary asks the origin whether that is its content, makes a version of what it sees if not, and sends the
//     latest to all (reunion.go). A node that has the content under another number takes the number alone.
//   - So each subscriber is given each version once. After a partition it may miss one that only the other side had, but
//     it has what leads to the latest. It may be given an older content, and then the newer one again, if one side
//     had not seen the origin's last change: nobody can tell that from an origin that has gone back. A Library
//     that recognizes its last contents, as package node's does, shows neither.
//   - The primary confirms at once that it checks a report. If it says nothing for three seconds the finder reports to the
//     next owner, which makes the version, as the ring needs some ten seconds to notice a dead node. That owner's
//     library keeps the channel for that long, whether it is polled there or not (relay.go). An owner that becomes primary
//     sends a young version again; nodes that have it take no notice.
//   - Subscribers acknowledge. One that lacks a version asks the node that told it of the next, an owner and the
//     origin, in this order (missing.go); one that was away learns of the latest when it renews.
//   - All pollers obey together what an origin asks for (Retry-After, least time between polls). What another node says of
//     it is believed for one polling interval; for more the primary asks the origin itself, once (limits.go).
//
// # Malicious nodes
//
// Where New is given keys, the finder signs what it has seen, and the owner the number that it gives (signature.go).
// Pollers and subscribers check of every update that its number can have been given by now, that its giver is close
// enough to the channel to own it, and that both have signed. They ignore older versions than the one that they hold,
// and a sender that has sent updates not signed as they should be three times. A signature does not prove that a content
// is the origin's: for that the primary polls, or has others poll (check.go). Against owners that lie:
//
//   - A primary that gives one number to two contents has signed both. The two headers prove it to the owners and the
//     wedge; for a day no node takes it for an owner of anything (equivocation.go), and the next owner gives the next
//     number above. Only contents whose hashes begin with the same 24 bits can have one number.
//   - A node that could be an owner can sign a number above the owners' for a content of its own. Whoever is given it
//     tells the owners, and the next version is numbered above (floors.go). No number, and no stamp of a subscription, is
//     accepted that is more than a day ahead of the calendar, so that there always is a higher one.
//   - A primary that ignores or denies a report is bypassed (bypass.go): the report is routed to an alternate key near the
//     channel, and another owner deals with it. So are unacknowledged subscriptions and missing versions.
//   - Below a member of the wedge that drops updates, nodes find changes themselves in their slots. Their reports are
//     answered with the number, for which they then ask.
//   - If all owners are silent, subscribers notice when they renew or find something themselves, and trace that they should
//     poll each interval (suspicion.go). If all owners lie, and keep up appearances, it takes a subscriber's own poll: a
//     day at most, in package node.
//
// Not promised:
//
//   - A node inside a tree can withhold a version from those below it, until they ask an owner, once an interval, and
//     change their parent.
//   - An owner that replaces the primary may have no permit to poll, and find no member to ask. If a primary denies a
//     report, it can take until subscribers poll themselves, each eighth interval from then on.
//   - Everybody could own everything in a ring of fewer than seventeen nodes; in a larger one each of the sixteen, or as
//     seen from afar some thirty, nodes closest to a channel. Such a node can have subscribers shown an invented
//     content until the owners number above it: soon if it is told to pollers too, else after the origin's next change.
//   - A content that the origin has replaced before the owner, or a member that it asks, could poll makes no version,
//     however many report it: reporters choose themselves, and two that lie together could otherwise add an invented
//     content to each change. Members drawn by the owner would be worth believing, but see only what is there by then.
//     Machines so busy that a poll takes longer than an origin keeps a content lose versions by that.
//   - Limits and slots are not signed.
//   - How much members of the wedge drop is not compared; a deputy can drop everything.
//
// The calendar serves for the validity of signatures alone. A finder whose clock is wrong by more than five minutes is
// asked whether it is the finder. A node whose clock is more than a day slow accepts no versions of channels whose
// origins date changes, and relies on its own polls; one whose clock is more than a day fast has its subscriptions
// refused, and polls for itself. A clock before 2025 counts as not set.
//
// # Parameters
//
// All nodes of a network use the same policy, polling interval and maintenance interval, or their plans would not fit. A
// node adopts them from those around it when it joins (params.go), and changes them while it runs if its network
// becomes part of a larger one (agreement.go).
//
// # Hosts
//
// Where nodes sign and Config.HostCeiling is not zero, no host (a registered domain or an address: HostOf) gets more
// requests in an interval than its readers would send themselves, nor more than the ceiling, whatever channels it has.
//
//  1. The primary of a channel claims polls from the host's owners, the Config.HostOwners nodes closest to its key
//     (claims.go). It proves its readers by a sample of their signed subscriptions (sample.go).
//  2. Each owner divides what the host may get among its channels with the solver that chooses levels (divide.go), and
//     signs what it grants.
//  3. Grants by two thirds of the owners make a certificate (certificate.go): a level for the wedge, or how often the primary
//     may poll alone. It holds for four maintenance intervals, and goes down the wedge with the assignments.
//  4. A channel without a certificate is not polled by the network, not even by its primary; its subscribers' nodes still
//     poll it rarely themselves.
//
// A verification, the poll that a report causes, is bounded too (verifybudget.go) and counted: to the ceiling as many as
// there can be, to the readers as many as the primary wants by how often the channel has changed. A channel that
// suddenly changes more often can get some more requests than it has readers. A level costs as many polls as primaries
// have counted pollers in the wedge, and no fewer than there are on average. A channel that is granted more waits until
// those that get less have heard of it.
//
// Where a tenth of all nodes lie (measured with nine owners of a host in TestHostsThatLiarsHold), they can do this:
//
//   - As owners of the host: with f of nine lying, primaries that claim different channels from each owner get (9-f)/(6-f)
//     times what each grants certified: 1.5 with none, 2 with three. Owners grant two fifths of the ceiling, so it
//     holds with up to three; more than three lie at some 0.8 % of all hosts.
//   - As neighbours of the key: verifiers know an owner only by its being within some 16 nodes of the key, and six there
//     that lie can grant each other anything. That is so at 0.6 % of all hosts, or wherever they have made keys with
//     IDs next to a host's; there is no defence here against that. With three owners they have two at 2.9 % of all hosts,
//     and can forge at 9 %.
//   - By refusing to grant they have a host's channels polled less, or not at all: at 1.2 % of all hosts.
//   - As subscribers each counts for Config.MaxHostReaders readers of a host at most, whatever it subscribes to. Below
//     the ceiling, what they want polled is polled for that many. At the ceiling each node has one voice, divided among its
//     channels of the host: a channel keeps the share of the nodes that want it.
//   - As primaries they can understate wedges that are smaller than most. The ceiling is charged for a large one; the
//     readers' bound may be exceeded by some.
//   - Owners of a host that restart have forgotten their grants, and may grant the same again.
//   - They can have all of a wedge poll at one moment: slots are not proved.
//   - Two primaries that lie about Retry-After can halve the polls of a host (patience.go).
//
// The price is that the ceiling is never used up: a host of one channel gets an eighth of it at most, one of many
// channels three tenths. As wedges grow by powers of two, a channel has between a third and all of the pollers that its
// readers pay for. Simulated with 200 nodes, and 1,000 channels of 50 readers on average on 250 hosts with Zipf sizes,
// Lite finds changes after 17 s with 50 polls of a channel in an interval without these bounds; and after 33 s
// with 37 polls where a host gets no more than its readers would send. A ceiling of 1,800, which a few large hosts reach,
// once took it to 380 s and 15 polls. The default is ten times that; its cost has not been measured.
//
// # What differs from the paper
//
//   - Wedges are counted in bits of the prefix, not digits, and their sizes are counted, not computed from N
//     (Config.WedgeBits and Config.Sizes; both can be as in the paper).
//   - An orphan, a channel whose primary is across a border between prefixes, has a wedge like others (deputy.go). In the
//     paper it has too few pollers or too many.
//   - Polls are spread over the interval by slots, not drawn at random (Config.Phases).
//   - The primary alone decides on a channel's level. In the paper each member decides for those below it, on the same
//     figures; they agree in the end and differ on the way.
//   - All updates go by the primary, also those with a time of modification, which is just a part of the number. In the
//     paper the finder itself shares those.
//   - Reports are checked. The paper trusts all nodes.
package corona
