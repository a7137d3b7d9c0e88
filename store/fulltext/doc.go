// Package fulltext keeps the full text of items: that of the pages that they link to. A node fetches it for people that
// ask for it, or want it of all new items of a channel.
//
// Its tables: full_text (one row an item), full_text_reader (the accounts that have asked for it).
//
// What it promises:
//
//   - Wanted texts of a channel's new items are noted in the transaction that stores them ([Want]): a crash loses
//     neither, or both.
//   - An item has one full text. It is fetched once, unless somebody asks again. Of its former texts, one is kept.
//   - An account sees it if it has asked for it, or wants it of all items of the channel. The text may have been
//     fetched for another account. Search finds an item by the words of its full text, for every account.
//   - It goes with the item: triggers of the database remove it.
//
// Reads: item, revision and version of content; channel; subscription of reader.
//
// Bounds: [MaxAtOnce] items of each transaction are noted by themselves. [Due] returns at most as many as requested.
//
// Errors: tidings.ErrNotFound; else those of package db.
package fulltext
