package tidings

import (
	"testing"
	"time"
)

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newsAt(guid string, version, days int) *News {
	return &News{GUID: guid, Version: version, Revised: day.AddDate(0, 0, days)}
}

func TestSupersedes(t *testing.T) {
	old := newsAt("x", 2, 2)
	for _, c := range []struct {
		name string
		next *News
		want bool
	}{
		{"higher version", newsAt("x", 3, 1), true},
		{"lower version, revised later", newsAt("x", 1, 3), false},
		{"same version, revised later", newsAt("x", 2, 3), true},
		{"the same", old, false},
		{"same version, revised earlier", newsAt("x", 2, 1), false},
		{"another item", newsAt("y", 3, 3), false},
	} {
		if got := c.next.Supersedes(old); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if newsAt("", 2, 2).Supersedes(newsAt("", 1, 1)) {
		t.Error("items without a GUID supersede one another")
	}
}

func TestMayReplace(t *testing.T) {
	with := func(n *News, s NewsStatus) *News { n.Status = s; return n }
	for _, c := range []struct {
		name      string
		old, next *News
		want      bool
	}{
		{"later", newsAt("x", 1, 1), newsAt("x", 2, 1), true},
		{"earlier", newsAt("x", 2, 1), newsAt("x", 1, 1), false},
		{"revised earlier", newsAt("x", 2, 2), newsAt("x", 2, 1), false},
		{"the same", newsAt("x", 2, 1), newsAt("x", 2, 1), true},
		{"another item", newsAt("x", 2, 1), newsAt("y", 1, 1), true},
		{"canceled by a later one", newsAt("x", 1, 1), with(newsAt("x", 2, 1), Canceled), true},
		{"canceled by an earlier one", newsAt("x", 2, 1), with(newsAt("x", 1, 1), Canceled), true},
		{"after it was canceled", with(newsAt("x", 1, 1), Canceled), newsAt("x", 2, 1), false},
		{"canceled again", with(newsAt("x", 1, 1), Canceled), with(newsAt("x", 2, 1), Canceled), false},
		{"withheld by an earlier one", newsAt("x", 2, 1), with(newsAt("x", 1, 1), Withheld), false},
		{"after it was withheld", with(newsAt("x", 1, 1), Withheld), newsAt("x", 2, 1), true},
		{"before it was withheld", with(newsAt("x", 2, 1), Withheld), newsAt("x", 1, 1), false},
	} {
		if got := c.next.MayReplace(c.old); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestWhatMayBeShown(t *testing.T) {
	for _, c := range []struct {
		name                 string
		news                 *News
		withdrawn, embargoed bool
	}{
		{"no news item", nil, false, false},
		{"nothing said", &News{}, false, false},
		{"usable", &News{Status: Usable}, false, false},
		{"canceled under embargo", &News{Status: Canceled, Embargo: day.Add(1)}, true, false},
		{"withheld under embargo", &News{Status: Withheld, Embargo: day.Add(1)}, true, false},
		{"before the embargo ends", &News{Status: Usable, Embargo: day.Add(1)}, false, true},
		{"when it ends", &News{Embargo: day}, false, false},
	} {
		if w, e := c.news.Withdrawn(), c.news.Embargoed(day); w != c.withdrawn || e != c.embargoed {
			t.Errorf("%s: withdrawn %v, under embargo %v", c.name, w, e)
		}
	}
}
