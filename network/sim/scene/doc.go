// Package scene plays scripts with a few simulated nodes and compares what happens, line by line, with what the script
// says. It is in the manner of the interaction tests of etcd's raft and reads its files by cockroachdb/datadriven.
//
// A script is blocks of commands, one a line, each block followed by a line of four dashes and what came out, up to an
// empty line. # begins a comment, and a comment that says what it guards begins the script:
//
//	# Who pings a node that has crashed hears of it once, five seconds later.
//
//	add a3 b7 latency=20ms
//	ping a3 to=b7 key=c0ffee
//	run 1s
//	----
//	    0.000s a3 → b7  toy.ping number=1 key=c0ffee
//	    0.020s b7       scene.heard from=a3
//	    0.020s b7 → a3  toy.pong number=1
//
//	crash b7
//	log hide=silence
//	ping a3 to=b7 key=c0ffee number=2   # into the void
//	run 10s
//	show heard a3
//	----
//	    1.000s a3 → b7  toy.ping number=2 key=c0ffee
//	    1.020s a3 → b7  toy.ping  (nobody there)
//	    6.020s a3       PeerDown b7
//	a3 heard [] in 1 starts
//
// A test plays all scripts of a folder by [Play]; `go test -run Scenes -rewrite` writes what came out into them, for a
// person to read before it is believed.
//
// A line of output is the virtual time, the node that it concerns, and a message as it is sent, a trace event or a
// PeerDown. What became of a message that did not arrive stands in parentheses, on a line of its own if it was lost on
// its way. A node is called by its name, which is the start of its ID; other IDs by as few digits as tell them apart;
// an address by its node's name, a3@2 being the second address that a3 lives at; a peer by its ID's name, and by
// id@address where the two do not belong together. Unsigned numbers from a million count as names, and written #1, #2
// in the order of first sight. Fields that are zero are left out.
//
// # Commands
//
// These are there for every protocol; each is explained where it is written:
//
//	add, crash, stop, restart, run      nodes and time
//	pause, suspend, clock, backup       nodes that sleep, wrong clocks, disks
//	latency, drop, delay                single links
//	partition, cut, heal                the network
//	private, punch                      who can connect to whom
//	log                                 what is printed
//	show nodes, show counts
//
// A protocol adds its own (join, route, show leafset) in a few lines each: a map from name to [Command] in its [Stage].
// A command that is not known, a node that is not there, an argument that nobody wants ends the test with the script's
// file and line.
package scene
