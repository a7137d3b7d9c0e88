// Package check watches simulated runs for what must never happen, whatever protocol runs and whatever faults befall
// it: the oracles of the project.
//
// Checkers are independent of what they check. They receive [Event]s, small structs of this package, which an
// experiment makes of the traces of its protocols. Protocols know nothing of them. [All] puts checkers to a world:
//
//	watch := check.All(world, hear, &check.Once{}, &check.Increasing{}, &check.Latest{})
//	... faults, then healing ...
//	if err := watch.Finish(); err != nil {
//		t.Fatal(err)
//	}
//
// where hear translates:
//
//	func hear(event any, report func(check.Event)) {
//		switch e := event.(type) {
//		case scribe.Delivered:
//			report(check.Delivered{Topic: e.Topic, Version: e.Version, Content: engine.IDOf(e.Event)})
//		}
//	}
//
// A checker keeps the first violation that it sees, and counts the others. A violation says the seed, the virtual time,
// the node, and what happened to the topic before.
//
// The oracles:
//
//   - [Once]: an update is delivered at most once to a subscriber node.
//   - [Latest]: after the healing each live subscriber has the latest version; [Complete]: it has all of them.
//   - [Increasing]: versions increase strictly at every node. [OneContent]: no version stands for two contents.
//   - [Genuine]: content equals some content that the origin served.
//   - [PollLimit]: no polls above the load limit in any window. [Queues]: no queue over its bound.
//   - [Noiseless]: no update at a node that does not subscribe; [Wanted]: none delivered to one.
//   - [Ring]: every leaf set is what the sorted list of live nodes says. [Lookups]: every lookup arrives at the closest
//     live node.
//   - [Repeat]: the same seed gives the same trace hash.
//
// The memory of a checker grows with the updates, lookups and pairs of node and topic that it receives, and not with
// each delivery.
package check
