package db

import (
	"errors"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"tidings/store/layer"
)

// SQLite writes the log in two calls for each page: 24 bytes, and the page. A small transaction changes ten pages, so
// that half of what it costs to commit is calls of the system. The log of the connection that writes is gathered here:
// what follows on what came before waits, until SQLite syncs, reads or measures the log, or writes elsewhere in it.
//
// What waits is nothing that anybody counts on. With synchronous = FULL SQLite syncs the log before it notes in the
// log's index (sqlite.org/walformat.html) that there is a transaction more, and nobody reads behind what is noted. A
// transaction whose pages cannot be written fails when they are synced.

// gatherLog is a parameter in a file's URI: the connection's log is gathered. It needs synchronous = FULL.
const gatherLog = "gather_log"

// gatherBytes is how much waits at most. A page with its header has 4,120.
const gatherBytes = 64 << 10

// gatheredLog is what the layer knows of a log that is gathered. It stands where checkedFile does for a main file.
type gatheredLog struct {
	buffer uintptr // gatherBytes of SQLite's memory
	at     int64   // where in the file its content goes
	n      int32   // bytes that wait
}

// gather has a log gathered that was just opened.
func (l *checkedLayer) gather(tls *libc.TLS, file uintptr) {
	g := layer.At[gatheredLog](file + l.offset)
	*g = gatheredLog{buffer: libc.Xmalloc(tls, gatherBytes)}
	f := layer.At[lib.Tsqlite3_file](file)
	if g.buffer != 0 {
		f.FpMethods = l.methodsOver(tls, f.FpMethods, l.gathering, l.gatherMethods)
	}
}

// gatherMethods changes a copy of the methods below into those of a log that is gathered.
func (l *checkedLayer) gatherMethods(m *lib.Tsqlite3_io_methods) {
	write := layer.FromC[layer.Write](m.FxWrite)
	read, sync, truncate := layer.FromC[layer.Read](m.FxRead), layer.FromC[layer.Sync](m.FxSync), layer.FromC[layer.Truncate](m.FxTruncate)
	size, closing := layer.FromC[layer.FileSize](m.FxFileSize), layer.FromC[layer.Close](m.FxClose)
	// flush writes what waits. What could not be written is forgotten: SQLite gives the transaction up.
	flush := func(tls *libc.TLS, file uintptr) int32 {
		g := layer.At[gatheredLog](file + l.offset)
		n := g.n
		if n == 0 {
			return lib.SQLITE_OK
		}
		g.n = 0
		return write(tls, file, g.buffer, n, g.at)
	}
	m.FxWrite = layer.ToC(func(tls *libc.TLS, file, data uintptr, n int32, where int64) int32 {
		g := layer.At[gatheredLog](file + l.offset)
		if g.n > 0 && (where != g.at+int64(g.n) || g.n+n > gatherBytes) {
			if code := flush(tls, file); code != lib.SQLITE_OK {
				return code
			}
		}
		if n > gatherBytes {
			return write(tls, file, data, n, where)
		}
		if g.n == 0 {
			g.at = where
		}
		copy(layer.Bytes(g.buffer, gatherBytes)[g.n:], layer.Bytes(data, n))
		g.n += n
		return lib.SQLITE_OK
	})
	m.FxRead = layer.ToC(func(tls *libc.TLS, file, data uintptr, n int32, where int64) int32 {
		if code := flush(tls, file); code != lib.SQLITE_OK {
			return code
		}
		return read(tls, file, data, n, where)
	})
	m.FxSync = layer.ToC(func(tls *libc.TLS, file uintptr, flags int32) int32 {
		if code := flush(tls, file); code != lib.SQLITE_OK {
			return code
		}
		return sync(tls, file, flags)
	})
	m.FxTruncate = layer.ToC(func(tls *libc.TLS, file uintptr, to int64) int32 {
		if code := flush(tls, file); code != lib.SQLITE_OK {
			return code
		}
		return truncate(tls, file, to)
	})
	m.FxFileSize = layer.ToC(func(tls *libc.TLS, file, out uintptr) int32 {
		if code := flush(tls, file); code != lib.SQLITE_OK {
			return code
		}
		return size(tls, file, out)
	})
	m.FxClose = layer.ToC(func(tls *libc.TLS, file uintptr) int32 {
		failed := flush(tls, file)
		libc.Xfree(tls, layer.At[gatheredLog](file+l.offset).buffer)
		code := closing(tls, file)
		if code == lib.SQLITE_OK {
			code = failed
		}
		return code
	})
}

// gatherLogName is gatherLog in SQLite's memory.
var gatherLogName uintptr

func init() {
	var err error
	if gatherLogName, err = libc.CString(gatherLog); err != nil {
		panic(errors.New("gathering SQLite's log: no memory"))
	}
}
