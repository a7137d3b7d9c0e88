package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
)

// scrubPages is how many pages one transaction reads, 1 MiB: so that the log can be folded into the file between two.
const scrubPages = 256

// scrubber reads the whole file in idle hours, page by page, and keeps what was found damaged.
type scrubber struct {
	mu    sync.Mutex // one Scrub at a time
	next  int64      // page; 0: from the beginning
	named []uint64   // damaged pages that found covers

	telling sync.Mutex
	found   []Damage
}

// Scrub reads the next part of the database, over time all of it, so that damage is found where nobody reads. It stops
// when budget is spent, and continues there the next time. done says that it has reached the end. There it compares
// each index with its table, however long that lasts. Damage returns what Scrub and other readers have found. Indexes
// are made anew.
func (d *DB) Scrub(ctx context.Context, budget time.Duration) (done bool, err error) {
	d.scrub.mu.Lock()
	defer d.scrub.mu.Unlock()
	done, err = d.scrubFor(ctx, budget)
	if err == nil {
		err = d.nameDamage(ctx, done)
	}
	if err == nil && done {
		err = d.nameWrongIndexes(ctx)
	}
	if err != nil {
		return false, fmt.Errorf("reading the database for damage: %w", explain(err))
	}
	return done, nil
}

// scrubFor has a connection of its own: readers are few, and what they have read they do not read again.
func (d *DB) scrubFor(ctx context.Context, budget time.Duration) (done bool, err error) {
	select {
	case <-d.writer.closing:
		return false, ErrClosed
	default:
	}
	conn, err := openUnverified(ctx, d.path, d.config.VFS, nothingUnverified)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	deadline := time.Now().Add(budget)
	for !done && err == nil && time.Now().Before(deadline) {
		done, err = d.scrubSome(conn)
	}
	return done, err
}

func (d *DB) scrubSome(conn *sqlite.Conn) (done bool, err error) {
	if d.scrub.next == 0 {
		damagedIn.forget(d.path) // what is damaged still is found again
		d.scrub.next = 1
	}
	last, err := pragma(conn, "page_count")
	if err != nil {
		return false, err
	}
	if err := readAll(conn, d.scrub.next, min(d.scrub.next+scrubPages-1, last)); err != nil {
		return false, err
	}
	if d.scrub.next += scrubPages; d.scrub.next > last {
		d.scrub.next, done = 0, true
	}
	return done, nil
}

// nameDamage finds out what the damaged pages belong to. It does so if there are new ones, or, at the end, fewer.
func (d *DB) nameDamage(ctx context.Context, end bool) (err error) {
	pages := damagedIn.of(d.path)
	known := func(page uint64) bool { return slices.Contains(d.scrub.named, page) }
	if slices.Equal(pages, d.scrub.named) ||
		!end && !slices.ContainsFunc(pages, func(page uint64) bool { return !known(page) }) {
		return nil
	}
	all, err := d.survey(ctx, pages)
	if err != nil {
		return err
	}
	d.scrub.telling.Lock()
	d.scrub.found = slices.DeleteFunc(d.scrub.found, func(d Damage) bool { return !d.Repaired })
	d.scrub.telling.Unlock()
	if err := d.repair(ctx, all); err != nil {
		return err
	}
	d.scrub.named = damagedIn.of(d.path)
	return nil
}

// repair adds to what Damage returns, and repairs what can be repaired while the store is open.
func (d *DB) repair(ctx context.Context, all []Damage) error {
	for _, found := range all {
		d.log.Error("the database is damaged", "damage", found.String())
	}
	err := d.rebuild(ctx, all)
	if slices.ContainsFunc(all, func(d Damage) bool { return !d.Repaired }) {
		d.suspect()
	}
	d.scrub.telling.Lock()
	defer d.scrub.telling.Unlock()
	for _, found := range all { // the latest of each
		d.scrub.found = slices.DeleteFunc(d.scrub.found, func(old Damage) bool {
			return old.Table == found.Table && old.Repaired == found.Repaired
		})
		d.scrub.found = append(d.scrub.found, found)
	}
	return err
}

// nameWrongIndexes finds indexes that disagree with their tables, where both can be read.
func (d *DB) nameWrongIndexes(ctx context.Context) (err error) {
	if len(damagedIn.of(d.path)) > 0 {
		return nil
	}
	conn, err := openUnverified(ctx, d.path, d.config.VFS, nothingUnverified)
	if err != nil {
		return err
	}
	all, err := compareIndexes(conn)
	if err = errors.Join(err, conn.Close()); err != nil || len(all) == 0 {
		return err
	}
	return d.repair(ctx, all)
}

func (d *DB) survey(ctx context.Context, pages []uint64) (all []Damage, err error) {
	verified, err := openUnverified(ctx, d.path, d.config.VFS, treesUnverified)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, verified.Close()) }()
	loose, err := openUnverified(ctx, d.path, d.config.VFS, allUnverified)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, loose.Close()) }()
	return d.config.Schema.nameAll(loose, verified, pages)
}

// Damage returns what is damaged in the database, as far as Scrub has named it, and what was repaired.
func (d *DB) Damage() []Damage {
	d.scrub.telling.Lock()
	defer d.scrub.telling.Unlock()
	return slices.Clone(d.scrub.found)
}
