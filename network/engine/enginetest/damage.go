package enginetest

import (
	"reflect"
	"strings"
	"testing"
)

// CheckProof proves that a message is believed for all of its fields. accepts delivers a message to a receiver that has
// seen none of it before, and reports whether anything came of it. The valid message has to be accepted, before and
// after; of its copies, each damaged in one place, none may be: see Damages.
//
// outside names the fields that the proof does not cover, each with the reason. A name stands for all below it; with
// what is done to the field behind it, for that alone: "Seen turned round". Two kinds of fields fail the test: one that
// is named although no change of it is accepted, and an unnamed list or message that is empty, as what could stand in
// it would go untested. So a field that is added to a message fails it until the proof covers it, or it is named.
func CheckProof[M any](t testing.TB, valid, other M, outside map[string]string, accepts func(m M) bool) {
	t.Helper()
	if !accepts(clone(valid)) {
		t.Fatalf("the valid %T is not accepted", valid)
	}
	for _, field := range empty(reflect.ValueOf(valid), "") {
		if under(field, outside) == "" {
			t.Errorf("%T: %s is empty, and so not damaged", valid, field)
		}
	}
	damages, free := Damages(valid, other), make(map[string]bool)
	for _, d := range damages {
		name := under(d.Field, outside)
		if one := d.Field + " " + d.How; outside[one] != "" {
			name = one
		}
		switch {
		case !accepts(d.Message):
		case name == "":
			t.Errorf("%T: it is accepted though %s is %s", valid, d.Field, d.How)
		default:
			free[name] = true
		}
	}
	for name, why := range outside {
		if !free[name] {
			t.Errorf("%T: %s is said to be outside of the proof (%s), and yet no change of it is accepted", valid, name,
				why)
		}
	}
	if len(damages) == 0 || !accepts(clone(valid)) {
		t.Errorf("after %d damaged copies the valid %T is not accepted", len(damages), valid)
	}
}

// under returns the name in a table of a field, or of one that it stands in; "": there is none.
func under(field string, names map[string]string) string {
	for name := range names {
		if field == name || strings.HasPrefix(field, name+".") {
			return name
		}
	}
	return ""
}

// empty returns the fields in which a list or a message could stand and none does.
func empty(v reflect.Value, path string) (fields []string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return []string{path}
		}
		return empty(v.Elem(), path)
	case reflect.Struct:
		for i := range v.NumField() {
			fields = append(fields, empty(v.Field(i), join(path, v.Type().Field(i).Name))...)
		}
	case reflect.Slice:
		if v.Len() == 0 {
			return []string{path}
		}
		fields = empty(v.Index(0), path)
	}
	return fields
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

// Damage is a message with one thing wrong.
type Damage[M any] struct {
	Field   string // as Go names it, with those that it stands in: Seal.Giver.ID
	How     string
	Message M
}

// Damages returns copies of a message with each field in turn changed a little, emptied, cut short, made longer, and
// replaced by that of another valid message of the type. Of lists the first and the last element are damaged.
func Damages[M any](valid, other M) (all []Damage[M]) {
	w := &damager{}
	w.walk(reflect.ValueOf(valid), reflect.ValueOf(other), "", func(v reflect.Value) reflect.Value { return v })
	for _, c := range w.changes {
		m := clone(valid)
		c.change(c.at(reflect.ValueOf(m)))
		if !reflect.DeepEqual(m, valid) {
			all = append(all, Damage[M]{c.field, c.how, m})
		}
	}
	return all
}

// damager collects what can be changed in a message.
type damager struct{ changes []change }

type change struct {
	field, how string
	at         func(message reflect.Value) reflect.Value // finds the field
	change     func(v reflect.Value)
}

// way finds a field in a message.
type way = func(message reflect.Value) reflect.Value

