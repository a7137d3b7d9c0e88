// Package pushed keeps what other publishers push to this node: the keys that channels are trusted with, the items that came as
// they were signed, the files that items carry, and which nodes people here prefer or distrust.
//
// Its tables: pin, pushed, item_file, republisher. Rows of the first three belong to a row of table channel, and go with it:
// [Forget]. What an item tells readers is stored with the channel's content, in the same transaction: [Find], [Keep] and
// [Count] are its part of that.
//
// What it promises:
//
//   - An item is kept once, whatever comes again. [Pin].Have never falls: all up to it are here, or from before the pin.
//   - Of an item that a later one takes back only the number stays. [Store.Items] returns the later one in its place.
//   - A key that takes the place of another goes on with its numbers.
//   - A file is given up, and looked for again, under all of its addresses at once.
//
// Reads: channel (its address, whether somebody follows it, or it is polled for others), subscription (who may have a file).
//
// Bounds: about 1000 items of a channel, the latest; 200 files of a channel; tidings.MaxRepublishers nodes.
//
// Errors: tidings.ErrNotFollowed, tidings.ErrNotFound (there is no key), tidings.ErrInvalid beyond a bound; else those of
// package db.
package pushed
