package store

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"tidings/store/db"
	"tidings/store/layer"
)

// disk is a disk under SQLite that fails on command and can lose power. It sits in SQLite's VFS layer below everything:
// every write, sync and truncation of the database and its log passes through it to the real file.
type disk struct {
	mu     sync.Mutex
	files  map[uintptr]*diskFile // open ones
	below  map[uintptr]uintptr   // their tables of methods, by which ours go on
	byPath map[string]*diskFile
	count  int // of writes, syncs and truncations so far

	failAt int   // fail the operation of this number; 0: none
	sticky bool  // and all later ones
	code   int32 // with this result
	failed bool  // it has happened

	garbleAt int // what the operation of this number writes comes back otherwise; 0: none

	readOnly bool // files can be opened for reading alone

	hang chan struct{} // operations wait until it is closed; nil: they do not

	onChange func() // called before each operation, holding mu
}

// diskFile is a file with what of it would outlast a power cut for certain.
type diskFile struct {
	path    string
	synced  []byte
	pending []pendingWrite // since the last sync; any of them may reach the plate, in any order
}

type pendingWrite struct {
	at       int64
	data     []byte // nil: truncated to at
	truncate bool
}

// theDisk is the one under the checksums of the VFS named faultyVFS: SQLite's list of VFSes is
// the process's, and so is this; tests that use it do not run in parallel.
var theDisk = &disk{}

// pageSize is how long pages of a database are.
const pageSize = 4096

const faultyVFS = "faulty"

// reset makes the disk as new.
func (d *disk) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files, d.byPath, d.below = make(map[uintptr]*diskFile), make(map[string]*diskFile), make(map[uintptr]uintptr)
	d.count, d.failAt, d.garbleAt, d.sticky, d.failed, d.readOnly, d.onChange, d.hang = 0, 0, 0, false, false, false,
		nil, nil
}

// operation counts one and returns the code it is to fail with, else 0. Called with mu held.
func (d *disk) operation() int32 {
	if d.onChange != nil {
		d.onChange()
	}
	d.count++
	if d.failAt != 0 && (d.count == d.failAt || d.sticky && d.count > d.failAt) {
		d.failed = true
		return d.code
	}
	return lib.SQLITE_OK
}

// hold has operations wait from now on, until release is called.
func (d *disk) hold() (release func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hang = make(chan struct{})
	return sync.OnceFunc(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		close(d.hang)
		d.hang = nil
	})
}

// lock acquires mu, once the disk answers.
func (d *disk) lock() {
	d.mu.Lock()
	for hang := d.hang; hang != nil; hang = d.hang {
		d.mu.Unlock()
		<-hang
		d.mu.Lock()
	}
}

// powerCut writes to a new directory what could be found after a power cut now:
// what was synced, and of what was not, a random part. Called with mu held.
func (d *disk) powerCut(t *testing.T, r *rand.Rand) string {
	dir := dataDir(t)
	for path, f := range d.byPath {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		data := append([]byte(nil), f.synced...)
		for _, w := range f.pending {
			if r.IntN(2) == 0 {
				continue
			}
			if w.truncate {
				data = data[:min(int64(len(data)), w.at)]
				continue
			}
			whole := w.data
			if r.IntN(4) == 0 { // torn at a sector
				whole = whole[:min(len(whole), 512*r.IntN(1+len(whole)/512))]
			}
			if grow := w.at + int64(len(whole)) - int64(len(data)); grow > 0 {
				data = append(data, make([]byte, grow)...)
			}
			copy(data[w.at:], whole)
		}
		writeFile(t, filepath.Join(dir, filepath.Base(path)), data)
	}
	return dir
}

// real returns the methods of the real file. SQLite locks a database and not its log, and has other methods for that.
func (d *disk) real(file uintptr) *lib.Tsqlite3_io_methods {
	return layer.At[lib.Tsqlite3_io_methods](d.below[file])
}

// registerDisk puts the disk into SQLite, once a process.
var registerDisk = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	lib.Xsqlite3_initialize(tls)
	vfs := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_vfs{})))
	real := layer.At[lib.Tsqlite3_vfs](db.SystemVFS())
	ours := layer.At[lib.Tsqlite3_vfs](vfs)
	*ours = *real
	realOpen = layer.FromC[layer.Open](real.FxOpen)
	name, err := libc.CString("disk")
	if err != nil {
		panic(err)
	}
	ours.FpNext, ours.FzName, ours.FxOpen = 0, name, layer.ToC(diskOpen)
	lib.Xsqlite3_vfs_register(tls, vfs, 0)
	if err := db.RegisterVFS(tls, faultyVFS, vfs, false); err != nil {
		panic(err)
	}
})

