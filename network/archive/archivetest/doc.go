// Package archivetest helps to test what runs on the archive: worlds of nodes on a ring of Pastry that
// keep items, and liars among them.
package archivetest
