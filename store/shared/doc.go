// Package shared keeps what this node shares with the network: the network's versions of channels, and the hashes by
// which their contents are found again; published items of the network's archive; and items that are on their way to a
// zone. Their content is not understood here.
//
// Its tables: shared, past, archived, archive_use, forwarding. Rows of the first two belong to a row of table channel,
// and go with it: [Forget]. A content is named in the transaction that stores it: [Name] and [Give] are its part of
// that.
//
// What it promises:
//
//   - The number of a channel's version never falls.
//   - A content is found by its hash as long as it is one of the latest 16 of its channel that were named.
//   - What is kept is there after a restart, until it is dropped, or its forwarding has ended.
//   - No limit of the archive is passed, whatever comes. The caller chooses which items are dropped for others.
//   - Small writes share transactions with others, and so last up to [db.Company].
//
// Reads: channel (its address, and whether it is being removed).
//
// Bounds: 16 contents of a channel; [ArchiveLimits], as the caller says.
//
// Errors: [ErrNoRoom]; else those of package db.
package shared
