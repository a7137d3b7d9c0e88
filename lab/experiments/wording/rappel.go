package wording

import "tidings/lab"

// Rappel is of trees of subscribers alone.
var Rappel = lab.Words{
	Cases: map[string]string{
		"half": "half of the readers fail and return", "planetlab": "half fail and return, PlanetLab's round trips", "flat": "flat coordinates", "large_400": "400 readers",
		"churn": "25 % replaced an hour", "tor": "churn of Tor's relays", "beta3": "3 children", "beta5": "5 children", "beta8": "8 children",
		"trade": "dead connections are not told", "ours": "repeated pings and orphans that are called", "told": "dead connections are told", "paper": "the paper's way",
		"both": "friends by interests and distance", "interest": "friends by interests", "distance": "friends by distance", "alpha2": "2 friends", "alpha4": "4 friends",
		"scribe": "Scribe", "fairness": "Rappel", "of_400": "the network with 400", "of_800": "the network with 800",
	},
	Questions: []lab.Question{
		{Asks: nothingLost, Measures: []lab.Measure{
			{Name: "noise.messages", Label: "updates at nodes that had not asked for them"}, {Name: "delivery.lost", Label: "deliveries lost"}, {Name: "delivery.twice", Label: "deliveries made twice"},
			{Name: "noise_free_share", Label: "share of nodes that handled nothing unasked for"},
		}},
		{Asks: howSoon, Measures: []lab.Measure{
			{Name: "latency_median_seconds", Label: "median latency"}, {Name: "latency_p95_seconds", Label: "latency of 95 %"},
			{Name: "latency_p95_seconds_all_the_time", Label: "latency of 95 %, failures and returns counted"}, {Name: "direct_median_seconds", Label: "latency of a direct send, median"},
			{Name: "latency_worst_seconds", Label: "longest latency"}, {Name: "height_most", Label: "most hops from the publisher"},
			{Name: "median_ratio", Label: "median latency, over Scribe's"}, {Name: "median_ratio_without_outsiders", Label: "median latency, over Scribe's without nodes that do not read the feed"},
		}},
		{Asks: "How much longer are ways through the tree than direct ones?", Measures: []lab.Measure{
			{Name: "stretch.measured_median", Label: "stretch as measured, median"}, {Name: "stretch_measured_median", Label: "stretch as measured, median"},
			{Name: "stretch.coordinates_median", Label: "stretch in flat coordinates, median"}, {Name: "stretch.coordinates_p95", Label: "stretch in flat coordinates, 95 %"},
			{Name: "stretch.greedy_tree_median", Label: "stretch of a greedy tree, median"}, {Name: "stretch.greedy_tree_p95", Label: "stretch of a greedy tree, 95 %"},
			{Name: "stretch.of_greedy_tree", Label: "stretch over that of a greedy tree"}, {Name: "stretch.with_heights_median", Label: "stretch in coordinates with heights, median"},
			{Name: "stretch.with_heights_p95", Label: "stretch in coordinates with heights, 95 %"}, {Name: "stretch.planetlab_median", Label: "stretch in coordinates on PlanetLab, median"},
			{Name: "stretch.planetlab_p95", Label: "stretch in coordinates on PlanetLab, 95 %"}, {Name: "stretch.nearest_tenth_median", Label: "stretch of the nearest tenth of the readers"},
			{Name: "stretch.farthest_tenth_median", Label: "stretch of the farthest tenth of the readers"}, {Name: "stretch.farthest_of_nearest", Label: "stretch of the farthest tenth over that of the nearest"},
			{Name: "coordinates.error_median", Label: "error of coordinates, median"}, {Name: "coordinates.flat_error_median", Label: "error of flat coordinates, median"},
		}},
		{Asks: inTrouble, Measures: []lab.Measure{
			{Name: "churn.latency_p95_seconds", Label: "latency of 95 %, 25 % replaced an hour"}, {Name: "churn.latency_worst_seconds", Label: "longest latency, 25 % replaced an hour"},
			{Name: "within_1s", Label: "share of updates within 1 s"}, {Name: "slower_median_seconds", Label: "median latency beyond that at rest"},
			{Name: "observers_median_seconds", Label: "median latency at nodes that stay"}, {Name: "observers_p95_seconds", Label: "latency of 95 % at nodes that stay"},
			{Name: "observers_worst_seconds", Label: "longest latency at nodes that stay"}, {Name: "p99_seconds", Label: "latency of 99 %"}, {Name: "p999_seconds", Label: "latency of 99.9 %"},
			{Name: "pulled", Label: "share of deliveries that were asked for"}, {Name: "left_hourly", Label: "share of nodes that left in an hour"}, {Name: "worst_seconds", Label: "longest latency"},
			{Name: "messages_per_second", Label: "messages of a reader a second"}, {Name: "messages_of_paper", Label: "messages, over those of the paper's way"},
		}},
		{Asks: "Do friends cover what a reader follows?", Measures: []lab.Measure{
			{Name: "all_feeds", Label: "readers all of whose feeds friends cover"}, {Name: "coverage.all_feeds", Label: "readers all of whose feeds friends cover"},
			{Name: "least_of_nine_or_more", Label: "least feeds covered of readers with nine or more"}, {Name: "all_feeds_of_several", Label: "readers of several feeds all of whose feeds friends cover"},
			{Name: "above_1_of_several", Label: "readers of several feeds whose neighbours have several roles"},
			{Name: "overlap_above_1_of_several", Label: "readers of several feeds whose neighbours have several roles"}, {Name: "covered_by_six_best", Label: "readers whom their six best friends would cover"},
		}},
		{Asks: whatItCosts, Measures: []lab.Measure{
			{Name: "most_messages_per_feed", Label: "most messages of a reader for a feed and update"}, {Name: "idle_share", Label: "readers that send nothing"}, {Name: "outsiders", Label: "nodes that pass on what they do not read"},
			{Name: "correlation", Label: "correlation of a reader's feeds with its messages"},
			{Name: "control.median_bytes_per_second", Label: "control sent by a reader, median"}, {Name: "control.sent_and_received_bytes_per_second", Label: "control sent and received by a reader"},
			{Name: "control.median_messages_per_second", Label: "control messages of a reader a second, median"}, {Name: "control.nearest_reader_messages_per_second", Label: "control messages a second of the reader nearest to the publisher"},
			{Name: "control.nearest_reader_height", Label: "hops from the publisher of the reader nearest to it"}, {Name: "control.largest_network_messages_per_second", Label: "control messages a second in the largest network, median"},
			{Name: "control.messages_per_feed", Label: "control messages a second for another feed"},
		}},
		{Asks: "Does the root's work grow with its readers?", Measures: []lab.Measure{
			{Name: "rejoins.at_root_of_twice_the_readers", Label: "rejoins at the root of twice the readers"}, {Name: "rejoins.near_root_of_twice_the_readers", Label: "rejoins near the root of twice the readers"},
			{Name: "factor_by_height", Label: "rejoins at a height, over those one hop nearer to the root"}, {Name: "exponential_r2", Label: "how well an exponential fits them (R²)"},
		}},
	},
	Findings: []lab.Finding{
		{Figure: "noise.messages", Says: "{} updates came to nodes that had not asked for them"},
		{Figure: "delivery.lost", Says: "{} deliveries were lost"},
		{Figure: "planetlab.latency_median_seconds", Says: "On PlanetLab's round trips, a reader has an update within {} (median)"},
		{Figure: "stretch.of_greedy_tree", Says: "Ways through the tree are {#} times as long as through a tree made by somebody who knows everything"},
		{Figure: "churn.within_1s", Says: "{%} of the updates arrive within 1 s while a quarter of the nodes is replaced every hour"},
		{Figure: "coverage.all_feeds", Says: "{%} of the readers have friends that cover all that they follow"},
		{Figure: "scribe.median_ratio", Says: "An update takes {#} times as long as with Scribe (median)"},
		{Figure: "fairness.most_messages_per_feed", Against: "scribe.most_messages_per_feed", Words: lab.Fewer, Says: "The busiest reader sends {} messages for an update, compared with Scribe"},
		{Figure: "control.median_bytes_per_second", Says: "Control costs a reader {}"},
	},
}

