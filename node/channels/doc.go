// Package channels is where all that concerns a node's channels comes together.
//
//   - One entrance: every new version of a channel, from a poll, another node or a publisher, goes through
//     [Entrance.Apply]. It stores the version in one transaction and notifies those that wait for it.
//   - One decision: [Decide] is a pure function from what is known of a channel ([Facts]) to what the node does about
//     it ([Plan]). Package coop brings store, scheduler and network to that.
package channels
