// Package shared keeps what the network asks of this node: published items of its archive, and items that are on their way
// to a zone. What they say is not understood here.
//
// Its tables: archived, archive_use, forwarding.
//
// What it promises:
//
//   - What is kept is there after a restart, until it is dropped, or its forwarding has ended.
//   - No limit of the archive is passed, whatever comes; which items go for others is the caller's choice.
//   - Small writes share transactions with others, and so take up to [db.Company].
//
// Reads: no table of others.
//
// Bounds: [ArchiveLimits], as the caller says.
//
// Errors: [ErrNoRoom]; else those of package db.
package shared
