package column

import (
	"errors"
	"strings"
	"testing"

	"tidings/store/db"
)

// A packed text that is cut off or changed is known to be damaged, and not mistaken for an empty one.
func TestADamagedTextIsKnown(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a text that is long enough to be packed, ", 100)
	whole := Pack(text)
	if got, err := Unpack(whole); err != nil || got != text || whole[0] != packedZstd {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	for n := 2; n < len(whole); n++ {
		if got, err := Unpack(whole[:n]); !errors.Is(err, db.ErrDamaged) {
			t.Errorf("of %d bytes the first %d are read as %d, %v", len(whole), n, len(got), err)
		}
	}
}
