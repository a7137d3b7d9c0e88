package wording

import (
	"slices"

	"tidings/lab"
)

// Astrolabe is of zones alone.
var Astrolabe = lab.Words{
	Cases: map[string]string{
		"push": "as shipped", "loss1": "1 % of messages lost", "loss5": "5 % of messages lost", "compare": "comparisons alone, as in the paper", "joined": "networks that form by themselves",
		"churn": "a tenth is replaced in ten minutes",
	},
	Questions: []lab.Question{
		{Asks: "How soon do all know what one says?", Measures: []lab.Measure{
			{Name: "all_rounds_over_log2_nodes", Label: "rounds until all know it, over log2 of the nodes"}, {Name: "unaware", Label: "nodes that never know it"},
			{Name: "p50_seconds", Label: "until half know it"}, {Name: "p99_seconds", Label: "until 99 % know it"}, {Name: "all_seconds", Label: "until all know it"},
			{Name: "p50_rounds", Label: "rounds until half know it"}, {Name: "p99_rounds", Label: "rounds until 99 % know it"}, {Name: "all_rounds", Label: "rounds until all know it"},
		}},
		{Asks: "Do zones form by themselves, and what do they cost?", Measures: []lab.Measure{
			{Name: "agree_seconds", Label: "time until all tables agree"}, {Name: "leaf_zones", Label: "leaf zones"}, {Name: "smallest_leaf_zone", Label: "smallest leaf zone"}, {Name: "largest_leaf_zone", Label: "largest leaf zone"},
			{Name: "rest_messages_per_second", Label: "messages of a node at rest"}, {Name: "rest_bytes_per_second", Label: "bytes of a node at rest"},
		}},
		{Asks: inTrouble, Measures: []lab.Measure{
			{Name: "representatives.named_seconds", Label: "time until a zone without representatives has others"}, {Name: "member.forgotten_seconds", Label: "time until a member that failed is forgotten"},
			{Name: "replaced", Label: "nodes that were replaced"}, {Name: "count_error", Label: "error of the count of members"}, {Name: "churn.agree_seconds", Label: "time until all tables agree after churn"},
		}},
	},
	Findings: []lab.Finding{
		{Figure: "push.*.all_rounds_over_log2_nodes", Says: "All know what one says after {#} rounds for each doubling of the number of nodes ({case})"},
		{Figure: "push.*.all_seconds", Against: "compare.*.all_seconds", Words: lab.Sooner, Says: "They know it {} than by comparisons alone, as in the paper"},
		{Figure: "loss5.*.unaware", Says: "{} never know it when 5 % of the messages are lost"},
		{Figure: "representatives.named_seconds", Says: "A zone all of whose representatives crash has others within {}"},
		{Figure: "joined.*.rest_bytes_per_second", Says: "At rest a node sends {} ({case})"},
	},
}

