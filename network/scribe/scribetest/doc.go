// Package scribetest helps to test what runs on Scribe: worlds of nodes on a ring of Pastry, in which
// trees grow, with the oracles of sim/check.
package scribetest
