package pieces_test

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/pieces"
)

// A manifest comes back as it was, describes the content, and is short.
func TestManifest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.IntRange(1, 2<<20).Draw(t, "length")
		content := random(uint64(length), length)
		var read []byte
		m, err := pieces.Make(bytes.NewReader(content), int64(length), func(i int, piece []byte) error {
			read = append(read, piece...)
			return nil
		})
		if err != nil || !bytes.Equal(read, content) || len(m.Hashes) != m.Count() {
			t.Fatalf("%d bytes: %v", length, err)
		}
		back, err := pieces.ParseManifest(m.Bytes())
		if err != nil || back.Ref() != m.Ref() || back.Length != int64(length) {
			t.Fatalf("%d bytes: %+v, %v", length, back, err)
		}
		ref, err := pieces.ParseRef(m.Ref().String())
		if err != nil || ref != m.Ref() {
			t.Fatalf("%v: %v", m.Ref(), err)
		}
	})
}

func TestMakeRefuses(t *testing.T) {
	fails := errors.New("no room")
	for _, test := range []struct {
		name   string
		has    int
		length int64
		each   func(int, []byte) error
	}{
		{"nothing", 0, 0, nil},
		{"too much", 1, pieces.MaxContent + 1, nil},
		{"less than said", 10, 11, nil},
		{"more than said", 11, 10, nil},
		{"more, at the end of a piece", pieces.MinPiece + 1, pieces.MinPiece, nil},
		{"a failure to keep it", 10, 10, func(int, []byte) error { return fails }},
	} {
		if m, err := pieces.Make(bytes.NewReader(make([]byte, test.has)), test.length, test.each); err == nil {
			t.Errorf("%s: %+v", test.name, m)
		}
	}
}

// The largest content of a default size fits: 256 MiB in pieces of 256 KiB.
func TestPieceSizes(t *testing.T) {
	for _, test := range []struct {
		length       int64
		piece, count int
	}{{1, 64 << 10, 1}, {16 << 20, 64 << 10, 256}, {16<<20 + 1, 128 << 10, 129}, {256 << 20, 256 << 10, 1024}} {
		content := bytes.NewReader(make([]byte, test.length))
		m, err := pieces.Make(content, test.length, nil)
		if err != nil || m.Piece != test.piece || m.Count() != test.count {
			t.Errorf("%d bytes: %d pieces of %d, %v", test.length, m.Count(), m.Piece, err)
		}
	}
}

// Whatever is read as a manifest is written again as it was.
func FuzzParseManifest(f *testing.F) {
	for _, length := range []int{1, pieces.MinPiece, 3*pieces.MinPiece + 1} {
		m, err := pieces.Make(bytes.NewReader(make([]byte, length)), int64(length), nil)
		if err != nil {
			f.Fatal(err)
		}
		b := m.Bytes()
		f.Add(b)
		f.Add(b[:len(b)-1])
		f.Add(append(bytes.Clone(b), b...))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := pieces.ParseManifest(b)
		if err != nil {
			if !errors.Is(err, pieces.ErrManifest) {
				t.Errorf("refused with %v", err)
			}
			return
		}
		if !bytes.Equal(m.Bytes(), b) {
			t.Errorf("%x becomes %x", b, m.Bytes())
		}
		total := int64(0)
		for i := range m.Count() {
			if size := m.SizeOf(i); size < 1 || size > m.Piece {
				t.Fatalf("piece %d has %d bytes", i, size)
			}
			total += int64(m.SizeOf(i))
		}
		if total != m.Length || m.Count() > pieces.MaxPieces {
			t.Errorf("%d pieces have %d bytes, of %d", m.Count(), total, m.Length)
		}
	})
}

// Beyond the end, and of what nobody has, no piece is there.
func TestBits(t *testing.T) {
	b := pieces.NewBits(10)
	b.Set(3)
	b.Set(9)
	if !b.Has(3) || !b.Has(9) || b.Has(4) || b.Has(100) || b.Count() != 2 || pieces.Bits(nil).Has(0) {
		t.Errorf("%08b", b)
	}
}
