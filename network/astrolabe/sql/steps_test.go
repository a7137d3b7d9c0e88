package sql

import (
	"reflect"
	"testing"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// steps returns how many instructions the virtual machine executed since the last call. The binding does not offer it.
func steps(c *compiled) int {
	query := reflect.ValueOf(c.query).Elem()
	tls := (*libc.TLS)(reflect.ValueOf(c.conn).Elem().FieldByName("tls").UnsafePointer())
	return int(lib.Xsqlite3_stmt_status(tls, uintptr(query.FieldByName("stmt").Uint()),
		lib.SQLITE_STMTSTATUS_VM_STEP, 1))
}

// A program of p instructions executes at most 2·p for each row and once more: the bound on the time of an evaluation
// rests on that.
func TestHostile45Steps(t *testing.T) {
	for name, h := range hostileTexts {
		for _, rows := range []int{0, 1, 64} {
			for parts := 1; parts < 2000; parts = parts*2 + 1 {
				f, err := Compile(h.text(parts))
				if err != nil {
					break
				}
				_, err = f.Aggregate(rowsOf(rows, 5))
				bound := 2 * f.compiled.length * (rows + 1)
				got := steps(f.compiled)
				f.Close()
				if got > bound || err == nil && got == 0 {
					t.Errorf("%s: %d steps over %d rows, more than %d", name, got, rows, bound)
				}
			}
		}
	}
}
