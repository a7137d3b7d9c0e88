package store

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
	named []uint64   // damaged pages of which found tells

	telling sync.Mutex
	found   []Damage
}

// Scrub reads a part of the database, all of it in time, so that damage is found where nobody reads. It stops when budget
// is spent and goes on there the next time; done says that it has come to the end. There it compares each index with its
// table, however long that takes. What it finds, and what others have found by reading, Damage tells; indexes are made anew.
func (s *Store) Scrub(ctx context.Context, budget time.Duration) (done bool, err error) {
	s.scrub.mu.Lock()
	defer s.scrub.mu.Unlock()
	done, err = s.scrubFor(ctx, budget)
	if err == nil {
		err = s.nameDamage(ctx, done)
	}
	if err == nil && done {
		err = s.nameWrongIndexes(ctx)
	}
	if err != nil {
		return false, fmt.Errorf("reading the database for damage: %w", explain(err))
	}
	return done, nil
}

// scrubFor has a connection of its own: readers are few, and what they have read they do not read again.
func (s *Store) scrubFor(ctx context.Context, budget time.Duration) (done bool, err error) {
	select {
	case <-s.writer.closing:
		return false, ErrClosed
	default:
	}
	conn, err := openUnverified(ctx, s.path, s.vfs, nothingUnverified)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	deadline := time.Now().Add(budget)
	for !done && err == nil && time.Now().Before(deadline) {
		done, err = s.scrubSome(conn)
	}
	return done, err
}

func (s *Store) scrubSome(conn *sqlite.Conn) (done bool, err error) {
	if s.scrub.next == 0 {
		damagedIn.forget(s.path) // what is damaged still is found again
		s.scrub.next = 1
	}
	last, err := pragma(conn, "page_count")
	if err != nil {
		return false, err
	}
	if err := readAll(conn, s.scrub.next, min(s.scrub.next+scrubPages-1, last)); err != nil {
		return false, err
	}
	if s.scrub.next += scrubPages; s.scrub.next > last {
		s.scrub.next, done = 0, true
	}
	return done, nil
}

// nameDamage finds out what the damaged pages are of, if there are any that it has not dealt with, or, at the end, fewer.
func (s *Store) nameDamage(ctx context.Context, end bool) (err error) {
	pages := damagedIn.of(s.path)
	known := func(page uint64) bool { return slices.Contains(s.scrub.named, page) }
	if slices.Equal(pages, s.scrub.named) || !end && !slices.ContainsFunc(pages, func(page uint64) bool { return !known(page) }) {
		return nil
	}
	all, err := s.survey(ctx, pages)
	if err != nil {
		return err
	}
	s.scrub.telling.Lock()
	s.scrub.found = slices.DeleteFunc(s.scrub.found, func(d Damage) bool { return !d.Repaired })
	s.scrub.telling.Unlock()
	if err := s.tell(ctx, all); err != nil {
		return err
	}
	s.scrub.named = damagedIn.of(s.path)
	return nil
}

// tell has Damage return what was found, and mends of it what can be mended while the store is open.
func (s *Store) tell(ctx context.Context, all []Damage) error {
	for _, d := range all {
		s.log.Error("the database is damaged", "damage", d.String())
	}
	err := s.rebuild(ctx, all)
	if slices.ContainsFunc(all, func(d Damage) bool { return !d.Repaired }) {
		s.suspect()
	}
	s.scrub.telling.Lock()
	defer s.scrub.telling.Unlock()
	for _, d := range all { // the latest of each
		s.scrub.found = slices.DeleteFunc(s.scrub.found, func(old Damage) bool { return old.Table == d.Table && old.Repaired == d.Repaired })
		s.scrub.found = append(s.scrub.found, d)
	}
	return err
}

// nameWrongIndexes finds indexes that disagree with their tables, where both can be read.
func (s *Store) nameWrongIndexes(ctx context.Context) (err error) {
	if len(damagedIn.of(s.path)) > 0 {
		return nil
	}
	conn, err := openUnverified(ctx, s.path, s.vfs, nothingUnverified)
	if err != nil {
		return err
	}
	all, err := compareIndexes(conn)
	if err = errors.Join(err, conn.Close()); err != nil || len(all) == 0 {
		return err
	}
	return s.tell(ctx, all)
}

func (s *Store) survey(ctx context.Context, pages []uint64) (all []Damage, err error) {
	verified, err := openUnverified(ctx, s.path, s.vfs, treesUnverified)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, verified.Close()) }()
	loose, err := openUnverified(ctx, s.path, s.vfs, allUnverified)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, loose.Close()) }()
	return nameAll(loose, verified, pages)
}

// Damage returns what is damaged in the database, as far as Scrub has named it, and what was repaired.
func (s *Store) Damage() []Damage {
	s.scrub.telling.Lock()
	defer s.scrub.telling.Unlock()
	return slices.Clone(s.scrub.found)
}
