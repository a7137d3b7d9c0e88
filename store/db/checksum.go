package db

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"unsafe"

	"github.com/cespare/xxhash/v2"
	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tidings/store/layer"
)

// SQLite has no checksums in its main file: a byte that changes there changes what is read. So a layer between SQLite
// and the system (a VFS) ends each page of the main file with a hash of the page and its number. A page whose hash is
// another is damaged, and is not read. The log has checksums of SQLite's own. SQLite's cksumvfs does the same with
// another hash. The room is kept free in every page by SQLite itself: byte 20 of a file's header says how much.
// A file without that room, from before there were checksums, gets it when it is opened; see addChecksums. Programs of
// others may read the file, but not write it: the pages that they write have no hash, and count as damaged.

// sumBytes is the length of the hash at the end of each page.
const sumBytes = 8

// pageSize is how long pages are, by SQLite's default.
const pageSize = 4096

// Where a database's header says how long pages are, and how much of each is kept free.
const (
	pageSizeAt  = 16
	reservedAt  = 20
	headerBytes = 100
)

// checkedVFS is the name of the layer over the system's own VFS. It is SQLite's default.
const checkedVFS = "tidings"

// unverified is the parameter in a file's URI that has damaged pages read as they are, for repairs.
const unverified = "unverified"

// newPages is a parameter in a file's URI, for a new file with checksums. It is the length of its pages. Otherwise the
// first page says it, but SQLite may write other pages before.
const newPages = "new_pages"

// The values of unverified.
const (
	nothingUnverified = 0
	allUnverified     = 1
	treesUnverified   = 2 // pages that have none of a table's rows, but lead to them
)

// systemVFS is the layer below.
var systemVFS uintptr

// SystemVFS returns SQLite's address of the system's own VFS, below the checksums.
func SystemVFS() uintptr { return systemVFS }

func init() {
	tls := libc.NewTLS()
	defer tls.Close()
	systemVFS = lib.Xsqlite3_vfs_find(tls, 0)
	if err := RegisterVFS(tls, checkedVFS, systemVFS, true); err != nil {
		panic(err)
	}
}

// checkedFile is what the layer knows of an open main file. It stands in SQLite's memory, behind what the layer below
// keeps there.
type checkedFile struct {
	pageSize uint32 // 0: its pages have no checksums
	lenient  uint32 // which damaged pages are read as they are: a value of unverified
}

// checkedLayer is one registration of the layer, over one other VFS.
type checkedLayer struct {
	base   uintptr // sqlite3_vfs
	open   layer.Open
	offset uintptr // of checkedFile in a file
	// unverified and newPages are the names of the parameters, in SQLite's memory.
	unverified, newPages uintptr

	mu      sync.Mutex
	methods map[uintptr]uintptr // tables of methods with checksums, by the table below
	names   map[uintptr]string  // paths of open main files
}

// RegisterVFS makes a VFS of a name that puts checksums over another.
func RegisterVFS(tls *libc.TLS, name string, base uintptr, asDefault bool) error {
	below := layer.At[lib.Tsqlite3_vfs](base)
	place := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*below)))
	var texts [3]uintptr
	for i, text := range []string{name, unverified, newPages} {
		var err error
		if texts[i], err = libc.CString(text); place == 0 || err != nil {
			return errors.New("adding checksums to SQLite: no memory")
		}
	}
	offset := (uintptr(below.FszOsFile) + 7) &^ 7
	l := &checkedLayer{base: base, open: layer.FromC[layer.Open](below.FxOpen), offset: offset, unverified: texts[1],
		newPages: texts[2],
		methods:  make(map[uintptr]uintptr), names: make(map[uintptr]string)}
	vfs := layer.At[lib.Tsqlite3_vfs](place)
	*vfs = *below
	vfs.FpNext, vfs.FzName = 0, texts[0]
	vfs.FszOsFile = int32(offset + unsafe.Sizeof(checkedFile{}))
	vfs.FxOpen = layer.ToC(l.openFile)
	makeDefault := int32(0)
	if asDefault {
		makeDefault = 1
	}
	if code := lib.Xsqlite3_vfs_register(tls, place, makeDefault); code != lib.SQLITE_OK {
		return fmt.Errorf("adding checksums to SQLite: code %d", code)
	}
	return nil
}

