package wording

import "tidings/lab"

// Feedtree is of publishing down trees, beside polling.
var Feedtree = lab.Words{
	Questions: []lab.Question{
		{Asks: "What does pushing cost a publisher, beside being polled?", Measures: []lab.Measure{
			{Name: "bytes of polling for each byte of pushing", Label: "bytes that polled origins send for each byte that publishers push"},
			{Name: "bytes sent by four publishers in a day", Label: "four publishers, in a day"},
			{Name: "bytes sent by four origins to pollers in a day", Label: "four origins that are polled, in a day"},
			{Name: "bytes that a publisher sends for each byte published"},
			{Name: "bytes a second that a publisher's node sends at rest"},
			{Name: "publishers' bytes a day", Label: "publishers' bytes a day"},
		}},
		{Asks: "What does it cost a member?", Measures: []lab.Measure{
			{Name: "items sent by a member with 16 children"}, {Name: "all that FeedTree and Scribe send there", Label: "all that FeedTree and Scribe send at that member"},
			{Name: "children of that member", Label: "children of the member with the most"},
		}},
		{Asks: howSoon, Measures: []lab.Measure{
			{Name: "median time until a reader has an item"}, {Name: "time until 99 % of readers have an item"}, {Name: "items that readers lack"},
		}},
	},
	Findings: []lab.Finding{
		{Figure: "bytes of polling for each byte of pushing, *", Says: "With {case} as readers, origins that are polled send {} bytes for each byte that publishers push"},
		{Figure: "time until 99 % of readers have an item, *", Says: "99 % of the readers have an item within {} ({case})"},
		{Figure: "items that readers lack, *", Says: "Readers lack {} items in the end ({case})"},
		{Figure: "publishers' bytes a day, *", Says: "A publisher's costliest day is {} times its cheapest, however many readers it has"},
		{Figure: "items sent by a member with 16 children, *", Says: "A member with 16 children sends {} of items where 4 KB are published an hour"},
	},
}

// FeedtreeLive is of whole nodes that publish.
var FeedtreeLive = lab.Words{
	Cases: map[string]string{"edits": "edits of a feed's file", "steady": "entries at an even rate", "killed": "a publisher that is killed again and again"},
	Questions: []lab.Question{
		{Asks: howSoon, Measures: []lab.Measure{
			{Name: "last_p50_seconds", Label: "from an edit's signature to the last reader, median"}, {Name: "last_p99_seconds", Label: "from an edit's signature to the last reader, 99 %"},
			{Name: "last_most_seconds", Label: "from an edit's signature to the last reader, longest"}, {Name: "each_p50_seconds", Label: "from an edit's signature to each reader, median"},
			{Name: "each_p99_seconds", Label: "from an edit's signature to each reader, 99 %"}, {Name: "noticed_p50_seconds", Label: "from the file's change to the signature, median"},
			{Name: "p50_seconds", Label: "from publishing an entry to each reader, median"}, {Name: "p99_seconds", Label: "from publishing an entry to each reader, 99 %"},
			{Name: "most_seconds", Label: "from publishing an entry to a reader, longest"},
			{Name: "signed_p50_seconds", Label: "from an entry's signature to each reader, median"}, {Name: "signed_p99_seconds", Label: "from an entry's signature to each reader, 99 %"},
		}},
		{Asks: whatItCosts, Measures: []lab.Measure{
			{Name: "cost.entry_bytes", Label: "bytes of an entry as it travels"}, {Name: "cost.sent_of_payload", Label: "bytes sent for each byte delivered"},
			{Name: "cost.cpu_seconds", Label: "processor time of a delivery, with storing it"}, {Name: "cost.rest_cpu_seconds", Label: "processor time of a delivery that nodes take at rest"},
		}},
		{Asks: "What happens when a publisher is killed?", Measures: []lab.Measure{
			{Name: "back_most_seconds", Label: "longest time from its restart until all readers have what they missed"},
			{Name: "items", Label: "items that readers have in the end"}, {Name: "gaps", Label: "readers that lack a number"},
		}},
		{Asks: nothingLost, Measures: []lab.Measure{
			{Name: "due", Label: "deliveries that were due"}, {Name: "lost", Label: "deliveries lost"}, {Name: "twice", Label: "deliveries made twice"},
			{Name: "unsigned", Label: "items without a valid signature"}, {Name: "node_errors", Label: "errors that nodes logged"},
		}},
	},
	Findings: []lab.Finding{
		{Figure: "edits.last_p99_seconds", Says: "The last reader has an edit {} after it was signed (99 % of the edits)"},
		{Figure: "steady.p50_seconds", Says: "A reader has an entry {} after it was published (median)"},
		{Figure: "due", Says: "{} deliveries were due"},
		{Figure: "lost", Says: "{} of them were lost"},
		{Figure: "twice", Says: "{} of them were made twice"},
		{Figure: "cost.sent_of_payload", Says: "All nodes together send {} bytes for each byte delivered"},
		{Figure: "cost.cpu_seconds", Says: "A delivery takes {} of processor time, with storing it"},
		{Figure: "killed.back_most_seconds", Says: "A publisher that was killed has told all readers what they missed {} after its restart, at the longest"},
	},
}
