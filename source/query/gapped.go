package query

import "unicode/utf8"

// gapped finds a part with _ within it: bit i of its state says that the text read so far ends with the part's first
// i+1 characters.
type gapped struct {
	runes int
	any   []uint64          // the places of _
	many  map[rune][]uint64 // of characters with as many places as there are words: these, and those of _
	few   map[rune][]int32  // the places of the others
}

// stopEvery is how many characters are read between two looks at the clock.
const stopEvery = 1 << 14

// newGapped reads steps, which begin and end with a byte.
func newGapped(steps []rune) *gapped {
	g := &gapped{many: make(map[rune][]uint64), few: make(map[rune][]int32)}
	var wild []int32
	for i := 0; i < len(steps); {
		at := int32(g.runes)
		g.runes++
		if steps[i] == anyRune {
			wild = append(wild, at)
			i++
			continue
		}
		var char []byte
		for len(char) == 0 || i < len(steps) && steps[i] != anyRune && !utf8.RuneStart(byte(steps[i])) {
			char = append(char, byte(steps[i]))
			i++
		}
		r, _ := utf8.DecodeRune(char)
		g.few[r] = append(g.few[r], at)
	}
	words := (g.runes + 63) / 64
	g.any = bitsOf(wild, words)
	for r, places := range g.few {
		if len(places) >= words {
			g.many[r] = bitsOf(append(places, wild...), words)
			delete(g.few, r)
		}
	}
	return g
}

func bitsOf(places []int32, words int) []uint64 {
	bits := make([]uint64, words)
	for _, i := range places {
		bits[i/64] |= 1 << (i % 64)
	}
	return bits
}

// find returns where the first occurrence ends that begins at a place or behind it; none, also once stop returns true.
func (g *gapped) find(text string, from int, stop func() bool) int {
	state := make([]uint64, len(g.any))
	last, bit := (g.runes-1)/64, uint64(1)<<((g.runes-1)%64)
	for at, n := from, 1; at < len(text); n++ {
		if n%stopEvery == 0 && stop() {
			return none
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 {
			r = -1 // no character: it is like none of the part
		}
		at += size
		if g.step(state, r); state[last]&bit != 0 {
			return at
		}
	}
	return none
}

// step moves the state behind a character.
func (g *gapped) step(state []uint64, r rune) {
	mask := g.many[r]
	var places []int32
	if mask == nil {
		mask = g.any
		places = g.reached(state, r)
	}
	carry := uint64(1) // the part can begin at any character
	mask = mask[:len(state)]
	for w, bits := range state {
		state[w] = (bits<<1 | carry) & mask[w]
		carry = bits >> 63
	}
	for _, i := range places {
		state[i/64] |= 1 << (i % 64)
	}
}

// reached returns those of the few places of a character up to which the text is as the part.
func (g *gapped) reached(state []uint64, r rune) (places []int32) {
	for _, i := range g.few[r] {
		if i == 0 || state[(i-1)/64]>>((i-1)%64)&1 == 1 {
			places = append(places, i)
		}
	}
	return places
}
