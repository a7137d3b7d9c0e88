//go:build race

package sql

// raced says that the race detector runs, which makes everything ten times as slow.
const raced = true
