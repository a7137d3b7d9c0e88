// Package volunteer polls channels in the way that FeedTree has for feeds of publishers that do not participate:
// Sandler, Mislove, Post and Druschel, "FeedTree: Sharing web micronews with peer-to-peer event notification" (IPTPS
// 2005), section 5. A node that follows a channel may volunteer to poll it. It reports to the others by the channel's
// tree what it found, or that it found nothing.
//
// Each follower has a turn every Config.Interval, plus or minus Config.Jitter, so that turns spread. In its turn it
// polls if it has received no report of a poll within the last interval. It does not poll if it has received
// Config.Enough. Otherwise it polls with the channel's poll probability. Finding something first sets the poll
// probability to 1. Each poll that finds nothing, or what others have reported already, lowers it by a quarter, down to
// Config.LeastPollProbability. So a node that seldom finds anything volunteers seldom, and a channel is polled about
// once an interval at least, whichever nodes go.
//
// How often a channel is polled does not depend on how many want it, and nodes' views are not compared: that is what
// Corona does better. No channel is polled more often than if each follower polled it alone.
//
// # Hosts
//
// A host's ceiling (SetCeiling) is kept by each node for itself, without a word to others: no node knows which others
// poll the other channels of a host. In its turn a node skips a host that has had its share from this node: in the long
// run, half of the ceiling divided by the number of all nodes. That is far below the ceiling where few nodes follow the
// host's channels. Where more nodes than half the ceiling share it, a node polls there once in several intervals. A
// node that lies about its turns polls as it likes, which it could do without this package. Polls that no turn asks
// for, as a person's, are not counted.
//
// # Which nodes to believe
//
// A report is signed by the node that polled. It counts as found by that node, never as published by it. The receiver
// decides which nodes to believe (Opinion). A node can lie about what it found, or keep silent. A lie stands until
// another node polls. Many reports of one node count as one poll. And Config.Trust makes every node poll by itself
// after so many intervals, whatever it receives. A report that comes again, or later than something newer, is not
// accepted. A node may learn of a content that it does not have and did not get, because it came too late, does not fit
// or is too long. It then polls in its next turn.
//
// # What differs from the paper
//
// Where the paper is garbled or silent, this is chosen here: the rule of poll probability (the paper says that a
// volunteer polls less "as it observes fewer" events of its own), the signature, and the opinions. A poll that found
// nothing is reported by a message of its own (the paper's "heartbeat event").
package volunteer
