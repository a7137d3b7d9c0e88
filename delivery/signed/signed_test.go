package signed

import (
	"testing"

	"pgregory.net/rapid"
)

// A path stands for its address, and for that alone: not below another base, by another key, or for another address.
func TestPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOfN(rapid.Byte(), LeastKey, 40).Draw(t, "key")
		address, other := rapid.String().Draw(t, "address"), rapid.String().Draw(t, "other")
		p := New("/a/", key)
		path := p.Path(address)
		if got, ok := p.Address(path); !ok || got != address {
			t.Fatalf("%q: %q, %v", path, got, ok)
		}
		if _, ok := New("/b/", key).Address("/b/" + path[len("/a/"):]); ok {
			t.Fatal("it holds below another base")
		}
		if _, ok := New("/a/", append(key[:len(key)-1:len(key)-1], key[len(key)-1]+1)).Address(path); ok {
			t.Fatal("it holds by another key")
		}
		if forged := path[:len("/a/")+22] + "/" + encoding.EncodeToString([]byte(other)); other != address {
			if _, ok := p.Address(forged); ok {
				t.Fatal("it holds for another address")
			}
		}
	})
}
