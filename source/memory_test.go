package source

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/source/fetch"
)

var someID = tidings.IDOf("https://origin.example/doc")

func TestMemoryIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := memory{
			accepted: rapid.Uint64().Draw(t, "accepted"),
			earlier:  rapid.SliceOfN(rapid.Uint64(), 0, maxEarlier).Draw(t, "earlier"),
			steady:   rapid.Uint8Range(0, steadyEnough).Draw(t, "steady"),

			unordered: rapid.Bool().Draw(t, "unordered"),
			reissued:  rapid.Bool().Draw(t, "reissued"),
			found:     time.Unix(rapid.Int64Range(1, 1<<40).Draw(t, "found"), 0),
			origin: fetch.Memory{
				ETag:    rapid.String().Draw(t, "etag"),
				Changes: rapid.IntRange(0, 1000).Draw(t, "changes"),
				Ended:   rapid.String().Draw(t, "ended"),
			},
		}
		got := remembered(m.encode(), someID)
		if got.accepted != m.accepted || !slices.Equal(got.earlier, m.earlier) || got.steady != m.steady ||
			got.origin != m.origin ||
			got.unordered != m.unordered || got.reissued != m.reissued || !got.found.Equal(m.found) {
			t.Fatalf("%+v is read as %+v", m, got)
		}
	})
}

// What cannot be read is as if the channel were new: a whole fetch, and no more.
func TestDamagedMemoryIsNone(t *testing.T) {
	m := memory{origin: fetch.NewMemory(someID), accepted: 7, earlier: []uint64{1, 2}, steady: 1}
	m.origin.ETag = `"1"`
	whole := m.encode()
	fresh := memory{origin: fetch.NewMemory(someID)}
	for name, damaged := range map[string][]byte{
		"none": nil, "empty": {}, "one byte": whole[:1], "cut in the prints": whole[:10],
		"cut before the origin": whole[:3+3*8], "another format": append([]byte{9}, whole[1:]...),
		"too many prints": append([]byte{memoryFormat, 0, maxEarlier + 2}, make([]byte, 8*(maxEarlier+2))...),
	} {
		got := remembered(damaged, someID)
		if got.origin != fresh.origin || got.accepted != 0 || len(got.earlier) != 0 || got.steady != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAcceptedContentIsRememberedForAWhile(t *testing.T) {
	var m memory
	for print := uint64(1); print <= 20; print++ {
		m.accept(print)
		m.accept(print)
	}
	if len(m.earlier) != maxEarlier || m.earlier[0] != 19 || m.comesBack(20) || !m.comesBack(19) ||
		m.comesBack(20-maxEarlier-1) {
		t.Errorf("%+v", m)
	}
	m.accept(15)
	if m.accepted != 15 || slices.Contains(m.earlier, 15) || m.earlier[0] != 20 {
		t.Errorf("after 15 came back: %+v", m)
	}
}

func TestForgetKeepsWhatOtherRulesDoNotTouch(t *testing.T) {
	m := memory{origin: fetch.NewMemory(someID), accepted: 7, earlier: []uint64{1, 2}, steady: 1}
	m.origin.ETag, m.origin.LastModified, m.origin.Sum = `"1"`, "yesterday", [32]byte{1}
	m.origin.LastRead, m.origin.Failures, m.origin.RedirectCount = time.Unix(1e9, 0).UTC(), 3, 2
	got := remembered(Forget(m.encode(), someID), someID)
	if got.accepted != 0 || got.origin.ETag != "" || got.origin.LastModified != "" || got.origin.Sum != [32]byte{} {
		t.Errorf("not forgotten: %+v", got)
	}
	if !got.origin.LastRead.Equal(m.origin.LastRead) || got.origin.Failures != 3 || got.origin.RedirectCount != 2 ||
		got.steady != 1 {
		t.Errorf("forgotten too: %+v", got)
	}
	if again := Forget(nil, someID); remembered(again, someID).origin != fetch.NewMemory(someID) {
		t.Errorf("nothing forgotten is %x", again)
	}
}

func FuzzRemembered(f *testing.F) {
	full := memory{origin: fetch.NewMemory(someID), accepted: 7, earlier: []uint64{1, 2}, steady: 2}
	full.origin.ETag = `"1"`
	seeds := [][]byte{nil, {memoryFormat}, {memoryFormat, 0, 1}, {memoryFormat, 255, 0, 1}, full.encode(),
		Forget(full.encode(), someID)}
	for i, seed := range seeds[4:] {
		if remembered(seed, someID).steady != 2 {
			f.Fatalf("seed %d cannot be read any more", i)
		}
	}
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m := remembered(text, someID)
		if len(m.earlier) > maxEarlier {
			t.Fatalf("%d earlier versions", len(m.earlier))
		}
		once := m.encode()
		again := remembered(once, someID)
		if !bytes.Equal(again.encode(), once) {
			t.Fatalf("%x is written as %x, and that as %x", text, once, again.encode())
		}
	})
}
