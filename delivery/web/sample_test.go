package web

import (
	"fmt"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/web/shell/shelltest"
	"tidings/delivery/web/wording"
)

// sampleID is the node that the samples are about.
const sampleID = "6e1f0a4b9c2d7e8f5a3b1c0d9e8f7a6b5c4d3e2f"

// hostileText is what somebody else may have written.
const hostileText = shelltest.HostileText

// sample fills a fake with what somebody might follow, so that pages look as they would.
func sample() *fake {
	f := newFake()
	f.notifications = &fakeNotifications{}
	now := time.Now()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	channel := func(url, title, folder string, kind tidings.Kind, health tidings.Health, last tidings.Poll) {
		f.follow(tidings.Subscription{Folder: folder, Since: ago(40 * 24 * time.Hour), Health: health, Last: last,
			Channel: tidings.Channel{URL: url, Title: title, Kind: kind, Privacy: tidings.Public, Site: "https://" +
				wording.HostIn(url) + "/", Added: ago(40 * 24 * time.Hour)}})
	}
	good := func(at, next time.Duration) tidings.Poll {
		return tidings.Poll{At: ago(at), Why: "its turn in the usual interval of 30 min",
			Outcome: tidings.OutcomeNotModified, Status: 304, Next: now.Add(next),
			NextWhy: "the usual interval of 30 min"}
	}
	channel("https://kernel.example/headlines/rss", "Kernel Weekly", "Programming", tidings.KindFeed,
		tidings.HealthGood, good(6*time.Minute, 24*time.Minute))
	channel("https://compiler.example/blog/feed.atom", "Compiler Notes", "Programming", tidings.KindFeed,
		tidings.HealthGood, good(12*time.Minute, 18*time.Minute))
	channel("https://museum.example/tickets", "Opening hours and tickets", "Town", tidings.KindPage, tidings.HealthGood,
		good(2*time.Minute, 28*time.Minute))
	channel("https://ferry.example/timetable", "Harbour ferry: timetable", "Town", tidings.KindPage,
		tidings.HealthNoisy, good(9*time.Minute, 21*time.Minute))
	channel("https://quiet.example/notes/index.xml", "Notes from a quiet place", "", tidings.KindFeed,
		tidings.HealthGood, good(19*time.Minute, 11*time.Minute))
	channel("https://kitchen.example/feed", "The Long Kitchen", "", tidings.KindFeed, tidings.HealthLimited,
		tidings.Poll{At: ago(50 * time.Minute), Why: "its turn in the usual interval of 30 min",
			Outcome: tidings.OutcomeLimited, Status: 429, Error: "429 Too Many Requests: asked to come back in 2 hours",
			Next: now.Add(70 * time.Minute), NextWhy: "the site asked for 2 hours of patience (Retry-After)"})
	channel("https://astro.example/rss.xml", "Skywatcher’s Almanac", "Science", tidings.KindFeed, tidings.HealthGood,
		good(25*time.Minute, 5*time.Minute))
	channel("https://lab.example/journal.json", "Open Lab Journal", "Science", tidings.KindFeed, tidings.HealthFailing,
		tidings.Poll{At: ago(3 * time.Hour), Why: "backing off after 4 failures", Outcome: tidings.OutcomeFailed,
			Error: "the certificate expired on 14 November", Next: now.Add(5 * time.Hour),
			NextWhy: "backing off after 5 failures"})

	item := func(title, summary, content string) tidings.Item {
		return tidings.Item{Title: title, Summary: summary, Content: content, URL: "https://example.org/" +
			strings.ToLower(strings.ReplaceAll(title, " ", "-")), Author: "Ada Lind", Published: ago(3 * time.Hour)}
	}
	oldLines := []string{"Opening hours", "Tuesday to Sunday, 10:00 to 17:00", "Last entry is at 16:30", "Tickets",
		"Adults 12 €", "Children under 12 free", "Family ticket 28 €"}
	f.states["https://museum.example/tickets"] = oldLines
	f.arrive("https://museum.example/tickets", 1, tidings.Entry{Received: ago(9 * 24 * time.Hour), Read: true,
		Content: tidings.Item{Title: "Opening hours and tickets", URL: "https://museum.example/tickets"},
		Delta:   "0a1,7\n> " + strings.Join(oldLines, "\n> ") + "\n"})
	var first []tidings.Entry
	for i := range 20 {
		first = append(first, tidings.Entry{Received: ago(50 * time.Hour), Read: i < 3,
			Content: item(fmt.Sprintf("Recipe %d: bread, slowly", i+1), "<p>Flour, water, salt, time.</p>", "")})
	}
	f.arrive("https://kitchen.example/feed", 1, first...)
	f.arrive("https://astro.example/rss.xml", 8, tidings.Entry{Received: ago(30 * time.Hour), Read: true, Starred: true,
		Content: item("The Leonids, and where to stand", "<p>Clear skies until Thursday; look east after midnight.</p>",
			"")})
	f.arrive("https://kernel.example/headlines/rss", 31,
		tidings.Entry{Received: ago(27 * time.Hour), Read: true,
			Content: item("Security updates for Wednesday",
				"<p>Security updates have been issued by several distributions.</p>", "")},
		tidings.Entry{Received: ago(26 * time.Hour), Read: true,
			Content: item("A tour of the new scheduler", "<p>How deadlines are kept when everybody is late.</p>", "")})
	f.arrive("https://compiler.example/blog/feed.atom", 5, tidings.Entry{Received: ago(5 * time.Hour), Starred: true,
		Content: item("Experimenting with simpler error paths",
			"<p>What we learned from three years of proposals, and what we are going to try next.</p>", article)})
	before := item("Kernel 7.1 released", "",
		"<p>The 7.1 kernel is out. The headline feature is the new memory allocator, which was merged in October.</p><p>Most of the changes are in drivers.</p>")
	after := before
	after.Content =
		"<p>The 7.1 kernel is out. The headline features are the new memory allocator, which was merged in September, and lazy preemption by default.</p><p>Most of the changes are in drivers.</p><p>A short log follows.</p>"
	f.arrive("https://kernel.example/headlines/rss", 32,
		tidings.Entry{Received: ago(2 * time.Hour), Change: tidings.Changed, Content: after, Before: &before})
	f.arrive("https://ferry.example/timetable", 14,
		tidings.Entry{Received: ago(80 * time.Minute), Content: tidings.Item{Title: "Harbour ferry: timetable",
			URL: "https://ferry.example/timetable"},
			Delta: "12c12\n< Winter timetable, valid to 30 November\n---\n> Winter timetable, valid to 28 February\n"})
	f.arrive("https://quiet.example/notes/index.xml", 12, tidings.Entry{Received: ago(34 * time.Minute), Read: true,
		Content: item("On keeping a window open",
			"<p>It is not the view that one misses in winter but the sounds of the street, arriving one by one, each with its own hour, and each a little late.</p>", "")})
	f.arrive("https://kernel.example/headlines/rss", 33,
		tidings.Entry{Received: ago(18 * time.Minute), Content: item("Rethinking the page cache for very large folios",
			"<p>At this year’s summit the memory-management developers came back to a question that has been put off for a decade.</p>", "")})
	f.arrive("https://museum.example/tickets", 2,
		tidings.Entry{Received: ago(3 * time.Minute), Content: tidings.Item{Title: "Opening hours and tickets",
			URL: "https://museum.example/tickets"}, Delta: museumDelta})
	f.preview = tidings.Preview{Asked: "https://orchard.example/", Channel: "https://orchard.example/feed.xml",
		Kind: tidings.KindFeed, Title: "The Orchard Review", Site: "https://orchard.example/", Privacy: tidings.Public,
		Choices: []tidings.Choice{{URL: "https://orchard.example/feed.xml", Title: "The Orchard Review",
			Type: "application/rss+xml"}, {URL: "https://orchard.example/comments.xml", Title: "Comments",
			Type: "application/rss+xml"}},
		Fetched: []tidings.Fetched{{URL: "https://orchard.example/", Status: 200, Bytes: 18231,
			Took: 142 * time.Millisecond}, {URL: "https://orchard.example/feed.xml", Status: 200, Bytes: 9120,
			Took: 61 * time.Millisecond}},
		Notes: []string{"RSS 2.0, found by the page’s own link", "2 dates without a time zone were taken as UTC"},
		Poll:  tidings.Poll{At: now, Next: now.Add(30 * time.Minute), NextWhy: "the usual interval of 30 min"}}
	for i, t := range []string{"Grafting in a wet spring", "Three ciders and a perry",
		"What the bees were doing in March", "A wall, and what grows on it", "Letters: on pruning",
		"The price of a crate", "Storing apples without a cellar"} {
		p := item(t, "<p>Notes from the orchard.</p>", "")
		p.Published = ago(time.Duration(i*40) * time.Hour)
		f.preview.Items = append(f.preview.Items, p)
	}
	return f
}

