// Package layer has what layers between SQLite and the system (VFSes) are made with. SQLite's Go translation has
// addresses as numbers; At, FromC and ToC turn them into what they stand for, and back.
package layer

import (
	"sync"
	"unsafe"

	"modernc.org/libc"
)

// Signatures of functions in SQLite's tables; see sqlite3_vfs and sqlite3_io_methods.
type (
	Open     = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	Read     = func(tls *libc.TLS, file, data uintptr, n int32, at int64) int32
	Write    = func(tls *libc.TLS, file, data uintptr, n int32, at int64) int32
	Truncate = func(tls *libc.TLS, file uintptr, size int64) int32
	Close    = func(tls *libc.TLS, file uintptr) int32
	Tells    = func(tls *libc.TLS, file uintptr) int32
)

// At returns what stands at an address of SQLite's memory.
func At[T any](place uintptr) *T { return *(**T)(unsafe.Pointer(&place)) }

// Bytes returns the n bytes at an address of SQLite's memory.
func Bytes(place uintptr, n int32) []byte { return unsafe.Slice(At[byte](place), n) }

// FromC returns the function at an address, which must be of the type F.
func FromC[F any](place uintptr) F {
	f := &struct{ at uintptr }{place}
	return *(*F)(unsafe.Pointer(&f.at))
}

// ToC returns the address of a function, which then lives as long as the process.
func ToC[F any](f F) uintptr {
	kept.Lock()
	defer kept.Unlock()
	kept.functions = append(kept.functions, f)
	return *(*uintptr)(unsafe.Pointer(&f))
}

// kept keeps functions from being collected whose addresses SQLite has: some for each way of locking.
var kept struct {
	sync.Mutex
	functions []any
}
