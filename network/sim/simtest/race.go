//go:build race

package simtest

// raced tells whether the race detector is on.
const raced = true
