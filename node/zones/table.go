package zones

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/sql"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/view"
)

// Zone returns the table of a zone on the node's path, its own if path is empty. The network's router must be newswire.
func (z *Zones) Zone(ctx context.Context, path string) (view.Zone, error) {
	wanted := zone.Path("")
	if path != "" {
		p, err := zone.Parse(path)
		if err != nil {
			return view.Zone{}, tidings.Invalidf("%w", err)
		}
		wanted = p
	}
	result := view.Zone{Path: path, Rows: []view.ZoneRow{}}
	var missing error
	err := z.ask(ctx, func() {
		a := z.router.zones
		if a == nil {
			return
		}
		own, placed := a.Path()
		if !placed {
			return
		}
		if wanted == "" {
			wanted = own
		}
		t := a.Table(wanted)
		if t == nil {
			missing = fmt.Errorf(
				"%w: this node is in %s, and keeps the tables of that zone and those above it alone, not that of %s",
				tidings.ErrNotFound, own, wanted)
			return
		}
		result.Path, result.Own = string(wanted), string(own)
		for r := range t.All() {
			if !zone.IsFunction(r.Label) || astrolabe.FunctionText(r) != "" {
				result.Rows = append(result.Rows, rowOf(a, t, r, z.router.env.Now()))
			}
		}
	})
	if err != nil {
		return view.Zone{}, err
	}
	for i := range result.Rows {
		if r := &result.Rows[i]; r.Kind == view.ZoneFunction {
			r.Computes, r.Failure = computes(r.Attributes["text"])
		}
	}
	return result, missing
}

// computes returns which attributes a function gives to zones, or why it gives none.
func computes(text string) (names []string, failure string) {
	f, err := sql.Compile(text)
	if err != nil {
		return nil, err.Error()
	}
	defer f.Close()
	return f.Writes(), ""
}

// rowOf returns a row as people see it.
func rowOf(a *astrolabe.Node, t *table.Table, r table.Row, now time.Duration) view.ZoneRow {
	_, age, _ := t.Known(r.Label, now)
	row := view.ZoneRow{Label: r.Label, Issuer: r.Issuer.ID.String(), Written: time.Now().Add(-age),
		Attributes: make(map[string]string)}
	own, _ := a.Path()
	switch {
	case zone.IsFunction(r.Label):
		row.Kind, row.Installed = view.ZoneFunction, time.Unix(int64(r.Time), 0)
		row.Attributes["text"] = astrolabe.FunctionText(r)
		return row
	case zone.IsMember(r.Label):
		row.Kind = view.ZoneMember
		row.Members = 1
	default:
		row.Kind = view.ZoneChild
		row.Members = r.Attributes.Get(astrolabe.AttrMembers).Integer
		row.Within = r.Path().Contains(own)
	}
	for _, p := range astrolabe.Representatives(r) {
		row.Representatives = append(row.Representatives, p.ID.String())
	}
	for _, a := range r.Attributes {
		if !slices.Contains(toldOtherwise, a.Name) {
			row.Attributes[a.Name] = attributeText(a)
		}
	}
	return row
}

// toldOtherwise are attributes that a ZoneRow has fields for, and network coordinates, which say nothing to people.
var toldOtherwise = []string{astrolabe.AttrRep, astrolabe.AttrReps, astrolabe.AttrMembers, "x", "y", "z", "h"}

// attributeText returns a value as people read it: of a set of bits how many are set.
func attributeText(a attr.Attribute) string {
	switch v := a.Value; v.Type {
	case attr.Integer:
		return fmt.Sprint(v.Integer)
	case attr.Real:
		return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", v.Real), "0"), ".")
	case attr.Text:
		return string(v.Bytes)
	case attr.Blob:
		set := 0
		for i := range 8 * len(v.Bytes) {
			set += int(v.Bytes[i/8] >> (i % 8) & 1)
		}
		return fmt.Sprintf("%d of %d bits", set, 8*len(v.Bytes))
	}
	return ""
}
