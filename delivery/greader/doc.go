// Package greader speaks the Google Reader API, by which most feed readers for phones and desktops keep in step with a
// server: NetNewsWire, Read You, Capy Reader, Twine, Readrops, Fluent Reader, RSS Guard, Liferea, Vienna, newsboat,
// FeedMe, Reeder, News+ and others. In such a reader, add an account of the kind "FreshRSS" or "Google Reader API",
// with the address of the node, your name there and an app password.
//
// Google's server is gone and was never specified. What readers send is known from their sources; FreshRSS and Miniflux
// are the servers that they are tested with. These paths are served, below "/" as well as below "/api/greader.php",
// which some readers append by themselves:
//
//	/check/compatibility                            PASS: for people that try whether the address is right
//	/accounts/ClientLogin                           signs in; returns a token
//	/reader/api/0/token, user-info                  a token for writing; whose account it is
//	/reader/api/0/subscription/list, tag/list       feeds; folders and labels
//	/reader/api/0/subscription/export, import       OPML
//	/reader/api/0/unread-count                      unread items by feed, folder and label
//	/reader/api/0/stream/items/ids                  numbers of items: unread, starred, of a feed and so on
//	/reader/api/0/stream/items/contents             items by their numbers
//	/reader/api/0/stream/contents                   items of a stream
//	/reader/atom                                    the same as an Atom feed, for newsboat 2.21
//	/reader/api/0/edit-tag, mark-all-as-read        read, unread, star, label
//	/reader/api/0/subscription/quickadd, edit       follow, rename, move, unfollow
//	/reader/api/0/rename-tag, disable-tag           of folders and labels
//
// A stream is named "feed/7", "feed/https://example.org/rss", "user/-/label/News" (a folder, or else a label) or
// "user/-/state/com.google/reading-list" (everything), "read", "starred". An unknown name is an error or an empty list,
// never everything.
//
// What differs from the originals, and why:
//
//   - Numbers of items grow by arrival (package sync); Google's were hashes. Clients write them in three
//     ways, which all are read.
//   - Lists are in the order of arrival, and "ot" and "nt" are times of arrival. Clients ask for what is new
//     since they asked last; dates that feeds claim would hide late items.
//   - A list of the numbers of unread or starred items has all of them, up to 200,000, if it is asked for
//     with n=2500 or more, even if n is smaller. Two clients ask so, do not ask for the rest, and mark what
//     is missing as read.
//   - A continuation is the last number that was sent, so that what arrives meanwhile moves nothing.
//   - Writes need no "T": a good Authorization header is enough, and so is a good "T". Some clients send only
//     one of them. There are no cookies, so no other site can write.
//   - The article is in "summary" alone. Two clients read nothing else, and a copy in "content" would double
//     the answer.
//   - Categories of items, as feeds have them, are not sent. They could be named like states, such as "read".
//   - The list of feeds has no validator: while it is the same, Liferea asks for no items. Stars are in "marked" too,
//     where alone Liferea looks for them. It finds no item read (1.14): it looks for "state\/com.google\/read" in the
//     first category.
//   - Icons are addresses of pictures that can be loaded without signing in.
//
// Edited items are not sent again: no client fetches an item that it has. Where a person has edits of a feed as items
// of their own, each is one more item; see [sync.Item].
package greader
