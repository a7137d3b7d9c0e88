// Package content keeps channels and what was found in them: their versions, the items of feeds, the lines of pages,
// and what the next poll of a channel needs to know.
//
// A channel is the address of a feed or a page. It is polled because somebody here follows it, or for other nodes; one
// that was only ever polled for others is a guest. A change makes a new version of the channel, which is an update for
// readers. A feed has items, and an item a revision for each time that readers see it as new or changed. What an item
// is known by (guid, link, title and text, as hashes) is its identity: by it the next poll finds the item again.
//
// Its tables: channel, watch (how polls went, and when the next is due), noise, credential (passwords for origins),
// version, content (what is in a version: the lines of a page, or which items a feed had), document (the latest page as
// it was received), item (identities, and when readers were first shown them), revision (texts of items), embargo
// (revisions that wait for their time), selected (which items of queries are those of other channels).
//
// What it promises:
//
//   - A version, its items and the memory of the poll that found it are stored together or not at all.
//   - Numbers of updates rise in the order in which readers can see them. Numbers of updates, revisions and items are
//     never used twice.
//   - A change that was compared with another version than the latest is refused, and nothing of it is stored.
//   - An item that was seen once does not come back as new, though its text was removed, until its identity is
//     forgotten too ([DropSurplus]).
//   - A version that is the latest of a channel, and the revisions that are in it, are never removed while the channel
//     is followed or polled. Nor is what somebody has starred or labelled.
//   - A poll that found nothing new is not on the disk when [Store.RecordUnchanged] returns. It is written within a
//     second; a crash before costs an early poll.
//   - Passwords for origins, and headers, cookies and proxies of channels, are seen by [Store.Watches] and
//     [Store.Watch] alone.
//   - What is under embargo is seen by nothing that readers ask, until [Release].
//
// Functions with a [Tx] are for a transaction that the caller has opened; [Store.In] makes the Tx. They leave in [Left]
// what other parts are to do before the transaction ends: make revisions unread, index other words, remove files.
// Package tidings/store sees to that.
//
// Reads: subscription (how many follow a channel, for Watch.Followers; and whether, in a repair), star and label (what
// is not to be removed), shared (in a repair: which channels are public), sequence (the number of the latest update).
//
// Bounds: 10,000 items of a change; 1,000 items of a version that [Release] makes; 131,072 polls in memory; 16 versions
// of a guest; addresses of 8 KiB. Results with more than 32 MiB of text are cut. A removing operation looks at 256
// revisions, for about 2 ms.
//
// Errors: tidings.ErrNotFollowed where nobody follows a channel, and it is not polled; tidings.ErrStale;
// tidings.ErrInvalid where a change contradicts itself, or beyond a bound; tidings.ErrNotFound where nothing is kept
// any more. Else those of package db.
package content
