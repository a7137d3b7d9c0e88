// Package minifluxapi speaks the API of Miniflux, version 1, for readers that know it: newsboat, Capy Reader, Twine,
// Fluent Reader, ReactFlux and others. In such a reader, add an account of the kind "Miniflux" with the address of the
// node. Give it an app password as the API token, or your name and an app password.
//
// All paths are below /v1/:
//
//	me, version, integrations/status                  who is signed in; what this is
//	feeds, feeds/{id}, feeds/counters                 list, follow, change, unfollow
//	feeds/{id}/icon, icons/{id}                       pictures
//	categories, categories/{id}                       list, make, rename, remove folders
//	categories/{id}/feeds                             what is in one
//	entries, feeds/{id}/entries, categories/{id}/entries   items by state, time, words; in pages
//	entries/ids                                       their numbers alone
//	entries/{id}, also below a feed or category       one item
//	PUT entries                                       read, unread, star
//	PUT entries/{id}/bookmark, entries/{id}/star      star, or remove the star
//	PUT ../mark-all-as-read                           below feeds/{id}, categories/{id} and users/{id}
//	PUT ../refresh                                    below feeds/{id}, categories/{id} and feeds
//	export, import                                    OPML
//
// A category is a folder. Category 1, "All", has the feeds that are in no folder.
//
// What differs from the original, and why:
//
//   - after compares when an item arrived here, not the date that its feed claims. A client asks so for what
//     is new since it asked last, and would never see an item with an old date. published_after compares
//     dates.
//   - changed_after includes the second that it names, since clients ask for the second of their last call.
//   - limit can be up to 10,000 for items and 200,000 for entries/ids: an answer is never shorter than was
//     asked for while there is more, since clients treat a short one as the last.
//   - An item has no URL of its own: one gets the feed's with its number behind it.
//   - fetch-content reads the page of an item once, and waits for it 20 seconds. Where nothing comes of it, the answer
//     is the text of the feed. update_content is ignored: the item keeps the text that the person has chosen for the
//     feed.
//   - entries/{id}/save is refused, as by a Miniflux without integrations. flush-history and the progress of
//     enclosures are accepted and kept nowhere.
//   - The API of administrators (users, API keys) is not there, nor are enclosures by number, tags and
//     discover.
//   - Pages of other sites may call this API with a token, as those of readers in the browser do. Cookies are
//     not read.
package minifluxapi
