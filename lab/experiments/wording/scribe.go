package wording

import "tidings/lab"

// Scribe is of trees over the ring.
var Scribe = lab.Words{
	Cases: map[string]string{
		"bounded": "at most 16 children in a group (the default)", "unbounded": "any number of children", "own": "at most 16, rooted at the publisher",
		"crash": "20 % crash at once, 5 % loss", "churn": "25 % replaced an hour, 5 % loss", "all": "crash and churn, 5 % loss", "swallow": "10 % of the nodes hand no event on",
	},
	Questions: []lab.Question{
		{Asks: "How much later is an event than if it were sent directly?", Measures: []lab.Measure{
			{Name: "rad_mean", Label: "mean delay over that of direct sends (RAD), from the root"},
			{Name: "rmd_mean", Label: "greatest delay over that of direct sends (RMD), from the root"},
			{Name: "rad_p90", Label: "RAD, 90 % of the groups"}, {Name: "rmd_p90", Label: "RMD, 90 % of the groups"},
			{Name: "rad_mean_from_publisher", Label: "RAD, from a publisher elsewhere"}, {Name: "rmd_mean_from_publisher", Label: "RMD, from a publisher elsewhere"},
		}},
		{Asks: "Is the load spread over all nodes?", Measures: []lab.Measure{
			{Name: "copies_per_delivery", Label: "copies sent for each delivery"},
			{Name: "busiest_node_of_direct", Label: "what the busiest node sends, of what the busiest publisher would send itself"},
			{Name: "busiest_pair_of_direct", Label: "copies between the busiest pair of sites, of those of direct sends"},
			{Name: "mean_pair_of_direct", Label: "copies between the average pair of sites, of those of direct sends"},
			{Name: "most_children_in_a_group", Label: "most children of a node in one group"},
			{Name: "children_of_a_node_mean", Label: "children of a node in all groups, on average"},
			{Name: "children_of_a_node_p99", Label: "children of a node in all groups, 99 % of the nodes"},
			{Name: "children_of_a_node_most", Label: "most children of a node in all groups"},
			{Name: "groups_of_a_node_mean", Label: "groups that a node is in, on average"},
		}},
		{Asks: "Does every member get every event?", Measures: []lab.Measure{
			{Name: "delivered", Label: "share of events delivered in the end"},
			{Name: "delivered_in_5s", Label: "share delivered in 5 s"}, {Name: "delivered_in_a_minute", Label: "share delivered in a minute"},
			{Name: "delivered_in_5s_of_the_last_third", Label: "share delivered in 5 s, last third of the time"},
		}},
		{Asks: "How late is an event in trouble?", Measures: []lab.Measure{
			{Name: "median_seconds", Label: "median delay"}, {Name: "p99_seconds", Label: "delay of 99 %"}, {Name: "most_seconds", Label: "longest delay"},
			{Name: "repaired_mean_seconds", Label: "time until a tree is whole again, on average"},
			{Name: "repaired_most_seconds", Label: "time until the last tree is whole again"},
		}},
	},
	Findings: []lab.Finding{
		{Figure: "bounded.rad_mean", Says: "Through a tree, an event takes {%} of the time of a direct send on average"},
		{Figure: "bounded.busiest_node_of_direct", Says: "The busiest node sends {%} of what the busiest publisher would send itself"},
		{Figure: "bounded.children_of_a_node_most", Against: "unbounded.children_of_a_node_most", Words: lab.Fewer,
			Says: "With at most 16 children in a group, the busiest node has {} children in all, compared with no bound"},
		{Figure: "crash.delivered_in_5s", Says: "{%} of the events arrive in 5 s after a fifth of the nodes has crashed"},
		{Figure: "crash.delivered", Says: "{%} of them arrive in the end"},
		{Figure: "swallow.delivered_in_a_minute", Says: "{%} arrive in a minute while a tenth of the nodes hands nothing on"},
	},
}
