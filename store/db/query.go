package db

import (
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
)

// Exec runs a statement that gives no rows.
func Exec(conn *sqlite.Conn, sql string, args ...any) error {
	return Each(conn, sql, nil, args...)
}

// Each runs a statement and calls row for every row. Parameters are bound in order.
// The statement stays prepared with the connection. One with LIMIT ? would be compiled again at each call, for SQLite
// plans by the number: LIMIT +? keeps it from that.
func Each(conn *sqlite.Conn, sql string, row func(r *sqlite.Stmt) error, args ...any) (err error) {
	stmt, err := conn.Prepare(sql)
	if err != nil {
		return err
	}
	defer func() {
		if reset := stmt.Reset(); err == nil {
			err = reset
		}
	}()
	for i, arg := range args {
		bind(stmt, i+1, arg)
	}
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return err
		}
		if row == nil {
			continue
		}
		if err := row(stmt); err != nil {
			return err
		}
	}
}

// One runs a statement that gives at most one row, and reports whether there was one.
func One(conn *sqlite.Conn, sql string, row func(r *sqlite.Stmt), args ...any) (found bool, err error) {
	err = Each(conn, sql, func(r *sqlite.Stmt) error {
		found = true
		if row != nil {
			row(r)
		}
		return nil
	}, args...)
	return found && err == nil, err
}

func bind(stmt *sqlite.Stmt, i int, arg any) {
	switch v := arg.(type) {
	case nil:
		stmt.BindNull(i)
	case int64:
		stmt.BindInt64(i, v)
	case int:
		stmt.BindInt64(i, int64(v))
	case bool:
		stmt.BindBool(i, v)
	case string:
		stmt.BindText(i, v)
	case []byte:
		if v == nil {
			stmt.BindNull(i)
			return
		}
		stmt.BindBytes(i, v)
	case time.Time:
		if v.IsZero() {
			stmt.BindNull(i)
			return
		}
		stmt.BindInt64(i, v.UnixMicro())
	default:
		panic(fmt.Sprintf("db: parameter %d has type %T", i, arg)) // a mistake of the caller
	}
}

// ColumnTime reads a time; NULL is the zero time.
func ColumnTime(r *sqlite.Stmt, column int) time.Time {
	if r.ColumnIsNull(column) {
		return time.Time{}
	}
	return time.UnixMicro(r.ColumnInt64(column)).UTC()
}

// ColumnBlob reads a BLOB; NULL is nil.
func ColumnBlob(r *sqlite.Stmt, column int) []byte {
	if r.ColumnIsNull(column) {
		return nil
	}
	b := make([]byte, r.ColumnLen(column))
	r.ColumnBytes(column, b)
	return b
}

// Stored returns t as it will be read again: microseconds, UTC.
func Stored(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMicro(t.UnixMicro()).UTC()
}

// Must turns a query that found nothing into tidings.ErrNotFound.
func Must(found bool, err error) error {
	if err == nil && !found {
		return tidings.ErrNotFound
	}
	return err
}

// NotNil returns b as a BLOB that is not NULL.
func NotNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
