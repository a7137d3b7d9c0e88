// Package volunteer polls channels in the way that FeedTree has for feeds whose publishers take no
// part: Sandler, Mislove, Post and Druschel, "FeedTree: Sharing web micronews with peer-to-peer event
// notification" (IPTPS 2005), section 5. Whoever follows a channel may volunteer to poll it, and
// tells the others by the channel's tree what it found, or that it found nothing.
//
// Each follower has a turn every Config.Interval, give or take Config.Jitter, so that turns spread.
// In its turn it polls if nobody was heard to have polled within the last interval; not if
// Config.Enough have been; and else with the channel's poll probability. Finding something first
// makes the poll probability 1; each poll that finds nothing, or what others have told already, makes it
// smaller by a quarter, down to Config.LeastPollProbability. So whoever seldom finds anything volunteers seldom,
// and a channel is polled about once an interval at least, whoever goes.
//
// Nobody chooses how often a channel is polled by how many want it, and nobody compares what different nodes
// see: that is what Corona does better. No channel is polled more often than if each follower polled it alone.
//
// # Hosts
//
// A host's ceiling (SetCeiling) is kept by each node for itself, without a word to others: nobody can know who polls
// the other channels of a host. In its turn a node lets a host be that has had its share from this node: in the long
// run, half of the ceiling divided by the number of all nodes. That is far below the ceiling where few nodes follow
// the host's channels; where more nodes than half the ceiling share it, a node polls there once in several
// intervals. A node that lies about its turns polls what it likes, which it could do without this package. Polls that
// no turn asks for, as a person's, are not counted.
//
// # Whom to believe
//
// What is heard is signed by the node that polled. It is said to be found by that node, never
// published by it; whom to believe is for the receiver to say (Opinion). A node can lie about what it
// found, or keep silent. A lie stands until somebody else polls; many words of one node count as
// one poll; and Config.Trust has every node poll by itself after so many intervals, whatever it hears.
// What is told of again, or later than something newer, is not taken. Who is told of a content that
// it does not have and was not given, because it came too late, does not fit or is too long, polls in its
// next turn.
//
// # What differs from the paper
//
// Where it is garbled or silent, this is chosen here: the rule of poll probability (the paper says that a
// volunteer polls less "as it observes fewer" events of its own), the signature, the opinions, and that a
// poll that found nothing is told by a message of its own (the paper's "heartbeat event").
package volunteer
