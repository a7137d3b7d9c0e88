package sql

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"
	"unicode/utf8"

	"tidings/network/astrolabe/attr"
)

// FuzzAggregate checks that no text and no rows make more than a valid row or an error of this package, that it
// executes no more instructions than it may, and that the order of rows does not matter.
func FuzzAggregate(f *testing.F) {
	f.Add("SELECT SUM(members) AS members, MIN(load) AS load, BITOR(filter) AS filter, FIRST(3, rep ORDER BY "+
		"load, up DESC) AS reps FROM children", []byte("a2\x00b3\xffc4"))
	f.Add("SELECT a AS a FROM children WHERE b IN (1, c, 'x') AND NOT a BETWEEN b AND 7 OR (a, b) < (1, 2) ORDER "+
		"BY a || b, -c LIMIT 1 OFFSET 1", []byte("11223344"))
	f.Add("SELECT AVG(DISTINCT a) FILTER (WHERE CASE a WHEN 1 THEN b ELSE c END) AS x, BIT(BITOR(a | b & ~c << "+
		"2), 3) AS y FROM children AS c", []byte("abcdefgh"))
	f.Add("SELECT COUNT(*) % 3 / 2.0 AS n, MAX(a, b) IS NULL AS m, IIF(a ISNULL, ROUND(b, 2), SIGN(ABS(c))) AS o "+
		"FROM children HAVING COUNT(*) > 1", []byte("\x00\x01\x02\x03"))
	f.Add("SELECT typeof(a) AS t, COALESCE(a, b, x'00ff') AS c, NULLIF(a, b) AS n, octet_length(a) AS l FROM "+
		"children LIMIT 1", []byte("zzzzzzz"))
	for _, h := range hostileTexts {
		f.Add(h.text(3), []byte("0123456789"))
	}
	f.Fuzz(func(t *testing.T, text string, seed []byte) {
		function, err := Compile(text)
		if err != nil {
			checkError(t, err)
			return
		}
		defer function.Close()
		rows := rowsFrom(function.Reads(), seed)
		got, err := function.Aggregate(rows)
		again, errAgain := function.Aggregate(reversed(rows))
		if (err == nil) != (errAgain == nil) || !again.Equal(got) {
			t.Errorf("%v, %v; in another order %v, %v", got, err, again, errAgain)
		}
		if executed, most := steps(function.compiled), 4*function.compiled.length*(len(rows)+1); executed > most {
			t.Errorf("%d steps, more than %d", executed, most)
		}
		if err != nil {
			checkError(t, err)
		} else if err := got.Validate(); err != nil {
			t.Error(err)
		}
	})
}

func checkError(t *testing.T, err error) {
	var e *Error
	if !errors.As(err, &e) || e.What == "" || e.Problem == nil || e.Offset < -1 {
		t.Errorf("%#v", err)
	}
}

// rowsFrom makes rows of the names that a function reads.
func rowsFrom(names []string, seed []byte) (rows []attr.Row) {
	for len(seed) > 0 && len(rows) < 20 {
		attributes := []attr.Attribute{{Name: "label", Value: attr.Int(int64(len(rows)))}}
		for _, name := range names[:min(len(names), attr.MaxAttributes-1)] {
			var v attr.Value
			if v, seed = valueFrom(seed); name != "label" {
				attributes = append(attributes, attr.Attribute{Name: name, Value: v})
			}
		}
		if len(names) == 0 {
			seed = seed[1:]
		}
		rows = append(rows, attr.Of(attributes...))
	}
	return rows
}

func valueFrom(seed []byte) (attr.Value, []byte) {
	if len(seed) < 2 {
		return attr.Value{}, nil
	}
	kind, n := seed[0]%5, min(int(seed[1]), len(seed)-2)
	var eight [8]byte
	copy(eight[:], seed[2:])
	number := binary.LittleEndian.Uint64(eight[:])
	switch own := seed[2 : 2+n%9]; {
	case kind == 1:
		return attr.Int(int64(number)), seed[2+len(own):]
	case kind == 2:
		return attr.Float(math.Float64frombits(number)), seed[2+len(own):]
	case kind == 3 && utf8.Valid(own):
		return attr.String(string(own)), seed[2+len(own):]
	case kind == 4:
		return attr.Bytes(own), seed[2+len(own):]
	}
	return attr.Int(int64(seed[1] % 4)), seed[2:]
}

func reversed(rows []attr.Row) (back []attr.Row) {
	for i := len(rows) - 1; i >= 0; i-- {
		back = append(back, rows[i])
	}
	return back
}

// FuzzHolds checks that a predicate answers or fails, and never for an attribute that the row lacks.
func FuzzHolds(f *testing.F) {
	f.Add("premium = 1 AND load < 0.8", []byte("\x01\x01\x01\x02\x08abcdefgh"))
	f.Add("1) OR (a", []byte("aabb"))
	f.Add("BIT(a, b) OR c IS NULL", []byte("\x04\x05abcde\x01\x01\x07"))
	f.Fuzz(func(t *testing.T, text string, seed []byte) {
		predicate, err := CompilePredicate(text)
		if err != nil {
			checkError(t, err)
			return
		}
		defer predicate.Close()
		for _, row := range append(rowsFrom(predicate.Reads(), seed), nil) {
			first, err := predicate.Holds(row)
			again, _ := predicate.Holds(row)
			if err != nil {
				checkError(t, err)
			}
			if first != again {
				t.Error(first, again)
			}
		}
	})
}
