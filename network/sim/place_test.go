package sim

import (
	"strings"
	"testing"

	"tidings/network/engine"
)

// An address is found by where its bytes lie, a copy of it by what they are.
func TestPlacesAreFound(t *testing.T) {
	t.Parallel()
	for _, bytes := range []int{4, 5, 28, 52, 64, 65} {
		p := newPlaces(bytes)
		seen := make(map[engine.Address]bool)
		for i := range int32(5000) {
			home := Node(i)
			if i >= 3000 {
				home = Node(i) / 2 // moved there
			}
			place := p.add(home)
			a := p.address(place)
			copied := engine.Address(strings.Clone(string(a)))
			if lies, ok := p.lies(a); !ok || lies != place {
				t.Fatalf("the bytes of place %d count as those of %d, %t", place, lies, ok)
			}
			if _, ok := p.lies(copied); ok {
				t.Fatalf("a copy of the address of place %d counts as the address", place)
			}
			for _, address := range []engine.Address{a, copied} {
				if found, ok := p.find(address); !ok || found != place || p.home(found) != home {
					t.Fatalf("the address of place %d leads to %d, %t", place, found, ok)
				}
			}
			if len(a) != bytes || seen[a] {
				t.Fatalf("place %d has the address %x", place, a)
			}
			seen[a] = true
		}
	}
}

// What is no address leads nowhere, wherever its bytes lie.
func TestNoPlaces(t *testing.T) {
	t.Parallel()
	p := newPlaces(52)
	for i := range Node(1500) {
		p.add(i)
	}
	block := p.blocks[1]
	for name, a := range map[string]string{
		"nothing":               "",
		"the start of one":      string(p.address(7))[:51],
		"more than one":         block[:53],
		"one not given yet":     block[(1500-firstPlaces)*64:][:52],
		"a part of two":         block[32:][:52],
		"a copy of a later one": "\x00\x00\x05\xdc" + strings.Repeat("\x00", 48),
		"a negative one":        "\xff\xff\xff\xff" + strings.Repeat("\x00", 48),
	} {
		if place, ok := p.find(engine.Address(a)); ok {
			t.Errorf("%s leads to %d", name, place)
		}
	}
}
