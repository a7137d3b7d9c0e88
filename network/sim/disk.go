package sim

import (
	"maps"
	"strings"
)

// Disk is what a node keeps through crashes. The experiment hands it to protocols in the
// form that they ask for.
type Disk struct {
	files map[string]string
}

// Put writes a file.
func (d *Disk) Put(name string, content []byte) {
	if d.files == nil {
		d.files = make(map[string]string)
	}
	d.files[strings.Clone(name)] = string(content)
}

// Get reads a file.
func (d *Disk) Get(name string) ([]byte, bool) {
	content, ok := d.files[name]
	return []byte(content), ok
}

// Copy returns a disk with the same files.
func (d *Disk) Copy() *Disk { return &Disk{files: maps.Clone(d.files)} }

// Disk returns a copy of what a node's disk holds now: a backup.
func (w *World) Disk(n Node) *Disk {
	if d := w.origins[n].disk; d != nil {
		return d.Copy()
	}
	return &Disk{}
}

// Restore replaces the disk of a node that is down with another: an older copy of its own, or none (nil), as after the
// loss of the disk.
func (w *World) Restore(n Node, d *Disk) {
	w.mustBeDown(n, "given a disk")
	w.note(noteRestore, n, 0)
	if d == nil {
		d = &Disk{}
	}
	w.origins[n].disk = d.Copy()
}