// NewsWire is of events down the zones.
var NewsWire = lab.Words{
	Cases: map[string]string{
		"calm": "no trouble", "loss": "5 % loss", "reach": "1 % loss, a tenth of the representatives crashes", "cut_off": "representatives are cut off one by one", "filter": "", "row": "",
		"b256": "256 bits", "b512": "512 bits", "b1024": "1,024 bits", "b2048": "2,048 bits", "b4096": "4,096 bits", "k1": "one hash", "k3": "three hashes", "s10": "10 subscriptions a member", "s100": "100 subscriptions a member",
	},
	Questions: []lab.Question{
		{Asks: "How soon do all subscribers have an item?", Measures: []lab.Measure{
			{Name: "p50_seconds", Label: "until half have it"}, {Name: "p99_seconds", Label: "until 99 % have it"}, {Name: "p999_seconds", Label: "until 99.9 % have it"}, {Name: "all_seconds", Label: "until all have it"},
			{Name: "flood.others_p99_seconds", Label: "until 99 % have it, one publisher floods the network"}, {Name: "flood.others_p99_ratio", Label: "until 99 % have it, over that without the flood"},
		}},
		{Asks: "Is anything lost?", Measures: []lab.Measure{
			{Name: "due", Label: "deliveries due"}, {Name: "lost", Label: "deliveries lost"}, {Name: "recovered", Label: "deliveries recovered"}, {Name: "flood.others_lost", Label: "deliveries of others lost in the flood"},
		}},
		{Asks: whatItCosts, Measures: []lab.Measure{
			{Name: "publisher_messages", Label: "messages of the publisher for an item"}, {Name: "publisher.messages", Label: "messages of the publisher for an item, at most"},
			{Name: "publisher.messages_of_largest_over_smallest", Label: "messages of the publisher for an item, largest network over smallest"}, {Name: "busiest_forwarder_messages", Label: "messages of the busiest node"},
			{Name: "sendings_per_delivery", Label: "messages for each delivery"}, {Name: "gossip_bytes_per_second", Label: "bytes of a node at rest"}, {Name: "gossip.bytes_per_second", Label: "bytes of a node at rest, at most"},
			{Name: "known_at_root_seconds", Label: "time until a subscription is known at the root"},
		}},
		{Asks: "How much comes that nobody wants?", Measures: []lab.Measure{
			{Name: "unwanted", Label: "items that came unwanted"}, {Name: "unwanted_by_formula", Label: "items that came unwanted, by the formula"}, {Name: "false_forwarding", Label: "items forwarded in vain"},
			{Name: "over_formula", Label: "items forwarded in vain, over the formula"}, {Name: "false_forwarding_by_formula", Label: "items forwarded in vain, by the formula"},
			{Name: "filter_bytes", Label: "a zone's wishes as a filter"}, {Name: "attribute_bytes", Label: "a zone's wishes as an attribute for each topic"},
		}},
	},
	Findings: []lab.Finding{
		{Figure: "reach.*.p50_seconds", Says: "Half of the subscribers have an item after {} ({case})"},
		{Figure: "reach.*.p999_seconds", Says: "99.9 % have it after {}"},
		{Figure: "reach.*.all_seconds", Says: "All have it after {}"},
		{Figure: "reach.lost", Says: "{} were lost"},
		{Figure: "publisher.messages", Says: "A publisher sends at most {} for an item"},
		{Figure: "known_at_root_seconds", Says: "A subscription is known everywhere within {}"},
		{Figure: "flood.others_p99_ratio", Says: "While one publisher floods the network, the items of others take {} times as long as without"},
		{Figure: "row.s10.filter_bytes", Against: "row.s10.attribute_bytes", Words: lab.Fewer, Says: "Filters take {} bytes, compared with an attribute for each topic"},
	},
}

// NewsWireLive is of whole nodes in eight zones.
var NewsWireLive = lab.Words{
	Cases: map[string]string{"live": "", "zone": "items to a zone", "query": "queries"},
	Questions: []lab.Question{
		{Asks: nothingLost, Measures: slices.Concat(liveMeasures, []lab.Measure{
			{Name: "outside", Label: "items told outside of their zone"}, {Name: "down_zones", Label: "updates and items that came down the zones"},
			{Name: "recovered", Label: "updates that were recovered"}, {Name: "unwanted", Label: "updates that came unwanted"},
		})},
		{Asks: howSoon, Measures: told},
		{Asks: inTrouble, Measures: []lab.Measure{
			{Name: "function.installed_seconds", Label: "time until a function is installed"}, {Name: "function.revoked_seconds", Label: "time until it is revoked"}, {Name: "representatives.killed", Label: "representatives that were killed"},
		}},
	},
	Findings: append(slices.Clone(oncePerReader), lab.Finding{Figure: "zone.outside", Says: "{} items were told outside of the zone that they were sent to"},
		lab.Finding{Figure: "query.lost", Says: "{} items that queries select were lost"}),
}
