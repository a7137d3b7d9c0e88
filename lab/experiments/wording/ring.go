package wording

import "tidings/lab"

// Engine is of the simulator.
var Engine = lab.Words{
	Questions: []lab.Question{
		{Asks: "How fast is the simulator?", Measures: []lab.Measure{
			{Name: "ratio to a bare event loop", Label: "events a second, as a multiple of a bare event loop's"},
			{Name: "message events a second"},
			{Name: "messages under way at the end"},
		}},
		{Asks: "How much memory does it take?", Measures: []lab.Measure{
			{Name: "memory a node beyond the protocol's"}, {Name: "memory of the world"},
		}},
	},
	Findings: []lab.Finding{
		{Figure: "ratio to a bare event loop, latency by pair, *", Says: "With {case}, the simulator handles {#} times as many events a second as a bare event loop", By: "the aim"},
		{Figure: "message events a second, latency by pair, *", Says: "It handles {#} events a second on this machine ({case})", By: "the aim"},
		{Figure: "memory a node beyond the protocol's, *", Says: "A node takes {} beyond what its protocol keeps ({case})", By: "the aim"},
	},
}

// Pastry is of the ring.
var Pastry = lab.Words{
	Questions: []lab.Question{
		{Asks: "How many hops does a lookup take?", Measures: []lab.Measure{
			{Name: "mean hops"}, {Name: "most hops"}, {Name: "lookups not right", Label: "lookups that ended at a wrong node"},
		}},
		{Asks: "How many others does a node know?", Measures: []lab.Measure{{Name: "nodes known to one"}}},
		{Asks: "Does the ring repair itself after a crash?", Measures: []lab.Measure{
			{Name: "until all leaf sets are right", Label: "time until all leaf sets are right"},
			{Name: "lookups not right after two periods", Label: "wrong lookups after two keep-alive periods"},
		}},
		{Asks: "Does it hold while nodes come and go?", Measures: []lab.Measure{
			{Name: "lookups right with 25% replaced an hour", Label: "share of right lookups, 25 % of the nodes replaced an hour"},
			{Name: "messages a node with 25% replaced an hour", Label: "messages of a node, 25 % of the nodes replaced an hour"},
			{Name: "lookups right under the churn of Tor", Label: "share of right lookups, with the churn of Tor's relays"},
			{Name: "messages a node under the churn of Tor", Label: "messages of a node, with the churn of Tor's relays"},
			{Name: "nodes gone in an hour under the churn of Tor", Label: "nodes that go in an hour, with the churn of Tor's relays"},
		}},
	},
	Findings: []lab.Finding{
		{Figure: "mean hops, *", Says: "A lookup among {case} takes {} on average", By: "log16 N"},
		{Figure: "lookups not right, *", Says: "{} lookups among {case} ended at a wrong node"},
		{Figure: "until all leaf sets are right, *", Says: "After a crash ({case}), all leaf sets are right again within {}"},
		{Figure: "lookups right with 25% replaced an hour, *", Says: "{%} of the lookups are right while a quarter of the nodes is replaced every hour"},
		{Figure: "lookups right under the churn of Tor, *", Says: "{%} of the lookups are right while nodes come and go as Tor's relays did"},
	},
}
