package db

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"tidings/store/layer"
)

// A gathered log is what it would be if each write went to the file at once, whatever else is done between two.
func TestAGatheredLogIsTheSameFile(t *testing.T) {
	below, chance := &fileBelow{}, rand.New(rand.NewPCG(1, 2))
	l := &checkedLayer{offset: 16}
	m := below.methods()
	l.gatherMethods(m)
	tls := libc.NewTLS()
	defer tls.Close()
	file, data := libc.Xcalloc(tls, 1, 256), libc.Xcalloc(tls, 1, 3*gatherBytes)
	defer libc.Xfree(tls, file)
	defer libc.Xfree(tls, data)
	g := layer.At[gatheredLog](file + l.offset)
	g.buffer = libc.Xmalloc(tls, gatherBytes)
	var want []byte
	at := int64(0)
	same := func(what string) {
		t.Helper()
		if !slices.Equal(below.content, want) {
			t.Fatalf("%s: the file has %d bytes, not the %d that were written", what, len(below.content), len(want))
		}
	}
	for i := range 20_000 {
		switch chance.IntN(40) {
		case 0:
			if code := layer.FromC[layer.Sync](m.FxSync)(tls, file, 2); code != lib.SQLITE_OK {
				t.Fatal(code)
			}
			same("synced")
		case 1:
			if len(want) > 0 {
				from := chance.IntN(len(want))
				n := min(len(want)-from, 5000)
				if code := layer.FromC[layer.Read](m.FxRead)(tls, file, data, int32(n), int64(from)); code != lib.SQLITE_OK || !slices.Equal(layer.Bytes(data, int32(n)), want[from:from+n]) {
					t.Fatal("it is read otherwise", code)
				}
			}
		case 2:
			to := chance.IntN(len(want) + 1)
			if code := layer.FromC[layer.Truncate](m.FxTruncate)(tls, file, int64(to)); code != lib.SQLITE_OK {
				t.Fatal(code)
			}
			want, at = want[:to], int64(to)
			same("truncated")
		case 3:
			if code := layer.FromC[layer.FileSize](m.FxFileSize)(tls, file, data); code != lib.SQLITE_OK || *layer.At[int64](data) != int64(len(want)) {
				t.Fatal("it has another size", code)
			}
		case 4:
			at = int64(chance.IntN(len(want) + 1)) // writing begins anew there
		default:
			n := []int{24, 4096, 24, 4096, 24, 4096, 32, 1 + chance.IntN(3*gatherBytes)}[chance.IntN(8)]
			part := layer.Bytes(data, int32(n))
			for j := range part {
				part[j] = byte(i + j)
			}
			if code := layer.FromC[layer.Write](m.FxWrite)(tls, file, data, int32(n), at); code != lib.SQLITE_OK {
				t.Fatal(code)
			}
			want = append(want, make([]byte, max(0, int(at)+n-len(want)))...)
			copy(want[at:], part)
			at += int64(n)
			if at > 1<<20 {
				at = 0
			}
		}
	}
	if code := layer.FromC[layer.Close](m.FxClose)(tls, file); code != lib.SQLITE_OK || !below.closed {
		t.Fatal("it is not closed", code)
	}
	same("closed")
}

// What cannot be written is reported by whatever SQLite does next that counts on it, and once.
func TestAGatheredLogReportsFailures(t *testing.T) {
	for _, what := range []string{"sync", "read", "truncate", "size", "write elsewhere", "close"} {
		below := &fileBelow{}
		l := &checkedLayer{offset: 16}
		m := below.methods()
		l.gatherMethods(m)
		tls := libc.NewTLS()
		file, data := libc.Xcalloc(tls, 1, 256), libc.Xcalloc(tls, 1, 4096)
		layer.At[gatheredLog](file + l.offset).buffer = libc.Xmalloc(tls, gatherBytes)
		do := map[string]func() int32{
			"sync":            func() int32 { return layer.FromC[layer.Sync](m.FxSync)(tls, file, 2) },
			"read":            func() int32 { return layer.FromC[layer.Read](m.FxRead)(tls, file, data, 0, 0) },
			"truncate":        func() int32 { return layer.FromC[layer.Truncate](m.FxTruncate)(tls, file, 0) },
			"size":            func() int32 { return layer.FromC[layer.FileSize](m.FxFileSize)(tls, file, data) },
			"write elsewhere": func() int32 { return layer.FromC[layer.Write](m.FxWrite)(tls, file, data, 24, 0) },
			"close":           func() int32 { return layer.FromC[layer.Close](m.FxClose)(tls, file) },
		}[what]
		below.code = lib.SQLITE_FULL
		if code := layer.FromC[layer.Write](m.FxWrite)(tls, file, data, 100, 32); code != lib.SQLITE_OK {
			t.Errorf("%s: it did not wait: %d", what, code)
		}
		if code := do(); code != lib.SQLITE_FULL {
			t.Errorf("%s: a full disk is reported as %d", what, code)
		}
		if below.code = lib.SQLITE_OK; what != "close" {
			if code := do(); code != lib.SQLITE_OK {
				t.Errorf("%s again: %d", what, code)
			}
		}
		libc.Xfree(tls, file)
		libc.Xfree(tls, data)
		tls.Close()
	}
}

// fileBelow is a file in memory.
type fileBelow struct {
	content []byte
	closed  bool
	code    int32 // what writes end with
}

func (f *fileBelow) methods() *lib.Tsqlite3_io_methods {
	return &lib.Tsqlite3_io_methods{
		FxWrite: layer.ToC(func(_ *libc.TLS, _, data uintptr, n int32, at int64) int32 {
			if f.code != lib.SQLITE_OK {
				return f.code
			}
			f.content = append(f.content, make([]byte, max(0, int(at)+int(n)-len(f.content)))...)
			copy(f.content[at:], layer.Bytes(data, n))
			return lib.SQLITE_OK
		}),
		FxRead: layer.ToC(func(_ *libc.TLS, _, data uintptr, n int32, at int64) int32 {
			copy(layer.Bytes(data, n), f.content[at:])
			return lib.SQLITE_OK
		}),
		FxSync: layer.ToC(func(*libc.TLS, uintptr, int32) int32 { return lib.SQLITE_OK }),
		FxTruncate: layer.ToC(func(_ *libc.TLS, _ uintptr, to int64) int32 {
			f.content = f.content[:to]
			return lib.SQLITE_OK
		}),
		FxFileSize: layer.ToC(func(_ *libc.TLS, _, out uintptr) int32 {
			*layer.At[int64](out) = int64(len(f.content))
			return lib.SQLITE_OK
		}),
		FxClose: layer.ToC(func(*libc.TLS, uintptr) int32 {
			f.closed = true
			return lib.SQLITE_OK
		}),
	}
}

// The connection whose log is gathered syncs each transaction before others may read it.
func TestTheGatheredLogIsSynced(t *testing.T) {
	d := newDB(t)
	for i := range 5 {
		write(t, d, fmt.Sprint(i, strings.Repeat("x", 20_000))) // some pages each
		if got := notes(t, d); len(got) != i+1 {                // read by another connection
			t.Errorf("%d of %d notes are read", len(got), i+1)
		}
	}
	if err := d.writer.between(t.Context(), func() error {
		if full, err := pragma(d.writer.conn, "synchronous"); err != nil || full != 2 {
			t.Errorf("synchronous is %d (%v)", full, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
