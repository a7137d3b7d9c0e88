// Package volunteer polls channels in the way that FeedTree has for feeds whose publishers take no
// part: Sandler, Mislove, Post and Druschel, "FeedTree: Sharing web micronews with peer-to-peer event
// notification" (IPTPS 2005), section 5. Whoever follows a channel may volunteer to poll it, and
// tells the others by the channel's tree what it found, or that it found nothing.
//
// Each follower has a turn every Config.Interval, give or take Config.Jitter, so that turns spread.
// In its turn it polls if nobody was heard to have polled within the last interval; not if
// Config.Enough have been; and else with the channel's zeal, a probability. Finding something first
// makes the zeal 1; each poll that finds nothing, or what others have told already, makes it
// smaller by a quarter, down to Config.LeastZeal. So whoever seldom finds anything volunteers seldom,
// and a channel is polled about once an interval at least, whoever goes.
//
// Nobody chooses how often a channel is polled by how many want it: that is what Corona does
// better, and what this package is there to be compared with.
//
// What is heard is signed by the node that polled. It is said to be found by that node, never
// published by it; whom to believe is for the receiver to say (Judge). A node can lie about what it
// found, or keep silent: a lie stands until somebody else polls, and Config.Trust has every node
// poll by itself after so many intervals whatever it hears.
//
// Where the paper is garbled or silent, this is chosen here: the rule of zeal (the paper says that a
// volunteer polls less "as it observes fewer" events of its own), the signature, and that a poll
// that found nothing is told by a message of its own (the paper's "heartbeat event").
package volunteer
