package fetch

import (
	"reflect"
	"testing"
	"time"

	"tidings"
)

// fullMemory has something in every field, so that a field forgotten by the codec shows.
func fullMemory() Memory {
	at := time.UnixMilli(1_790_000_000_123).UTC()
	return Memory{
		Phase: 1 << 31, Kind: tidings.KindFeed,
		ETag: `W/"0123-abc"`, LastModified: "Mon, 05 Jan 2026 10:00:00 GMT", ValidFor: "https://example.org/feed.xml",
		CacheControl: "public, max-age=3600", Expires: "Mon, 05 Jan 2026 11:00:00 GMT",
		FreshUntil: at, Sum: [32]byte{1, 2, 3},
		TTL: time.Hour, UpdatePeriod: 24 * time.Hour, SkipHours: 0b101, SkipDays: 0b1,
		LastRead: at.Add(1), LastFull: at.Add(time.Hour),
		Redirect: "https://example.com/feed.xml", RedirectCount: 2, RedirectSince: at.Add(2 * time.Hour),
		Failures: 3, FailingSince: at.Add(3 * time.Hour), Trouble: tidings.OutcomeMissing, Row: 2,
		RowSince: at.Add(4 * time.Hour),
		Changes:  7, NoDelta: true, DistrustUntil: at.Add(5 * time.Hour), Ended: "it was not found (404) for 37 days",
	}
}

func TestMemorySurvivesItsEncoding(t *testing.T) {
	m := fullMemory()
	m.LastRead = m.LastRead.Truncate(time.Millisecond)
	v := reflect.ValueOf(m)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Fatalf("field %s of the full memory is empty: nothing would be tested", v.Type().Field(i).Name)
		}
	}
	for name, want := range map[string]Memory{"full": m, "empty": {}} {
		got, err := Decode(want.Encode())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got  %+v\nwant %+v", name, got, want)
		}
	}
}

func TestMemoryOfAnOlderWriterIsRead(t *testing.T) {
	m := Memory{Phase: 9, Kind: tidings.KindFeed, ETag: `"x"`}
	older := []byte{memoryVersion, 9, 4, 'f', 'e', 'e', 'd', 3, '"', 'x', '"'}
	got, err := Decode(older)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, m) {
		t.Errorf("got %+v, want %+v", got, m)
	}
}

func TestDamagedMemoryIsRefused(t *testing.T) {
	m := fullMemory()
	whole := m.Encode()
	for _, b := range [][]byte{
		nil,
		{2},
		{memoryVersion, 0x80},
		{memoryVersion, 0, 200, 'a'},
		append([]byte{memoryVersion}, make([]byte, maxMemory)...),
	} {
		if got, err := Decode(b); err == nil {
			t.Errorf("%.20x: read as %+v", b, got)
		}
	}
	for cut := range whole { // no cut may panic, or give a memory that cannot be written again
		if got, err := Decode(whole[:cut]); err == nil {
			if _, err := Decode(got.Encode()); err != nil {
				t.Errorf("cut at %d: %v", cut, err)
			}
		}
	}
}

func FuzzDecodeMemory(f *testing.F) {
	full, empty := fullMemory(), Memory{}
	for _, seed := range [][]byte{full.Encode(), empty.Encode(), {memoryVersion, 9, 4, 'f', 'e', 'e', 'd'}} {
		if _, err := Decode(seed); err != nil {
			f.Fatalf("the seed %x cannot be read any more: %v", seed, err)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(b)
		if err != nil {
			return
		}
		again, err := Decode(m.Encode())
		if err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
		if !reflect.DeepEqual(m, again) {
			t.Fatalf("%+v became %+v", m, again)
		}
	})
}
