package sync

import (
	"testing"
	"time"
)

func TestMoments(t *testing.T) {
	second := time.Unix(1_772_366_400, 0)
	for text, want := range map[string]struct{ from, through, until time.Time }{
		"1772366400": {second, second.Add(time.Second), second.Add(time.Microsecond)},
		"1772366400.5": {second.Add(time.Second / 2), second.Add(time.Second/2 + time.Microsecond),
			second.Add(time.Second/2 + time.Microsecond)},
		"1.7723664e9": {second, second.Add(time.Second), second.Add(time.Microsecond)},
		"1772366400123": {second.Add(123 * time.Millisecond), second.Add(124 * time.Millisecond),
			second.Add(124 * time.Millisecond)},
		"1772366400123456": {second.Add(123456 * time.Microsecond), second.Add(123457 * time.Microsecond),
			second.Add(123457 * time.Microsecond)},
		" 1772366400\n":     {second, second.Add(time.Second), second.Add(time.Microsecond)},
		"0":                 {},
		"-3093527980800000": {},
		"-1":                {},
	} {
		m, ok := ParseMoment(text)
		if !ok || !m.From().Equal(want.from) || !m.Through().Equal(want.through) || !m.Until().Equal(want.until) {
			t.Errorf("%q is %v: %v, %v, %v; want %v", text, ok, m.From().UTC(), m.Through().UTC(), m.Until().UTC(),
				want)
		}
	}
	for _, text := range []string{"", "x", "NaN", "12 34", "1772366400 OR 1=1", "0x"} {
		if m, ok := ParseMoment(text); ok {
			t.Errorf("%q is %v", text, m)
		}
	}
	// "Everything", as clients say it.
	for _, text := range []string{"9223372036854775", "9223372036854775807", "999999999999999999999999", "1e300",
		"+Inf", "999999999999", "999999999999999"} {
		m, ok := ParseMoment(text)
		if year := m.From().Year(); !ok || year < 2255 || m.From().After(time.UnixMicro(latest)) {
			t.Errorf("%q is %v, in %d", text, ok, year)
		}
	}
}

func TestDates(t *testing.T) {
	arrived := time.Unix(1_772_366_400, 0)
	for _, claimed := range []time.Time{{}, time.Unix(0, 0), time.Unix(-5, 0), arrived.Add(time.Second),
		time.Unix(1<<40, 0)} {
		if got := DateOf(claimed, arrived); !got.Equal(arrived) {
			t.Errorf("an item of %v has the date %v", claimed, got)
		}
	}
	if claimed := arrived.Add(-time.Hour); !DateOf(claimed, arrived).Equal(claimed) {
		t.Error("a good date is not kept")
	}
}

func FuzzMoment(f *testing.F) {
	for _, seed := range []string{"0", "1772366400", "1772366400.25", "1772366400123456", "1e99", "-1", "NaN", "Inf"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, ok := ParseMoment(text)
		if !ok || m.From().IsZero() {
			return
		}
		if m.From().Unix() < 0 || m.Through().Before(m.From()) || m.Until().After(m.Through()) {
			t.Errorf("%q is %v", text, m)
		}
	})
}

func TestBounds(t *testing.T) {
	for text, want := range map[string]int64{
		"5": 5, "1000000042": 1_000_000_042, "2147483647": LastNumber, "9007199254740991": LastNumber + 1, "-4": 0,
		"0": 0, "00005": 5,
		"99999999999999999999999999": LastNumber + 1,
	} {
		if got, ok := ParseBound(text); !ok || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", "x", "1x", "1.5", "--1"} {
		if got, ok := ParseBound(text); ok {
			t.Errorf("%q is %d", text, got)
		}
	}
}

func TestLinks(t *testing.T) {
	f := Feed{URL: "https://example.org/rss", Site: "https://example.org/"}
	for address, want := range map[string]string{
		"https://example.org/1": "https://example.org/1",
		"HTTP://example.org/1":  "HTTP://example.org/1",
		"javascript:alert(1)":   "https://example.org/#item-1000000042",
		"":                      "https://example.org/#item-1000000042",
		"http:opaque":           "https://example.org/#item-1000000042",
		"data:text/html,x":      "https://example.org/#item-1000000042",
		"//example.org/1":       "https://example.org/#item-1000000042",
	} {
		if got := LinkOf(Item{Number: 1_000_000_042, URL: address}, f); got != want {
			t.Errorf("an item at %q has the link %q", address, got)
		}
	}
}
