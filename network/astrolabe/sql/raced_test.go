//go:build race

package sql

// raced tells that the race detector runs, which makes everything ten times as slow.
const raced = true
