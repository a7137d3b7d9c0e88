package wording

import (
	"slices"

	"tidings/lab"
)

// Corona is of cooperative polling.
var Corona = lab.Words{
	Cases: map[string]string{
		"paper": "the paper's settings", "ours": "default settings", "legacy": "each reader polls on its own", "lite": "Lite", "fast": "Fast", "fair": "Fair", "fair-sqrt": "Fair-Sqrt", "fair-log": "Fair-Log",
		"crash": "a tenth of the nodes crashes", "overnet": "25 % replaced an hour", "tor": "churn of Tor's relays",
		"polite": "ceilings for hosts", "free": "no ceilings for hosts",
	},
	Questions: []lab.Question{
		{Asks: "How soon are changes detected?", Measures: []lab.Measure{
			{Name: "detection_seconds", Label: "time until a change is detected"},
			{Name: "gaps_detection_seconds", Label: "time until a change is detected, by the gaps between polls"},
			{Name: "changes_detection_seconds", Label: "time until a real change is detected"},
		}},
		{Asks: "For how many polls?", Measures: []lab.Measure{
			{Name: "polls", Label: "polls of a channel in 30 minutes"},
			{Name: "overshoot_minutes", Label: "time with more than a tenth too many polls"},
			{Name: "stable_minutes", Label: "time until the number of polls has settled"},
		}},
		{Asks: "Does the change reach every subscriber?", Measures: []lab.Measure{
			{Name: "last_subscriber_median_seconds", Label: "from its detection to the last subscriber, median"},
			{Name: "last_subscriber_p99_seconds", Label: "from its detection to the last subscriber, 99 %"},
			{Name: "reached_all", Label: "share of versions that reached all"},
		}},
		{Asks: inTrouble, Measures: []lab.Measure{
			{Name: "load_most", Label: "most polls, over those before"}, {Name: "detection_most", Label: "longest detection time, over that before"},
			{Name: "detection_mean", Label: "mean detection time, over that before"}, {Name: "back_minutes", Label: "time until both are as before"},
		}},
		{Asks: "Is it polite to hosts?", Measures: []lab.Measure{
			{Name: "polite.detection_seconds", Label: "time until a change is detected, ceilings for hosts"}, {Name: "free.detection_seconds", Label: "time until a change is detected, no ceilings for hosts"},
			{Name: "polite.polls", Label: "polls of a channel in 30 minutes, ceilings for hosts"}, {Name: "free.polls", Label: "polls of a channel in 30 minutes, no ceilings for hosts"},
			{Name: "host_most", Label: "most polls of a host, over those that its readers would make"},
			{Name: "host_999_in_1000", Label: "polls of a host, over those that its readers would make, 999 of 1,000 hosts and intervals"},
		}},
	},
	Findings: []lab.Finding{
		{Figure: "ours.lite.detection_seconds", Against: "ours.legacy.detection_seconds", Words: lab.Sooner, Says: "With Lite, changes are detected {} than when each reader polls on its own"},
		{Figure: "ours.lite.polls", Against: "ours.legacy.polls", Words: lab.Fewer, Says: "It makes {} polls, compared with readers on their own"},
		{Figure: "ours.fast.detection_seconds", Says: "Fast, which is to detect changes within 30 s, takes {}"},
		{Figure: "ours.lite.last_subscriber_p99_seconds", Says: "The last subscriber of a channel has a change {} after its detection (99 % of the changes)"},
		{Figure: "ours.lite.reached_all", Says: "{%} of the versions reached all subscribers"},
		{Figure: "crash.detection_most", Says: "While a tenth of the nodes crashes, detection takes at most {%} of the time before"},
		{Figure: "polite.host_most", Says: "With ceilings, no host gets more than {%} of the polls that its readers would make on their own"},
	},
}

