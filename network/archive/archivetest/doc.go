// Package archivetest helps to test what runs on the archive. It makes worlds of nodes that keep items on a ring of
// Pastry, and liars among them.
package archivetest
