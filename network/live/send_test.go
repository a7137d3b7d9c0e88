package live

import (
	"testing"
)

// Sizes of frames are those of their messages.
func TestUnframed(t *testing.T) {
	codec := testCodec()
	for _, n := range []int{0, 90, 116, 117, 118, 119, 120, 130, 16370, 16371, 16372, 16373, 16374, 16375, 16380, 100_000} {
		m := someNews(1, n)
		framed, err := codec.AppendFrame(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := unframed(len(framed)), codec.Size(m); got != want {
			t.Errorf("a frame of %d bytes is said to hold %d, not %d", len(framed), got, want)
		}
	}
}
