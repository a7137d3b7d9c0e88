package sim

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"tidings/network/engine"
)

// places is where nodes live or lived. A place is never assigned to another node.
//
// Its address is its number, in four bytes, and zeros. All addresses are parts of few long strings. So they cost a node
// nothing beyond their bytes. Where the bytes lie says the place without reading them: a world of many nodes would have
// to wait for that, as they would be far away in memory.
type places struct {
	bytes  int      // of an address
	apart  uint     // addresses lie 1<<apart bytes apart
	homes  []Node   // by place
	inLine int32    // places before this one are those of the nodes of the same number
	blocks []string // each of twice as many places as the one before
	last   []byte   // the last of them, of which only what is no address yet is written
}

// firstPlaces is how many places the first block has.
const firstPlaces = 1024

func newPlaces(bytes int) places {
	return places{bytes: bytes, apart: uint(bits.Len(uint(bytes - 1)))}
}

// add makes a place for n to live at.
func (p *places) add(n Node) int32 {
	place := int32(len(p.homes))
	p.homes = append(p.homes, n)
	if int32(n) == place && p.inLine == place {
		p.inLine++
	}
	block, at := p.at(place)
	if block == len(p.blocks) {
		p.last = make([]byte, firstPlaces<<block<<p.apart)
		p.blocks = append(p.blocks, unsafe.String(&p.last[0], len(p.last)))
	}
	binary.BigEndian.PutUint32(p.last[at:], uint32(place))
	return place
}

// at returns in which block the address of a place lies, and where.
func (p *places) at(place int32) (block, at int) {
	i := uint(place) + firstPlaces
	block = bits.Len(i/firstPlaces) - 1
	return block, int(i-firstPlaces<<(block%64)) << (p.apart % 64)
}

// address returns the address of a place.
func (p *places) address(place int32) engine.Address {
	block, at := p.at(place)
	return engine.Address(p.blocks[block][at : at+p.bytes])
}

// home returns which node lives or lived at a place.
func (p *places) home(place int32) Node {
	if place < p.inLine {
		return Node(place)
	}
	return p.homes[place]
}

// find returns which place has an address.
func (p *places) find(a engine.Address) (place int32, ok bool) {
	if len(a) != p.bytes {
		return 0, false
	}
	if place, ok = p.lies(a); ok {
		return place, uint(place) < uint(len(p.homes))
	}
	place = int32(uint32(a[0])<<24 | uint32(a[1])<<16 | uint32(a[2])<<8 | uint32(a[3]))
	return place, uint(place) < uint(len(p.homes)) && a == p.address(place)
}

// lies returns of which place these bytes in memory are the address, if of any. A copy of an
// address, as one that came through the codec, lies elsewhere.
func (p *places) lies(a engine.Address) (place int32, ok bool) {
	first := uintptr(unsafe.Pointer(unsafe.StringData(string(a))))
	for i := len(p.blocks) - 1; i >= 0; i-- {
		block := p.blocks[i]
		at := first - uintptr(unsafe.Pointer(unsafe.StringData(block)))
		if at < uintptr(len(block)) {
			// So many places are in this block, and firstPlaces less in those before it.
			places := uintptr(len(block)) >> (p.apart % 64)
			nth := at >> (p.apart % 64)
			return int32(places - firstPlaces + nth), nth<<(p.apart%64) == at
		}
	}
	return 0, false
}
