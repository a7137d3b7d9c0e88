// Package published keeps what this node publishes: publications, the items as they were signed, what the items of a
// publication's source are known by, and which larger contents belong to them.
//
// Its tables: publication, published, published_mark, published_file.
//
// What it promises:
//
//   - An item is on the disk, with its number, before it may be sent. The numbers of a publication go on from 1 without
//     a gap, over stops, other keys and restarts; none is given to two items that other nodes have. See [Store.Issue].
//   - An item that other nodes have is changed no more. One that none has can be signed or numbered anew:
//     [Store.Resign], [Store.Renumber].
//   - Of an item that a later one takes back only the number stays. [Store.Items] returns the later one in its place.
//   - What is refused changes nothing.
//
// What the items say and who signs them is not its business.
//
// Reads: large (when a content came, for [Store.Files]).
//
// Bounds: 1000 publications at a time; of each, the latest 100,000 items and all that no other node has, and what 50,000
// items are known by; 10,000 items in one Issue.
//
// Errors: tidings.ErrStale where numbers or times do not go on where the publication is, tidings.ErrNotFound where it is
// not published, tidings.ErrInvalid beyond a bound; else those of package db.
package published