func (l *checkedLayer) openFile(tls *libc.TLS, _, name, file uintptr, flags int32, out uintptr) int32 {
	code := l.open(tls, l.base, name, file, flags, out)
	f := layer.At[lib.Tsqlite3_file](file)
	if code != lib.SQLITE_OK || flags&lib.SQLITE_OPEN_MAIN_DB == 0 || f.FpMethods == 0 {
		return code
	}
	c := l.of(file)
	*c = checkedFile{}
	if name != 0 {
		c.lenient = uint32(lib.Xsqlite3_uri_int64(tls, name, l.unverified, nothingUnverified))
		c.pageSize = uint32(lib.Xsqlite3_uri_int64(tls, name, l.newPages, 0))
		l.mu.Lock()
		l.names[file] = libc.GoString(name)
		l.mu.Unlock()
	}
	f.FpMethods = l.withChecksums(tls, f.FpMethods)
	return code
}

func (l *checkedLayer) nameOf(file uintptr) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.names[file]
}

func (l *checkedLayer) forget(file uintptr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.names, file)
}

// of returns what is known of an open file.
func (l *checkedLayer) of(file uintptr) *checkedFile { return layer.At[checkedFile](file + l.offset) }

// withChecksums returns a table of methods like the one at below. SQLite keeps its address, so that it is never freed;
// there are as many as the system has ways of locking.
func (l *checkedLayer) withChecksums(tls *libc.TLS, below uintptr) uintptr {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.methods[below] == 0 {
		m := layer.At[lib.Tsqlite3_io_methods](below)
		place := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*m)))
		if place == 0 {
			return below
		}
		ours := layer.At[lib.Tsqlite3_io_methods](place)
		*ours = *m
		read, write := layer.FromC[layer.Read](m.FxRead), layer.FromC[layer.Write](m.FxWrite)
		ours.FxRead = layer.ToC(func(tls *libc.TLS, file, data uintptr, n int32, where int64) int32 {
			return l.read(tls, read, file, data, n, where)
		})
		ours.FxWrite = layer.ToC(func(tls *libc.TLS, file, data uintptr, n int32, where int64) int32 {
			l.seal(file, layer.Bytes(data, n), where)
			return write(tls, file, data, n, where)
		})
		closing, tells := layer.FromC[layer.Close](m.FxClose), layer.FromC[layer.Tells](m.FxDeviceCharacteristics)
		ours.FxClose = layer.ToC(func(tls *libc.TLS, file uintptr) int32 {
			l.forget(file)
			return closing(tls, file)
		})
		ours.FxDeviceCharacteristics = layer.ToC(func(tls *libc.TLS, file uintptr) int32 {
			return tells(tls, file) &^ lib.SQLITE_IOCAP_SUBPAGE_READ // parts of pages cannot be checked
		})
		l.methods[below] = place
	}
	return l.methods[below]
}

// read reads a part of a main file, and checks it if it is a page.
func (l *checkedLayer) read(tls *libc.TLS, below layer.Read, file, data uintptr, n int32, where int64) int32 {
	code := below(tls, file, data, n, where)
	if code != lib.SQLITE_OK {
		return code
	}
	c, part := l.of(file), layer.Bytes(data, n)
	c.header(part, where)
	size := int64(c.pageSize)
	if size == 0 || int64(n) != size || where%size != 0 || c.lenient == allUnverified {
		return code
	}
	number := uint64(where/size) + 1
	const interiorTable = 5 // sqlite.org/fileformat2.html, b-tree pages
	if binary.LittleEndian.Uint64(part[size-sumBytes:]) == pageSum(part[:size-sumBytes], number) ||
		c.lenient == treesUnverified && part[0] == interiorTable {
		return code
	}
	damagedIn.note(l.nameOf(file), number)
	return lib.SQLITE_CORRUPT // not SQLITE_IOERR, which would undo a whole transaction of other people's operations
}

