// Package channels is where all that concerns a node's channels comes together.
//
//   - One entrance: whatever brings a new version of a channel (a poll of this node, another node, a publisher) goes through
//     [Entrance.Apply], which stores it in one transaction and tells whoever waits for it.
//   - One decision: [Decide] is a pure function from what is known of a channel ([Facts]) to what the node does about it
//     ([Plan]). Package coop brings store, scheduler and network to that.
package channels
