// Package corona has nodes poll together: Ramasubramanian, Peterson and Sirer, "Corona: A High
// Performance Publish-Subscribe System for the World Wide Web" (NSDI 2006).
//
// Each channel has owners, the Config.Owners nodes whose IDs are closest to its own; the closest
// is the primary. Owners hold the channel's subscriptions. The primary chooses how many nodes
// poll the channel: those of a wedge, whose IDs share the channel's first bits. How long a prefix,
// the polling level, is the best for all channels together, found by network/honeycomb from the
// channels owned here and from clusters that sum up all others. Orders go down the wedge along
// the routing tables, and with them the slots of the polling interval in which the members poll.
// Whoever finds a change tells the primary, which gives it a version; it goes down the wedge, so
// that all pollers compare with the same content, and by a router to every subscriber.
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
// has dealt with it; with the next poll it is found once more. The primary makes a version of it if
// it is new, true and stable (judge.go): several finders of one change, and mirrors that serve what
// was, make none; what others have found is believed once the primary has seen it itself, or two
// other members of the wedge have; a second change within a polling interval has to be seen twice,
// so that a content that differs from request to request makes one version an interval. An
// origin that goes back to an earlier content is believed after an interval and some more looks
// (doubt.go).
//
// The library of the primary takes the update first, which proves that it fits; then the other
// owners take note of the number; then it is sent, down the wedge and to the subscribers. Numbers
// are made so that two primaries, while the ring is apart, do not give one number to two contents
// (number.go). When it is one again the highest number holds; the primary asks the origin whether
// that is its content, makes a version of what it sees if it is not, and sends the latest to all
// (reunion.go). Who has the content under another number takes the number alone. So each subscriber
// is given each version once. It may miss one that only the other side had; it has what leads to
// the latest. Where one side had not yet seen the origin's last change when the ring became one,
// the other may be given an older content, and a moment later the newer one once more.
//
// If the primary dies on the way, the finder reports to the next one, or the next one finds that
// it knows of a young version and sends it again: who has it takes no notice. Subscribers
// acknowledge; one that misses a version asks whoever told of the next, an owner, and the origin,
// in this order (missing.go). One that was away hears of the latest version when it renews.
//
// What an origin asks for (Retry-After, least time between polls) is kept by all pollers together.
// The word of another node is good for one polling interval; for more the primary asks the origin
// itself, once (limits.go).
//
// Nothing proves yet to a subscriber that an update comes from the primary: an update that fits
// and whose number fits its content is taken from anybody.
//
// # Terms
//
// All nodes of a network have the same policy, polling interval and maintenance interval, or their
// plans would not fit. A node takes them over from those around it when it joins (terms.go), and
// goes by others while it runs, if the network it is in becomes part of a larger one (adopt.go).
//
// # What differs from the paper
//
//   - Wedges are counted in bits of the prefix, not digits, and their sizes are counted, not
//     computed from N (Config.WedgeBits and Config.Sizes; both can be as in the paper).
//   - Polls are spread over the interval by slots that each member divides among those below
//     it, not drawn at random (Config.Phases).
//   - The primary alone decides on a channel's level. In the paper each member decides for those
//     below it, on the same figures; they agree in the end and differ on the way.
//   - All updates go by the primary, also those whose time of modification is known: it is a part
//     of the number, and no more. The paper has the finder itself share those.
//   - What others have found is checked. The paper trusts all nodes.
package corona
