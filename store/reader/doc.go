// Package reader keeps what is kept of people: their accounts, how they sign in, which channels they follow, and what
// they have read.
//
// An account follows channels, each under a name and in a folder of its own. Of each item it follows, the latest revision
// is read or unread, and the item is starred or not. An entry is a revision of an item as an account sees it. An article is an
// item as programs on phones have it: in its latest revision, with the labels of the account. Its number is the item's.
//
// Its tables: account, session (of browsers), token (of programs and feed readers), subscription, folder (numbers of folders), mark
// (up to which revision somebody has read an item), star, label.
//
// An item is unread to an account if its latest revision is above what the account's mark of it says. Without a mark it is
// unread if it is above subscription.seen. So a new item is unread to all that follow its channel, though nothing is
// written for any of them. A mark that says 0 keeps an item unread that is not above subscription.seen. Where many above it are
// read one by one, [RaiseSeen] raises it, since a look for what is unread passes all of them.
//
// What it promises:
//
//   - An account sees only channels that it follows, with all of their content that is still kept.
//   - Counts are kept: subscription.read is how many of a channel's kept items are read, and channel.kept how many there
//     are. What is left is unread. They change in the transaction that changes what they count.
//   - What is unread is always the latest revision of its item. When an item changes, it is unread again to those that had read it.
//   - An account that begins to follow a channel has what it lists now unread, and older content read, whether or not somebody
//     else here follows it.
//   - A folder keeps its number when it is renamed, and no number is used twice. One that is empty is listed if it was made so
//     ([AddFolder], [RenameFolder]), and else no more until something is in it again.
//   - What an account does with an article (reads, stars or labels it, or undoes that) is noted with its time, as long as it
//     follows the channel. Labels and stars stay when it does not, and show again when it does.
//   - When a password changes, all sessions of the account end.
//   - With a person goes all that is kept of that person, and of nobody else, in one transaction. Numbers of accounts are
//     never used twice.
//   - There is always an administrator: the owner, who can neither be removed nor become a reader.
//   - Where several people use the node, each has a password.
//   - Of sessions and tokens the hashes of their secrets are kept, and never the secrets.
//   - A token for the Fever API is found by the hash of its key, and opens nothing else. Other tokens do not open that API.
//   - When a token was used last is written within ten seconds; a crash before forgets it.
//
// Functions with a connection or a transaction are for a caller that does something in other parts in the same one.
// Package tidings/store is that caller: to follow a channel may make it, for example.
//
// Reads: channel and watch (for [Subscriptions]: address, title and last poll), item and revision (the latest revision of
// an item, when it arrived, and its texts), version (who found an update, and when), search (which revisions have some words).
//
// Bounds: 1,000 people; 200 sessions and 100 tokens of an account; names and folders of 1 KiB. A call of [Store.MarkRead] has
// at most a million items, and marks 500 in one transaction; [ChangeArticles] does all in that of its caller. An account has 1,000
// labels, and can make folders empty until it has 1,000. Results with more than 32 MiB of text are cut, but for [Articles].
//
// Errors: tidings.ErrExists for a second person of a name; tidings.ErrNotFound where there is no such account, session, token, item
// or update, or the account does not
// follow its channel; tidings.ErrNotFollowed where a channel is asked for that it does not follow; tidings.ErrInvalid
// beyond a bound. Else those of package db.
package reader
