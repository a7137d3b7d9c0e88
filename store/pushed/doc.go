// Package pushed keeps what other publishers push to this node: the keys that channels are trusted with, the items as
// they were signed, the files that items carry, and which nodes people here prefer or distrust.
//
// Its tables: pin, pushed, item_file, websub, republisher. Rows of the first four belong to a row of table channel, and
// go with it: [Forget]. An item's news for readers is stored with the channel's content, in the same transaction:
// [Find], [Keep] and [Count] are its part of that.
//
// What it promises:
//
//   - An item is kept once, however often it comes. [Pin].Have never falls: all up to it are here, or from before the
//     pin.
//   - Of an item that a later one withdraws only the number stays. [Store.Items] returns the later one in its place.
//   - A key that replaces another continues its numbers.
//   - A file is given up, and searched for again, under all of its addresses at once.
//
// Reads: channel (its address, and whether it is followed or polled for others), subscription (the accounts that may
// have a file).
//
// Bounds: about 1000 items of a channel, the latest; 200 files of a channel; tidings.MaxRepublishers nodes.
//
// Errors: tidings.ErrNotFollowed, tidings.ErrNotFound (there is no key), tidings.ErrInvalid beyond a bound; else those
// of package db.
package pushed
