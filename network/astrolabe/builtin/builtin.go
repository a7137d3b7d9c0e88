// Package builtin is interim.
package builtin

import (
	"slices"

	"tidings/network/astrolabe/attr"
)

type Child struct {
	Label  string
	Row    attr.Row
	Absent bool
}

func Labeled(rows []Child) []attr.Row {
	var out []attr.Row
	for _, c := range rows {
		out = append(out, attr.Of(append(slices.Clone(c.Row), attr.Attribute{Name: "label", Value: attr.String(c.Label)})...))
	}
	return out
}

func Aggregate(rows []Child, k int) attr.Row {
	var members, depth int64
	var filter []byte
	type cand struct {
		load float64
		up   int64
		i    int
	}
	var cands []cand
	minLoad := 0.0
	for i, c := range rows {
		m := c.Row.Get("members").Integer
		members += m
		depth = max(depth, c.Row.Get("depth").Integer)
		f := c.Row.Get("filter").Bytes
		if len(f) > len(filter) {
			filter = append(filter, make([]byte, len(f)-len(filter))...)
		}
		for j := range f {
			filter[j] |= f[j]
		}
		load, _ := c.Row.Get("load").Number()
		if !c.Absent {
			cands = append(cands, cand{load, c.Row.Get("up").Integer, i})
		}
	}
	slices.SortStableFunc(cands, func(a, b cand) int {
		if a.load != b.load {
			if a.load < b.load {
				return -1
			}
			return 1
		}
		return int(b.up - a.up)
	})
	var reps []byte
	var rep attr.Value
	for i, c := range cands[:min(k, len(cands))] {
		r := rows[c.i].Row.Get("rep")
		if i == 0 {
			rep, minLoad = r, c.load
		}
		reps = attr.AppendList(reps, r.Bytes)
	}
	out := []attr.Attribute{{Name: "members", Value: attr.Int(members)}, {Name: "depth", Value: attr.Int(depth + 1)}, {Name: "load", Value: attr.Float(minLoad)}, {Name: "rep", Value: rep}, {Name: "reps", Value: attr.Bytes(reps)}}
	if filter != nil {
		out = append(out, attr.Attribute{Name: "filter", Value: attr.Bytes(filter)})
	}
	return attr.Of(out...)
}
