// Package search keeps the index of words, by which revisions of items are found. Package tidings/store/words defines
// what a word is. Queries join table search.
//
// Its tables: search (of FTS5, with tables of its own), indexed.
//
// What it promises:
//
//   - A revision that is stored is found, once [Store.CatchUp] or [Store.IndexAll] has returned. The index also learns
//     of stored revisions by itself, within 15 seconds. It is never more than 1024 numbers of revisions behind for
//     longer than a transaction.
//   - Revisions of channels that nobody here has followed are passed over, until [Store.AddChannel].
//   - What is not indexed so far needs nothing to be removed: a crash forgets nothing, and finds nothing that is gone.
//
// Reads: revision, version, full_text, channel (what is to be found, and of which channels), sequence (the numbers of
// revisions).
//
// Bounds: one transaction indexes 256 revisions, or about 1 MiB of texts.
//
// Errors: those of package db. A text that is damaged is passed over.
package search
