// Package db keeps one SQLite file, tidings.db, in a data directory that one process at a time may open. It knows no
// table but two of its own, sequence and setting: what tables there are, and what a repair must know of them, it is
// given as data in [Schema]. The packages beside it keep what a node must not forget in these tables.
//
// What it promises:
//
//   - What [DB.Write] has answered is on the disk (WAL, synchronous=FULL). [DB.Leave] alone does not wait.
//   - All writes go through one goroutine that commits many callers' operations together. So no writer ever finds the
//     database locked, and nobody waits longer than for the commit under way and the next. An operation that fails
//     undoes its own work and nobody else's.
//   - [DB.Read] runs beside writing on a small pool of connections, each query on one consistent snapshot.
//   - The numbers of a [Sequence] rise, and none is used twice, whatever crashes or is restored. So do those that
//     SQLite gives to rows of a table with AUTOINCREMENT.
//   - A byte that changes on the disk is found when it is read, or by [DB.Scrub], and never given out; [DB.Damage]
//     names it. The rest can be read. Scrub makes indexes anew, and the next [Open] repairs what else can be.
//   - A disk that does not answer stops nobody for ever: see [ErrHung].
//
// What the writer does by itself, beside what others ask of it, is [Work].
//
// Bounds: 1024 operations wait, those beyond wait to enter; one transaction has at most 512; each of Config.Readers
// connections has up to 2 MiB of cache, and the writer 16 MiB. Backup and Scrub have connections of their own.
//
// Errors: [ErrClosed], [ErrInUse], [ErrNewer], [ErrForeign], [ErrEmptied], [ErrDamaged], [ErrBadCopy], [ErrFull],
// [ErrHung]. Others of the disk are tidings.ErrDisk. Errors of queries come back as they are.
package db