// walk visits a field, and those within it. o is the same field of the other message, if there is one.
func (w *damager) walk(v, o reflect.Value, field string, at way) {
	add := func(how string, f func(v reflect.Value)) { w.changes = append(w.changes, change{field, how, at, f}) }
	if o.IsValid() && v.CanSet() && v.Kind() != reflect.Struct {
		taken := o
		add("another message's", func(v reflect.Value) { v.Set(copied(taken)) })
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.Kind() == reflect.Interface {
			add("dropped", func(v reflect.Value) { v.SetZero() })
		}
		if !v.IsNil() {
			w.walk(v.Elem(), within(o), field, func(m reflect.Value) reflect.Value { return at(m).Elem() })
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i); name.IsExported() {
				w.walk(v.Field(i), part(o, i), join(field, name.Name),
					func(m reflect.Value) reflect.Value { return at(m).Field(i) })
			}
		}
	case reflect.Slice, reflect.Array:
		w.list(v, o, field, at, add)
	default:
		scalar(v, add)
	}
}

// list damages a list, and the first and the last of its elements.
func (w *damager) list(v, o reflect.Value, field string, at way, add func(string, func(reflect.Value))) {
	add("emptied", func(v reflect.Value) { v.SetZero() })
	if v.Kind() == reflect.Slice {
		add("longer", func(v reflect.Value) { v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem()))) })
		if v.Len() > 0 {
			add("cut short", func(v reflect.Value) { v.Set(v.Slice(0, v.Len()-1)) })
			add("with its last twice", func(v reflect.Value) { v.Set(reflect.Append(v, v.Index(v.Len()-1))) })
		}
	}
	if v.Len() > 1 {
		add("turned round", func(v reflect.Value) {
			first := copied(v.Index(0))
			v.Index(0).Set(v.Index(v.Len() - 1))
			v.Index(v.Len() - 1).Set(first)
		})
	}
	for i := 0; i < v.Len(); i += max(1, v.Len()-1) {
		var same reflect.Value
		if o.IsValid() && i < o.Len() {
			same = o.Index(i)
		}
		w.walk(v.Index(i), same, field, func(m reflect.Value) reflect.Value { return at(m).Index(i) })
	}
}

func within(o reflect.Value) reflect.Value {
	if !o.IsValid() || o.IsNil() {
		return reflect.Value{}
	}
	return o.Elem()
}

func part(o reflect.Value, i int) reflect.Value {
	if !o.IsValid() || i >= o.NumField() {
		return reflect.Value{}
	}
	return o.Field(i)
}

func scalar(v reflect.Value, add func(how string, f func(reflect.Value))) {
	switch {
	case v.Kind() == reflect.Bool:
		add("the contrary", func(v reflect.Value) { v.SetBool(!v.Bool()) })
	case v.CanInt():
		add("one more", func(v reflect.Value) { v.SetInt(v.Int() + 1) })
		add("one less", func(v reflect.Value) { v.SetInt(v.Int() - 1) })
		add("negated", func(v reflect.Value) { v.SetInt(-v.Int()) })
	case v.CanUint():
		add("one more", func(v reflect.Value) { v.SetUint(v.Uint() + 1) })
		add("one less", func(v reflect.Value) { v.SetUint(v.Uint() - 1) })
		add("changed in its highest bit", func(v reflect.Value) { v.SetUint(v.Uint() ^ 1<<(v.Type().Bits()-1)) })
	case v.CanFloat():
		add("greater", func(v reflect.Value) { v.SetFloat(v.Float()*1.5 + 1) })
	case v.Kind() == reflect.String:
		add("emptied", func(v reflect.Value) { v.SetString("") })
		add("longer", func(v reflect.Value) { v.SetString(v.String() + "x") })
		if s := v.String(); s != "" {
			add("cut short", func(v reflect.Value) { v.SetString(s[:len(s)-1]) })
			add("changed", func(v reflect.Value) { v.SetString(s[:len(s)-1] + string(s[len(s)-1]^1)) })
		}
	}
}

// clone copies a message with all that it points to.
func clone[M any](m M) M { return copied(reflect.ValueOf(m)).Interface().(M) }

func copied(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			to.Set(reflect.New(v.Type().Elem()))
			to.Elem().Set(copied(v.Elem()))
		}
	case reflect.Interface:
		if !v.IsNil() {
			to.Set(copied(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if to.Field(i).CanSet() {
				to.Field(i).Set(copied(v.Field(i)))
			}
		}
	case reflect.Slice:
		if !v.IsNil() {
			to.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				to.Index(i).Set(copied(v.Index(i)))
			}
		}
	}
	return to
}
