// Package storetest opens stores for the tests of their parts.
package storetest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"tidings/store"
)

// Config returns the configuration of a store in a directory of its own, that nobody else may read.
func Config(t testing.TB) store.Config {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return store.Default(dir)
}

// Open opens a store.
func Open(t testing.TB, config store.Config) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// New opens a store in a directory of its own. At the end of the test it is closed, and must agree with itself.
func New(t testing.TB) *store.Store {
	t.Helper()
	config := Config(t)
	s := Open(t, config)
	t.Cleanup(func() { Close(t, s, config) })
	return s
}

// Close closes a store, which must agree with itself.
func Close(t testing.TB, s *store.Store, config store.Config) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	found, err := store.Check(context.Background(), config.Dir)
	if err != nil {
		t.Fatalf("check: %v", err)
	}
	for _, f := range found {
		if !f.OK {
			t.Errorf("check: %s", f.Text)
		}
	}
}