// CoronaLive is of whole nodes that poll together.
var CoronaLive = lab.Words{
	Cases: map[string]string{"live": ""},
	Questions: []lab.Question{
		{Asks: "How soon are changes detected?", Measures: []lab.Measure{
			{Name: "detection_seconds", Label: "time until a change is detected"}, {Name: "changes_detection_seconds", Label: "time until a real change is detected"},
			{Name: "trouble_detection_seconds", Label: "time until a change is detected, after some nodes were killed"},
			{Name: "changes", Label: "changes that were detected"}, {Name: "gone", Label: "changes that were gone before any poll"},
		}},
		{Asks: "For how many polls?", Measures: []lab.Measure{
			{Name: "polls", Label: "polls of a channel in an interval"}, {Name: "load", Label: "requests, over those that subscribers would make on their own"},
			{Name: "trouble_load", Label: "requests over those of subscribers on their own, after some nodes were killed"},
			{Name: "found_by_others", Label: "share of updates that other nodes found"}, {Name: "failed_requests", Label: "requests that failed"},
		}},
		{Asks: howSoon, Measures: []lab.Measure{
			{Name: "spread_median_seconds", Label: "from the poll to a subscriber's store, median"}, {Name: "spread_p99_seconds", Label: "from the poll to a subscriber's store, 99 %"},
			{Name: "trouble_spread_p99_seconds", Label: "from the poll to a subscriber's store, 99 %, after some nodes were killed"},
		}},
		{Asks: nothingLost, Measures: slices.Concat([]lab.Measure{
			{Name: "trouble_due", Label: "deliveries that were due after some nodes were killed"}, {Name: "trouble_lost", Label: "deliveries lost after some nodes were killed"},
			{Name: "unproven_due", Label: "deliveries due of what one node alone saw"}, {Name: "unproven_lost", Label: "deliveries lost of what one node alone saw"},
			{Name: "joined_told", Label: "deliveries by nodes that joined half way"}, {Name: "returned_caught_up", Label: "deliveries caught up by nodes that came back"},
		}, without(liveMeasures, "noise"))},
	},
	Findings: slices.Concat([]lab.Finding{
		{Figure: "live.detection_seconds", Says: "A change is detected {} after it happened, on average"},
		{Figure: "live.load", Says: "Origins get {%} of the requests that the subscribers would make on their own"},
		{Figure: "live.spread_p99_seconds", Says: "99 % of the subscribers have it {} after the poll"},
	}, oncePerReader, []lab.Finding{{Figure: "live.trouble_lost", Says: "{} were lost after nodes had been killed"}}),
}

// Hot is of one channel that all follow.
var Hot = lab.Words{
	Cases: map[string]string{"hot": "the large network, with trees", "direct": "a smaller one, the primary sends everything itself", "scribe": "the smaller one, with trees", "crash": "the large network, after a crash"},
	Questions: []lab.Question{
		{Asks: "How soon do all subscribers have an update?", Measures: []lab.Measure{
			{Name: "reach_median_seconds", Label: "from when the primary numbers it to a subscriber, median"}, {Name: "reach_p99_seconds", Label: "from when the primary numbers it to a subscriber, 99 %"},
			{Name: "reach_last_seconds", Label: "from when the primary numbers it to the last subscriber"}, {Name: "change_p99_seconds", Label: "from the change at the origin, 99 %"},
			{Name: "lost", Label: "updates lost"},
		}},
		{Asks: whatItCosts, Measures: []lab.Measure{
			{Name: "primary_messages", Label: "messages of the primary for an update"}, {Name: "messages_of_busiest_node", Label: "messages of the busiest node for an update"},
			{Name: "copies_per_delivery", Label: "copies sent for each delivery"}, {Name: "pollers", Label: "nodes that poll the channel"},
		}},
	},
	Findings: []lab.Finding{
		{Figure: "hot.reach_p99_seconds", Says: "99 % of the subscribers have an update within {}"},
		{Figure: "hot.reach_last_seconds", Says: "The last one has it within {}"},
		{Figure: "hot.lost", Says: "{} updates were lost"},
		{Figure: "scribe.primary_messages", Against: "direct.primary_messages", Words: lab.Fewer, Says: "With trees, the primary sends {} messages for an update, compared with sending everything itself"},
		{Figure: "crash.lost", Says: "{} updates were lost after a crash"},
	},
}

// Volunteer is of turns taken by chance, beside Corona.
var Volunteer = lab.Words{
	Cases: map[string]string{"legacy": "each reader polls on its own", "corona": "Corona, Lite", "as-many": "as many volunteers as a channel has readers on average", "eight": "eight volunteers (the default)"},
	Questions: []lab.Question{
		{Asks: "How soon are changes detected, and for how many polls?", Measures: []lab.Measure{
			{Name: "detection_seconds", Label: "time until a change is detected"}, {Name: "polls", Label: "polls of a channel in an interval"},
			{Name: "detection_over_corona", Label: "time until a change is detected, over Corona's"}, {Name: "work_over_corona", Label: "detection time times polls, over Corona's"},
			{Name: "polls_over_legacy", Label: "polls, over those of readers on their own"},
		}},
		{Asks: "Do the others get the news?", Measures: []lab.Measure{
			{Name: "told_median_seconds", Label: "from the poll to a reader, median"}, {Name: "lacking", Label: "share of readers that lack a change"},
		}},
	},
	Findings: []lab.Finding{
		{Figure: "eight.detection_seconds", Against: "legacy.detection_seconds", Words: lab.Sooner, Says: "With eight volunteers, changes are detected {} than when each reader polls on its own"},
		{Figure: "eight.polls", Against: "legacy.polls", Words: lab.Fewer, Says: "They make {} polls, compared with readers on their own"},
		{Figure: "as-many.detection_seconds", Against: "corona.detection_seconds", Words: lab.Sooner, Says: "With as many volunteers as a channel has readers, changes are detected {} than with Corona"},
		{Figure: "as-many.polls", Against: "corona.polls", Words: lab.Fewer, Says: "They make {} polls, compared with Corona"},
		{Figure: "work_over_corona", Says: "For the same polls, volunteers take {} times as long as Corona to detect a change"},
	},
}