// busy is sample with more of what is hard to show: a story revised again and again,
// channels without a title, numbered ones, a page of headings and lists, long names.
func busy() *fake {
	f := sample()
	channel := func(url, title, folder string, kind tidings.Kind) {
		f.follow(tidings.Subscription{Folder: folder, Since: time.Now(), Health: tidings.HealthGood,
			Channel: tidings.Channel{URL: url, Title: title, Kind: kind, Privacy: tidings.Public}})
	}
	for _, n := range []int{1, 2, 10} {
		channel(fmt.Sprintf("https://numbered.example/%d", n), fmt.Sprintf("Feed %d", n), "Numbers", tidings.KindFeed)
		channel(fmt.Sprintf("http://127.0.0.1:9710/feeds/of-the-town/notices-%d.xml", n), "", "Untitled",
			tidings.KindFeed)
	}
	const harbour, council = "https://news.example/harbour.xml", "https://council.example/sittings"
	channel(harbour, "News of the harbour, its boats and the people who work there by day and by night", "Town",
		tidings.KindFeed)
	channel(council, "Sittings of the town council", "Town", tidings.KindPage)
	f.at(harbour).Polling = &tidings.PollingStats{Nodes: 45, Readers: 1730, Interval: 30 * time.Minute,
		Update: 7 * time.Hour, Expected: 20 * time.Second, Told: time.Now()}
	f.at(harbour).Detected = tidings.Detection{Changes: 9, Median: 14500 * time.Millisecond, Mean: 16 * time.Second}
	f.at(council).Polling = &tidings.PollingStats{Nodes: 1, Readers: 1, Interval: 30 * time.Minute,
		Update: 9 * 24 * time.Hour, Expected: 15 * time.Minute, Told: time.Now()}
	f.at(council).Options = tidings.PageOptions{Select: []string{"#sittings"}, Ignore: []string{"Last updated.*"}}
	story := tidings.Item{Title: "Harbour wall closed", Summary: "<p>It is closed after the storm.</p>",
		URL: "https://news.example/1"}
	other := tidings.Item{Title: "Boats of the week", Summary: "<p>Three came, two left.</p>",
		URL: "https://news.example/2"}
	f.arrive(harbour, 2, tidings.Entry{Item: 31, Content: story})
	f.arrive(harbour, 3, tidings.Entry{Content: other})
	for i := range 3 {
		before := story
		story.Summary = fmt.Sprintf("<p>It is closed after the storm, and stays so for %d days.</p>", i+2)
		f.arrive(harbour, tidings.Version(i+4), tidings.Entry{Item: 31, Change: tidings.Changed, Content: story,
			Before: &before})
	}
	f.arrive(council, 4, tidings.Entry{Content: tidings.Item{Title: "Sittings of the town council", URL: council},
		Delta: "3c3,7\n< - 12 November, 18:00\n---\n> - 19 November, 18:00\n> ## What was decided\n> - The bridge is mended in spring\n> - Fees of the harbour stay as they are\n> All sittings are open to everybody.\n"})
	return f
}

