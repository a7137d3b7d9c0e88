// Package published keeps what this node publishes: publications, the items as they were signed, what the items of a
// publication's source are known by, and which larger contents belong to them.
//
// Its tables: publication, published, published_mark, published_file.
//
// What it promises:
//
//   - An item is on the disk, with its number, before it may be sent. The numbers of a publication go on from 1 without
//     a gap, over stops, other keys and restarts. No number belongs to two items that other nodes have. See
//     [Store.Issue].
//   - An item that other nodes have never changes. One that none has can be signed or numbered anew:
//     [Store.Resign], [Store.Renumber].
//   - Of an item that a later one withdraws only the number stays. [Store.Items] returns the later one in its place.
//   - What is refused changes nothing.
//
// The content of items and their signers are not its business.
//
// Reads: large (when a content came, for [Store.Files]).
//
// Bounds: 1000 publications at a time; of each, the latest 100,000 items and all that no other node has, and what
// 50,000 items are known by; 10,000 items in one Issue.
//
// Errors: tidings.ErrStale if numbers or times do not continue those of the publication, tidings.ErrNotFound if it is
// not published, tidings.ErrInvalid beyond a bound; else those of package db.
package published