// seal ends a page that is about to be written with its hash.
func (l *checkedLayer) seal(file uintptr, part []byte, where int64) {
	c := l.of(file)
	c.header(part, where)
	if size := int64(c.pageSize); size != 0 && int64(len(part)) == size && where%size == 0 {
		Seal(part, uint64(where/size)+1)
	}
}

// Seal ends a page of a number with its hash.
func Seal(page []byte, number uint64) {
	content := page[:len(page)-sumBytes]
	binary.LittleEndian.PutUint64(page[len(content):], pageSum(content, number))
}

// header learns from the file's first bytes whether its pages have hashes, and how long they are.
func (c *checkedFile) header(part []byte, where int64) {
	if where != 0 || len(part) < headerBytes || string(part[:16]) != "SQLite format 3\x00" {
		return
	}
	c.pageSize = 0
	if part[reservedAt] == sumBytes {
		if c.pageSize = uint32(binary.BigEndian.Uint16(part[pageSizeAt:])); c.pageSize == 1 {
			c.pageSize = 1 << 16
		}
	}
}

// wantedRoom is how many bytes new databases keep free in each page; tests change it.
var wantedRoom int32 = sumBytes

// roomForSums returns how many bytes a database keeps free in each page.
func roomForSums(conn *sqlite.Conn) (room int, err error) {
	var header []byte
	_, err = One(conn, `SELECT data FROM sqlite_dbpage WHERE pgno = 1`,
		func(r *sqlite.Stmt) { header = ColumnBlob(r, 0) })
	if err != nil || len(header) <= reservedAt {
		return 0, err
	}
	return int(header[reservedAt]), nil
}

// addChecksums writes a database anew that has none. Where there is no room for that, it stays as it is.
func addChecksums(conn *sqlite.Conn) error {
	if room, err := roomForSums(conn); err != nil || room == sumBytes || wantedRoom == 0 {
		return err
	}
	err := sqlitex.ExecuteTransient(conn, `VACUUM`, nil)
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultFull {
		return nil // the next start tries again
	}
	if err != nil {
		return fmt.Errorf("adding checksums: %w", err)
	}
	return nil
}

// reserveRoom has a database that the connection makes, or makes anew, keep room for hashes.
func reserveRoom(tls *libc.TLS, db uintptr) int32 {
	place := libc.Xmalloc(tls, 4)
	if place == 0 {
		return lib.SQLITE_NOMEM
	}
	defer libc.Xfree(tls, place)
	*layer.At[int32](place) = wantedRoom
	return lib.Xsqlite3_file_control(tls, db, 0, lib.SQLITE_FCNTL_RESERVE_BYTES, place)
}

// pageSum is the hash of a page; one that stands in another's place has a wrong one.
func pageSum(page []byte, number uint64) uint64 {
	return xxhash.Sum64(page) ^ number*0x9e3779b97f4a7c15
}

// damagedIn is which pages of which files were found damaged since the process began.
var damagedIn = damagedPages{files: make(map[string]map[uint64]struct{})}

// maxDamaged bounds the pages of a file that are reported one by one.
const maxDamaged = 1000

type damagedPages struct {
	mu    sync.Mutex
	files map[string]map[uint64]struct{}
}

func (d *damagedPages) note(file string, page uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files[file] == nil {
		d.files[file] = make(map[uint64]struct{})
	}
	if len(d.files[file]) < maxDamaged {
		d.files[file][page] = struct{}{}
	}
}

// of returns the damaged pages of a file, ascending.
func (d *damagedPages) of(file string) []uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.files[file]))
}

// drop forgets some pages of a file.
func (d *damagedPages) drop(file string, pages []uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, page := range pages {
		delete(d.files[file], page)
	}
}

func (d *damagedPages) forget(file string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.files, file)
}