// RappelLive is of whole nodes beside simulated ones.
var RappelLive = lab.Words{
	Cases: map[string]string{"live": "whole nodes", "simulated": "simulated nodes"},
	Questions: []lab.Question{
		{Asks: "Are whole nodes as quick as simulated ones?", Measures: []lab.Measure{
			{Name: "latency_ratio.median", Label: "median latency, over the simulated"}, {Name: "latency_ratio.p95", Label: "latency of 95 %, over the simulated"},
			{Name: "latency_median_seconds", Label: "median latency"}, {Name: "latency_p95_seconds", Label: "latency of 95 %"},
			{Name: "machine_late_median_seconds", Label: "how late this machine ends a sleep, median"}, {Name: "machine_late_p95_seconds", Label: "how late this machine ends a sleep, 95 %"},
			{Name: "trouble_p95_seconds", Label: "latency of 95 % in trouble"}, {Name: "deliveries", Label: "deliveries outside of trouble"},
		}},
		{Asks: nothingLost, Measures: append([]lab.Measure{
			{Name: "returned_due", Label: "deliveries due to nodes that came back"}, {Name: "returned_lost", Label: "deliveries lost of those due to nodes that came back"},
		}, liveMeasures...)},
	},
	Findings: append([]lab.Finding{
		{Figure: "live.latency_ratio.median", Says: "Whole nodes take {#} times as long as simulated ones (median)"},
		{Figure: "live.latency_ratio.p95", Says: "It is {#} times for 95 % of the deliveries"},
	}, oncePerReader...),
}