const museumDelta = "2,3c2,3\n< Tuesday to Sunday, 10:00 to 17:00\n< Last entry is at 16:30\n---\n> Tuesday to Sunday, 10:00 to 18:00, Thursdays until 21:00\n> Last entry is 30 minutes before closing\n5c5\n< Adults 12 €\n---\n> Adults 14 €\n7a8\n> On the first Sunday of the month admission is free.\n"

const article = `<p>Error handling has been the most frequent complaint in our surveys for seven years. We have read every proposal, built four of them, and shipped none. This article says what we learned.</p>
<h2>What people ask for</h2><p>Most proposals shorten the same three lines. They differ in <em>where the reader’s eye goes</em>: to the call, to the failure, or past both. See the <a href="https://compiler.example/issue/71203">discussion</a> of the last one.</p>
<blockquote><p>The best error handling is the one you can see in a review.</p></blockquote>
<p><img src="https://pictures.example/survey.png" alt="A chart of survey answers by year"></p>
<pre><code>if err := store.Put(ctx, item); err != nil {
	return fmt.Errorf("put item: %w", err)
}</code></pre>
<h2>What we will try</h2><ul><li>Better messages from the tools that exist.</li><li>Folding of error paths in editors.</li><li>No new syntax this year.</li></ul>
<table><tr><th>Year</th><th>Answers</th><th>Complaints</th></tr><tr><td>2024</td><td>4,156</td><td>13%</td></tr><tr><td>2025</td><td>5,379</td><td>11%</td></tr></table>`