var realOpen layer.Open

// diskMethods returns the table of methods that files of the disk have, like the one at below; SQLite keeps pointers to
// it.
func diskMethods(below uintptr) uintptr {
	if table, ok := diskTables.Load(below); ok {
		return table.(uintptr)
	}
	tls := libc.NewTLS()
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_io_methods{})))
	m := layer.At[lib.Tsqlite3_io_methods](p)
	*m = *layer.At[lib.Tsqlite3_io_methods](below)
	m.FxWrite, m.FxSync, m.FxTruncate, m.FxClose = layer.ToC(diskWrite), layer.ToC(diskSync), layer.ToC(diskTruncate),
		layer.ToC(diskClose)
	table, _ := diskTables.LoadOrStore(below, p)
	return table.(uintptr)
}

// diskTables are the tables that diskMethods has made, by the table below.
var diskTables sync.Map

func diskOpen(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	const ours = lib.SQLITE_OPEN_MAIN_DB | lib.SQLITE_OPEN_MAIN_JOURNAL | lib.SQLITE_OPEN_WAL
	d := theDisk
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.readOnly && flags&ours != 0 { // as SQLite does itself where the system refuses more
		flags = flags&^(lib.SQLITE_OPEN_READWRITE|lib.SQLITE_OPEN_CREATE) | lib.SQLITE_OPEN_READONLY
	}
	code := realOpen(tls, vfs, name, file, flags, out)
	if code != lib.SQLITE_OK || flags&ours == 0 {
		return code
	}
	f := layer.At[lib.Tsqlite3_file](file)
	d.below[file] = f.FpMethods
	f.FpMethods = diskMethods(f.FpMethods)
	path := libc.GoString(name)
	if d.byPath[path] == nil {
		d.byPath[path] = &diskFile{path: path}
		if data, err := os.ReadFile(path); err == nil {
			d.byPath[path].synced = data
		}
	}
	d.files[file] = d.byPath[path]
	return code
}

func diskWrite(tls *libc.TLS, file, data uintptr, n int32, at int64) int32 {
	d := theDisk
	d.lock()
	defer d.mu.Unlock()
	if code := d.operation(); code != lib.SQLITE_OK {
		return code
	}
	if part := layer.Bytes(data, n); d.count == d.garbleAt {
		part[n/2] ^= 1
		defer func() { part[n/2] ^= 1 }()
	}
	d.files[file].pending = append(d.files[file].pending,
		pendingWrite{at: at, data: slices.Clone(libc.GoBytes(data, int(n)))})
	return layer.FromC[layer.Write](d.real(file).FxWrite)(tls, file, data, n, at)
}

func diskSync(tls *libc.TLS, file uintptr, flags int32) int32 {
	d := theDisk
	d.lock()
	defer d.mu.Unlock()
	if code := d.operation(); code != lib.SQLITE_OK {
		return code
	}
	f := d.files[file]
	data, err := os.ReadFile(f.path)
	if err != nil {
		return lib.SQLITE_IOERR_FSYNC
	}
	f.synced, f.pending = data, nil
	return lib.SQLITE_OK // what is on the disk is what this file says, so the real one need not sync
}

func diskTruncate(tls *libc.TLS, file uintptr, size int64) int32 {
	d := theDisk
	d.lock()
	defer d.mu.Unlock()
	if code := d.operation(); code != lib.SQLITE_OK {
		return code
	}
	d.files[file].pending = append(d.files[file].pending, pendingWrite{at: size, truncate: true})
	return layer.FromC[layer.Truncate](d.real(file).FxTruncate)(tls, file, size)
}

func diskClose(tls *libc.TLS, file uintptr) int32 {
	d := theDisk
	d.mu.Lock()
	real := d.real(file)
	delete(d.files, file)
	delete(d.below, file)
	d.mu.Unlock()
	return layer.FromC[layer.Close](real.FxClose)(tls, file)
}

// flip changes two bytes of a file, which cannot be put right as one can.
func flip(t testing.TB, file string, where int64) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b [2]byte
	if _, err := f.ReadAt(b[:], where); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 0x20
	b[1] ^= 0x20
	if _, err := f.WriteAt(b[:], where); err != nil {
		t.Fatal(err)
	}
}
