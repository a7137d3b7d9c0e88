// Package corona has nodes poll together: Ramasubramanian, Peterson and Sirer, "Corona: A High
// Performance Publish-Subscribe System for the World Wide Web" (NSDI 2006).
//
// Each channel has owners, the Config.Owners nodes whose IDs are closest to its own; the closest
// is the primary. Owners hold the channel's subscriptions. The primary chooses how many nodes
// poll the channel: those of a wedge, whose IDs share the channel's first bits. How long a prefix,
// the polling level, is the best for all channels together, found by network/honeycomb from the
// channels owned here and from clusters that sum up all others. Orders go down the wedge along
// the routing tables, and with them the slots of the polling interval in which the members poll.
// A primary that is outside the wedge, as it shares fewer bits with its channel, has one member lead it.
// Whoever finds a change tells the primary, which gives it a version; it goes down the wedge, so
// that all pollers compare with the same content, and to every subscriber: the primary sends it itself where
// there are few, and a tree of the network's router carries it where there are many (dissemination.go).
//
// # Subscriptions
//
// A subscription is acknowledged when all owners hold it, so that it survives the failure of all
// of them but one at the same moment. (An owner that does not answer for some ten seconds is not
// waited for.) An owner's table has one entry for each subscriber, stamped by the subscriber's
// node; of two the one with the higher stamp holds, also where one of them ends the subscription,
// which is why entries that ended are kept for a while. So tables only grow together: whatever was
// lost, doubled or overtaken on the way, owners that were told the same hold the same; and what
// was subscribed and unsubscribed on both sides of a partition holds after it, of each subscriber
// the latest. Two entries with one stamp differ only where a node has lost its count; then the
// one of more readers holds, until the node is told and stamps anew.
//
// Owners compare sums of their tables once a maintenance interval and whenever the ring gives a
// channel another owner. A node that is an owner no more keeps what it has until those that are
// have said that they have it. Subscribers renew; what nobody has renewed for Config.Forget is
// forgotten, and what all owners have lost at once comes back within 9/8 of Config.Renew, within
// a minute where the subscriber's node notices that the primary is down.
//
// Each subscription is signed by the node that it names (signed.go), and owners take no other from
// anybody. A node that is told of one it has not made, as after the loss of its disk, takes it
// back.
//
// # Updates
//
// A poll that finds something new is reported to the primary, and reported again until that one
// has dealt with it; with the next poll it is found once more. The primary makes a version of it
// if it is new, true and stable (judge.go): several finders of one change, and mirrors that serve
// what was, make none; what others have found is believed once the primary has seen it itself, by a poll
// for that purpose or in its turn, or two other members of the wedge have. What the primary finds in its turn
// does not wait for what it is looking into. As the primary polls itself, a finder says at first only
// that there is a new content, by its hash; whoever polls and sees something else has the finder
// tell it whole. A finder is known for a liar if others have polled since and see what was there
// before, and acquitted if they see it later (liars.go). A second change within a polling interval
// has to be seen twice, so that a content that differs from request to request makes one version
// an interval. An origin that goes back to an earlier content is believed after an interval and
// some more polls (doubt.go).
//
// The library of the primary takes the update first, which proves that it fits; then the other
// owners take note of the number; then it is sent, down the wedge and to the subscribers: a
// channel's first version as its number alone, for they have polled when they began; who has seen
// something else asks for it. Numbers are
// made so that two primaries, while the ring is apart, do not give one number to two contents
// (number.go). When it is one again the highest number holds; the primary asks the origin whether
// that is its content, makes a version of what it sees if it is not, and sends the latest to all
// (reunion.go). Who has the content under another number takes the number alone. So each
// subscriber is given each version once. It may miss one that only the other side had; it has what
// leads to the latest. Where one side had not yet seen the origin's last change when the ring
// became one, the other may be given an older content, and a moment later the newer one once more.
// (A Library that knows its last contents again shows neither, as that of package node.) It cannot
// be helped: nobody can tell an older content from one that the origin has gone back to before it
// has asked.
//
// A primary says at once that it looks into a report. If it says nothing for three seconds, the finder
// reports to the next owner, which makes the version: the ring takes some ten seconds to see that a node
// is dead, and the change may be gone by then. That owner may neither poll the channel nor subscribe to it: its
// library keeps the channel as long as it makes the versions (relay.go). If the primary dies later, the next one finds that it knows of
// a young version and sends it again: who has it takes no notice. Subscribers
// acknowledge; one that misses a version asks whoever told of the next, an owner, and the origin,
// in this order (missing.go). One that was away hears of the latest version when it renews.
//
// What an origin asks for (Retry-After, least time between polls) is kept by all pollers together.
// The word of another node is good for one polling interval; for more the primary asks the origin
// itself, once (limits.go).
//
// # Liars
//
// Where New is given keys, a finder signs what it has seen, and an owner that it has given a version
// its number (signature.go). Pollers and subscribers do nothing with an update, however it came, but
// check that: the number can have been given by now; its giver lies so close to the channel that it
// can own it; both have signed. Older versions than the one held are not even looked at. Who sends
// what is not signed is not listened to after the third time. A signature does not say that a
// content is the origin's: for that the primary polls itself, or has others poll (check.go). Nor
// need an owner that lies be caught by what it says: so there is more.
//
//   - A primary that gives two contents one number has signed both. Whoever gets to see the two
//     headers tells the owners, and they the wedge; all take the node for no owner of anything for a
//     day (equivocation.go). The next owner gives the next number above, for what it sees. Two
//     contents can have one number only if their hashes begin with the same 24 bits.
//   - One who could be an owner can give a number that is ahead of the owners' to some nodes, and a
//     content of its own with it. They would take no other; so they tell the owners, who give the
//     next version above (ahead.go). No number, and no stamp of a subscription, is believed that is
//     more than a day ahead of the calendar, so that there always is a higher one.
//   - A primary that does not deal with what was found, or denies it, is gone round (around.go): the
//     finding is routed to a point beside the channel, and another owner deals with it. So are
//     subscriptions that it does not acknowledge, and versions that are missing.
//   - A member of the wedge that drops updates leaves those below it to find changes themselves in
//     their slots; what they report is answered with the number, which they then ask for.
//   - Where all owners of a channel are silent, its subscribers notice when they renew or find
//     something themselves, and trace that they had better poll each interval, as readers without
//     a network do (suspicion.go). Where all owners lie, and are careful to acknowledge and to tell
//     wedges what they expect, it takes a subscriber's own poll: a day at most, in package node.
//
// What is not promised. A node inside a tree can keep a version from those below it: they ask an owner once an interval, and have another parent
// then. An owner that stands in for the primary may have no leave to poll the
// origin, nor find a member to ask: where a primary denies what is found it can take until subscribers
// poll themselves, which they then do each eighth interval. In a ring of fewer than seventeen nodes everybody could be an owner of
// everything, and in a larger one each of the sixteen or, from afar, some thirty nodes closest to a
// channel; who is one can have subscribers shown an invented content until the owners number
// above it: soon, if it is told to them with pollers, else after the next change of the origin. A
// finder can be believed by an owner only for what that owner, or others it asks, can see too. So a content that the
// origin has replaced before any of these polled makes no version, however many say that they have found it: who reports
// a finding chooses to, and two nodes that lie together could have everybody told, each time a channel changes, that it
// said something else in between. Members that the owner draws would be worth believing, but who polls when asked sees
// what is there by then. Machines so busy that a poll takes longer than an origin keeps a content lose versions by that. What
// pollers are told of limits and of when they poll is not signed. Members of the wedge are not told
// apart by how much they drop; one that leads it for a primary outside can drop everything.
//
// The calendar serves for the validity of what is signed alone. A finder whose clock is wrong by more
// than five minutes is asked whether it is the finder. A node whose clock lags by more than a day
// takes no versions of channels whose origin says when they change, and its readers are told what
// its own polls find; one whose clock is ahead by more than a day has its subscriptions refused, and
// looks for itself. A clock that says that it is before 2025 is not believed to say anything.
//
// # Terms
//
// All nodes of a network have the same policy, polling interval and maintenance interval, or their
// plans would not fit. A node takes them over from those around it when it joins (terms.go), and
// goes by others while it runs, if the network it is in becomes part of a larger one (adopt.go).
//
// # Hosts
//
// Where nodes sign, and Config.HostCeiling is not zero, no host gets more requests in an interval than its
// readers would send by themselves, nor more than the ceiling, whatever channels it has. A host
// is a registered domain, or an address (HostOf).
//
// A host has owners, the Config.HostOwners nodes closest to its key. The primary of a channel claims it
// from them (claims.go), and proves its readers by a sample of the subscriptions that these have signed
// (sample.go). The owners divide what the host may get among its channels by the solver that levels are
// chosen by (divide.go), each for itself, and sign what they grant. Grants of two thirds of them make a
// certificate (certificate.go): it goes down the wedge with the orders, and nobody polls without one, nor
// does the primary. It says at what level the channel may be polled, or how often by the primary alone,
// and holds for four maintenance intervals. What nobody grants nobody polls; the subscribers' nodes have
// their own rare looks as ever.
//
// A poll is what an order causes, and a verification what a report causes: to see whether it is true. Polls are
// bounded too (verifybudget.go) and counted: to the ceiling as many as there can be, to the readers as many as the primary
// wants, by how often the channel has changed so far. One that suddenly changes more often than that can get some more
// requests than it has readers.
//
// A level costs as many polls as primaries have counted pollers in the wedge, and no fewer than there are on average.
// Who is granted more waits until those that are to have less have heard of it.
//
// What liars can do, where a tenth of all nodes lie (measured, with nine owners of a host, in
// TestHostsThatLiarsHold):
//
//   - They may be owners of the host themselves. As primaries may tell each owner of other channels, what
//     is certified by six of nine comes to (9-f)/(6-f) times what each owner grants, where f of them lie:
//     1.5 with none, 2 with three. Owners grant two fifths of the ceiling, so it holds with up to three
//     liars. There are more among the owners of some 0.8 % of all hosts.
//   - Who polls can tell only about where a host's owners must be: within some 16 nodes of its key. Six
//     liars there can grant each other what they like. They are there at 0.6 % of all hosts, or wherever
//     liars have taken the pains to make keys whose IDs lie next to one host's; against that there is no
//     defence here. With fewer owners these chances grow: with three, liars have two of 2.9 % of all hosts,
//     and can forge at 9 %.
//   - They can refuse to grant. Then a host's channels are polled less often, or not at all: at 1.2 % of
//     all hosts.
//   - As subscribers they count: each for Config.MaxHostReaders readers of a host at most, whatever it
//     subscribes to. So what they want polled is polled, below the ceiling, for as many readers as they
//     say they have. Where the ceiling binds each node has one voice, which it divides among its
//     channels of the host: a channel keeps the share of the nodes that want it.
//   - As primaries they can say that a wedge is smaller than it is, where it is smaller than most. The
//     ceiling is charged for a large one; by readers it may come to some more than these.
//   - Owners of a host who restart have forgotten what they granted, and may grant it again.
//   - They can order all of a wedge to poll at one moment. Slots are not proved.
//
// What a lie about Retry-After does is in patience.go: two primaries that lie can halve the polls of a host.
//
// The price: the ceiling is never used up. A host of one channel gets an eighth of it at most, one of many
// channels three tenths. And as wedges grow by powers of two, a channel has between a third and all of the
// pollers that its readers pay for. In a simulated network of 200 nodes with 1,000 channels of 50 readers on
// average, on 250 hosts whose sizes follow Zipf's law, Lite finds changes after 17 s where nobody sees to
// hosts, at 50 polls of a channel in an interval; and after 33 s, at 37 polls, where a host gets no more than
// its readers would send. A ceiling of 1,800, which a few large hosts reach, once took it to 380 s and
// 15 polls. The default is ten times that, so as not to bind at hosts of many channels with
// readers; what it costs there has not been measured.
//
// # What differs from the paper
//
//   - Wedges are counted in bits of the prefix, not digits, and their sizes are counted, not
//     computed from N (Config.WedgeBits and Config.Sizes; both can be as in the paper).
//   - A channel whose primary is across a border between prefixes, an orphan, has wedges as others have:
//     one of their members leads them for it (outside.go). In the paper such a channel has too few
//     pollers or too many.
//   - Polls are spread over the interval by slots that each member divides among those below
//     it, not drawn at random (Config.Phases).
//   - The primary alone decides on a channel's level. In the paper each member decides for those
//     below it, on the same figures; they agree in the end and differ on the way.
//   - All updates go by the primary, also those whose time of modification is known: it is a part
//     of the number, and no more. The paper has the finder itself share those.
//   - What others have found is checked. The paper trusts all nodes.
package corona
