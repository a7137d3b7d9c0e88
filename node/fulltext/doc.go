// Package fulltext reads the pages that items link to, for people that want the full text of an item or of all items of
// a channel.
//
//	store: what is due ──▶ origin, asked as polls ask it ──▶ source/article ──▶ store: kept, or failed and why
//	  ▲                         │ not now: Retry-After, 5xx, no connection ──▶ due again, with growing pauses
//	  └─ asked for by a person, who waits
//
// Each page is asked for once, unless a person asks again. Requests share the budget of the host with its polls, and so
// its patience: a host that asked to be left alone is left alone. A bounded number of pages is fetched at a time, and
// one is read at a time.
//
// An item's link is a stranger's. Private addresses are refused, as for pages of other nodes, except on the host of the
// channel itself, which a person here has chosen.
package fulltext
