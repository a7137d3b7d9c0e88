// Package reader keeps the data of people: their accounts, how they sign in, which channels they follow, and what they
// have read.
//
// An account follows channels, each under a name and in a folder of its own. Of each item it follows, the latest
// revision is read or unread, and the item is starred or not. An entry is a revision of an item as an account sees it.
// An article is an item as programs on phones have it: in its latest revision, with the labels of the account. Its
// number is the item's.
//
// Its tables: account, session (of browsers), token (of programs and feed readers), passkey, feed_address (of feeds of
// people's own), subscription, folder (numbers of folders), tag (of channels), mark (the revision up to which an
// account has read an item), star, label, preference (a person's choices about the page), twice (items that are unread
// in two channels, see twin.go) with the counts in twice_count.
//
// An item is unread to an account if its latest revision is above the revision in the account's mark of it. Without a
// mark it is unread if it is above subscription.seen. So a new item is unread to all that follow its channel, though
// nothing is written for any of them. A mark of 0 keeps an item unread that is not above subscription.seen. If many
// items above it are read one by one, [RaiseSeen] raises it: a search for unread items passes all of them.
//
// What it promises:
//
//   - An account sees only channels that it follows, with all of their content that is still kept.
//   - Counts are kept: subscription.read is how many of a channel's kept items are read, and channel.kept how many
//     there are. What is left is unread. They change in the transaction that changes what they count.
//   - What is unread is always the latest revision of its item. When an item changes, it is unread again to accounts
//     that had read it.
//   - When an account begins to follow a channel, the channel's present items are unread to it, and older content is
//     read. Other followers make no difference.
//   - A folder keeps its number when it is renamed, and no number is used twice. An empty folder is listed if it was
//     made so ([AddFolder], [RenameFolder]). Any other is listed only while something is in it.
//   - A query may select an item that its channel brings, too. An account that follows both sees it once, if both are
//     listed. What is read in one of the two is read in the other. Each channel counts it; [Twins.Doubled] returns how
//     many count twice. Items that were selected before schema 39 are not known to be one with others.
//   - Tags and preferences for a view go with what they are for: with a folder, tag or channel that is renamed, moved
//     or removed.
//   - An account reads, stars or labels an article, or undoes that. This is noted with its time, as long as the account
//     follows the channel. Labels and stars stay when it does not, and show again when it does.
//   - When a password changes, all sessions of the account end. Its passkeys go, too, unless the person knew the
//     previous password.
//   - A passkey is added only while the session lasts in which that was begun. Its counter of signatures only rises.
//   - When a person is removed, all that is kept of that person goes, and of nobody else, in one transaction. Numbers
//     of accounts are never used twice.
//   - There is always an administrator: the owner, who can neither be removed nor become a reader.
//   - Where several people use the node, each has a password.
//   - A feed address opens one feed. It stays when a password changes. That of a folder or channel stays with it when
//     that is renamed or found at another address for good.
//   - Of sessions, tokens and feed addresses the hashes of their secrets are kept, and never the secrets.
//   - A token for the Fever API is found by the hash of its key, and opens nothing else. Other tokens do not open that
//     API.
//   - The last use of a token is written within ten seconds; a crash before forgets it.
//
// Functions with a connection or a transaction are for a caller that changes other parts in the same one. Package
// tidings/store is that caller: to follow a channel may make it, for example.
//
// Reads: selected (which items of queries are those of other channels), channel and watch (for [Subscriptions]:
// address, title and last poll), item and revision (the latest revision of an item, when it arrived, and its texts),
// version (the finder of an update, and when), search (the revisions that have given words).
//
// Bounds: 1,000 people; 200 sessions, 100 tokens, 100 feed addresses and 20 passkeys of an account; names and folders
// of 1 KiB. A call of [Store.MarkRead] has at most a million items, and marks 500 in one transaction; [ChangeArticles]
// does all in that of its caller. An account has 5,000 preferences, and 1,000 tags, a channel 20. An account has 1,000
// labels, and can make folders empty until it has 1,000. Results with more than 32 MiB of text are cut, but for
// [Articles].
//
// Errors: tidings.ErrExists for a second person of a name; tidings.ErrNotFound if there is no such account, session,
// token, passkey, item or update, or the account does not follow its channel; tidings.ErrNotFollowed for a channel that
// the account does not follow; tidings.ErrInvalid beyond a bound. Else those of package db.
package reader
