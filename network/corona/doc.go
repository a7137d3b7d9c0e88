// Package corona has nodes poll channels together: Ramasubramanian, Peterson and Sirer, "Corona: A High Performance
// Publish-Subscribe System for the World Wide Web" (NSDI 2006).
//
//   - Owners: the Config.Owners nodes closest to a channel's ID hold its subscriptions. The closest is the primary.
//   - Wedge: the nodes that poll a channel. Their IDs share the channel's first bits; how many is the polling level. The
//     primary chooses it so that it is the best for all channels together, by network/honeycomb, from the channels owned
//     here and clusters that sum up all others (aggregation).
//   - Maintenance: assignments to poll, with slots of the polling interval, go down the wedge along the routing tables. A
//     primary that is not in the wedge has a member, its deputy, lead it (deputy.go).
//   - Updates: a node that finds a change reports it to the primary, which gives it a version number. The version goes
//     down the wedge, so that all pollers compare with the same content, and to all subscribers: directly where there
//     are few, by a tree of the network's router where there are many (package version).
//
// # Subscriptions
//
// A subscription is acknowledged when all owners hold it, and forgotten when it is not renewed. Package roster says how.
//
// # Versions
//
// Package version says how reports become versions, how these come to all who poll or subscribe, and what malicious nodes can and cannot do about it. What they
// can do to subscriptions: a primary that does not acknowledge one is bypassed as well; a deputy can drop everything, and slots are not signed. One whose clock
// is a day fast has its subscriptions refused, and polls for itself: no stamp is accepted that is more than a day ahead of the calendar.
//
// # Parameters
//
// All nodes of a network have the same policy, polling interval and maintenance interval, or their plans would not fit. A
// node adopts them when it joins (params.go), and when its network becomes part of a larger one (agreement.go).
//
// # Hosts
//
// Where nodes sign and Config.HostCeiling is not zero, no host (a registered domain or an address: HostOf) gets more
// requests in an interval than its readers would send, nor more than the ceiling, whatever channels it has.
//
//  1. The primary of a channel claims polls from the host's owners, the Config.HostOwners nodes closest to its key
//     (claims.go), with a sample of signed subscriptions as proof of readers (sample.go).
//  2. Each owner divides the host's requests among its channels by the solver (divide.go), and signs what it grants.
//  3. Grants by two thirds of the owners make a certificate (certificate.go): a level for the wedge, or how often the primary
//     may poll alone. It goes down with the assignments, and holds for four maintenance intervals.
//  4. A channel without a certificate is not polled by the network, nor by its primary; its subscribers' nodes still poll it
//     rarely.
//
// Verifications, the polls that reports cause, are bounded (verifybudget.go) and counted: to the ceiling as many as there can
// be, to the readers as many as the channel has caused so far. One that suddenly changes more often can get some more
// requests than it has readers. A level costs the pollers counted in the wedge, and no fewer than there are on average.
// Who is granted more waits until those that are to have less have heard of it.
//
// What malicious nodes can do, where they are a tenth of all (measured with nine owners in TestHostsHeldByMaliciousNodes):
//
//   - As f of nine owners of a host they get (9-f)/(6-f) times what each owner grants certified: 1.5 with none, 2 with
//     three. Owners grant two fifths of the ceiling, so it holds with up to three; there are more at 0.8 % of all hosts.
//   - Six within some 16 nodes of a host's key, where verifiers expect its owners, can grant each other anything: at 0.6 % of
//     all hosts, or wherever they have made keys next to a host's, against which there is no defence here. With three owners
//     it takes two, which they have at 2.9 %, and they can forge at 9 %.
//   - They can refuse to grant, and have channels polled less or not at all: at 1.2 % of all hosts.
//   - As subscribers each counts for Config.MaxHostReaders readers of a host at most. At the ceiling each node has one voice,
//     which it divides among its channels of the host: a channel keeps the share of the nodes that want it.
//   - As primaries they can understate a wedge that is smaller than most, and exceed the readers' bound by some. The ceiling
//     is charged for a large one.
//   - Owners that restart forget what they granted, and may grant it again.
//   - They can have all of a wedge poll at one moment: slots are not proved.
//   - Two primaries that lie about Retry-After can halve the polls of a host (patience.go).
//
// The ceiling is never used up: a host of one channel gets an eighth at most, one of many channels three tenths; and a
// channel has between a third and all of the pollers that its readers pay for, as wedges grow by powers of two. Simulated
// (200 nodes, 1,000 channels of 50 readers on average, 250 hosts with Zipf sizes), Lite finds changes after 17 s with 50
// polls of a channel in an interval, and with the readers' bound after 33 s with 37. A ceiling of 1,800 once took it to
// 380 s and 15 polls; the default is ten times that, and its cost has not been measured.
//
// # What differs from the paper
//
//   - Wedges are counted in bits of the prefix, not digits, and their sizes counted, not computed (Config.WedgeBits, Sizes).
//   - An orphan, a channel whose primary is across a border between prefixes, has a wedge like others (deputy.go). In the
//     paper it has too few pollers or too many.
//   - Polls are spread by slots, not at random (Config.Phases).
//   - The primary alone decides on a level. In the paper each member decides for those below it, on the same figures.
//   - All updates go by the primary, also those with a time of modification, which the paper has the finder share.
//   - Reports are checked. The paper trusts all nodes.
package corona
