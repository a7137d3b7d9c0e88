package wording

import "tidings/lab"

// SpiderCast is of one overlay for all topics.
var SpiderCast = lab.Words{
	Cases: map[string]string{
		"paper": "the paper's rules", "ours": "what nodes run", "frugal": "with some topics left to two neighbours", "limit": "the greedy merge that sees everything", "ring": "a ring for each topic",
		"zipf2_30": "Zipf 2, no random links", "zipf2_31": "Zipf 2, one random link", "zipf2_adaptive": "Zipf 2, random links by need", "zipf1": "Zipf 1", "nyse": "popularity of stocks", "uniform": "all topics alike",
		"topics200": "200 topics", "follows15": "15 topics a node", "follows20": "20 topics a node", "follows30": "30 topics a node", "follows40": "40 topics a node", "follows20of100": "20 of 100 topics a node", "follows20of1000": "20 of 1,000 topics a node",
		"equal20": "20 topics each", "unequal20": "20 topics on average", "equal40": "40 topics each", "unequal40": "40 topics on average",
		"gossip": "views by gossip", "view5": "a node knows 5 %", "view100": "a node knows all", "similarity10": "10 links by similarity", "similarity9_1": "9 by similarity, 1 random", "similarity8_2": "8 by similarity, 2 random",
		"similarity7_3": "7 by similarity, 3 random", "similarity20": "20 links by similarity", "random10": "10 random links", "rest": "at rest", "loss5": "5 % loss", "churn100": "churn, mean life 100 s", "life100": "mean life 100 s",
		"stays": "the publisher stays", "near": "near links preferred", "anywhere": "links anywhere", "others": "other followers publish", "planetlab": "PlanetLab's round trips", "p95": "95 %",
	},
	Questions: []lab.Question{
		{Asks: "How many links does a node have?", Measures: []lab.Measure{
			{Name: "degree", Label: "links of a node, on average"}, {Name: "degree_most", Label: "most links of a node"}, {Name: "degree_of_equal", Label: "links, over those where all follow as many topics"},
			{Name: "degree_of_paper", Label: "links, over those by the paper's rules"}, {Name: "requests", Label: "requests to connect"},
			{Name: "tdi20", Label: "the paper's tdi(20)"}, {Name: "tdi30", Label: "the paper's tdi(30)"}, {Name: "tdi40", Label: "the paper's tdi(40)"}, {Name: "tdi60", Label: "the paper's tdi(60)"}, {Name: "tdi80", Label: "the paper's tdi(80)"},
		}},
		{Asks: "Are the followers of each topic connected among themselves?", Measures: []lab.Measure{
			{Name: "partitioned", Label: "topics in parts"}, {Name: "diameter", Label: "longest way between two followers of a topic"}, {Name: "components", Label: "parts of all topics"},
		}},
		{Asks: inTrouble, Measures: []lab.Measure{
			{Name: "crash20.partitioned", Label: "topics in parts right after a fifth crashed"}, {Name: "crash20.partitioned_after_60s", Label: "topics in parts a minute later"},
			{Name: "crash20.cut", Label: "followers cut off right after a fifth crashed"}, {Name: "crash20.partitioned_over_paper", Label: "topics in parts right after, more than by the paper's rules"},
			{Name: "churn.partitioned", Label: "topics in parts under churn"}, {Name: "churn.degree", Label: "links of a node under churn"}, {Name: "churn.messages_per_operation", Label: "messages for a join or leave under churn"},
			{Name: "messages_per_join", Label: "messages for a join"}, {Name: "messages_per_leave", Label: "messages for a leave"},
		}},
		{Asks: "Do events arrive, soon and once?", Measures: []lab.Measure{
			{Name: "spread.lost", Label: "deliveries lost, in all"}, {Name: "spread.unfollowed", Label: "events at nodes that had not asked for them"}, {Name: "spread.duplicates", Label: "deliveries made twice"},
			{Name: "spread.hops_over_diameter", Label: "longest way of an event, over the topic's diameter"}, {Name: "spread.delay_over_shortest", Label: "delay, over the shortest that links allow"},
			{Name: "spread.near_gain", Label: "delay with near links, over that without"}, {Name: "lost", Label: "deliveries lost"}, {Name: "deliveries"}, {Name: "duplicates", Label: "deliveries made twice"},
			{Name: "median_seconds", Label: "median delay"}, {Name: "last_seconds", Label: "longest delay"},
		}},
	},
	Findings: []lab.Finding{
		{Figure: "ours.degree.*", Against: "ring.degree.*", Words: lab.Fewer, Says: "A node has {} links, compared with a ring for each topic ({case})"},
		{Figure: "ours.degree.*", Says: "It has {} links on average ({case})"},
		{Figure: "ours.partitioned", Says: "{} are in parts when nothing fails"},
		{Figure: "ours.crash20.partitioned_after_60s.*", Says: "{} are in parts a minute after a fifth of the nodes has crashed"},
		{Figure: "spread.lost", Says: "{} were lost"},
		{Figure: "spread.unfollowed", Says: "{} came to nodes that had not asked for them"},
		{Figure: "spread.near_gain", Says: "When near neighbours are preferred, an event takes {%} of the time"},
	},
}

// SpiderCastLive is of whole nodes.
var SpiderCastLive = lab.Words{
	Cases: map[string]string{"live": ""},
	Questions: []lab.Question{
		{Asks: nothingLost, Measures: append([]lab.Measure{
			{Name: "noise_over_links", Label: "updates over links to nodes that had not asked for them"}, {Name: "over_links", Label: "updates over links"}, {Name: "over_links_twice", Label: "updates that came over links once more"},
		}, liveMeasures...)},
		{Asks: howSoon, Measures: told},
	},
	Findings: oncePerReader,
}

// told are when streams tell of an update.
var told = []lab.Measure{{Name: "told_median_seconds", Label: "from its publication to a node's stream, median"}, {Name: "told_p95_seconds", Label: "from its publication to a node's stream, 95 %"}}
