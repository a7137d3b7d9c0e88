package plan

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// The oracle of a dutyTable is a plain map.
func TestDutyTableAgainstMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := dutyTable{seed: rapid.Uint64().Draw(t, "seed")}
		model := make(map[engine.ID]uint64)
		most := rapid.SampledFrom([]uint32{3, 40, 400}).Draw(t, "channels")
		draw := func(t *rapid.T) (id engine.ID) {
			// Some IDs differ in a part that has no say in where the index is searched.
			k := rapid.Uint32Range(0, most).Draw(t, "channel")
			binary.BigEndian.PutUint32(id[:], k%3)
			binary.BigEndian.PutUint32(id[16:], k/3)
			return id
		}
		steps := map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				id := draw(t)
				if _, in := model[id]; in {
					return
				}
				model[id] = rapid.Uint64().Draw(t, "version")
				if p := r.add(duty{channel: machine.Channel{ID: id}, passed: model[id]}); p.channel.ID != id {
					t.Fatalf("added %v, got %v", id, p.channel.ID)
				}
			},
			"change": func(t *rapid.T) {
				if id := draw(t); r.find(id) != nil {
					model[id]++
					r.find(id).passed++
				}
			},
			"remove": func(t *rapid.T) {
				id := draw(t)
				delete(model, id)
				r.remove(id)
			},
			"": func(t *rapid.T) {
				if r.length != len(model) {
					t.Fatalf("%d entries, want %d", r.length, len(model))
				}
				for id, version := range model {
					if p := r.find(id); p == nil || p.channel.ID != id || p.passed != version {
						t.Fatalf("channel %v: %+v, want version %d", id, p, version)
					}
				}
				for i := range r.length {
					if p := r.at(i); r.find(p.channel.ID) != p {
						t.Fatalf("the entry at %d is not found", i)
					}
				}
				if p := r.find(draw(t)); p != nil && model[p.channel.ID] != p.passed {
					t.Fatalf("found %+v", p)
				}
			},
		}
		steps["add more"] = steps["add"]
		t.Repeat(steps)
	})
}

// Nodes hold a million entries: they are to stay small.
func TestDutyTableIsCompact(t *testing.T) {
	t.Parallel()
	if size := unsafe.Sizeof(duty{}); size > 72 {
		t.Errorf("an entry needs %d bytes, want 72", size)
	}
	var r dutyTable
	for i := range uint64(10_000) {
		var id engine.ID
		binary.BigEndian.PutUint64(id[12:], engine.Mix(i))
		r.add(duty{channel: machine.Channel{ID: id}})
	}
	bytes := uintptr(len(r.pages))*unsafe.Sizeof(dutyPage{}) + uintptr(r.index.Bytes())
	if each := float64(bytes) / float64(r.length); each > 90 {
		t.Errorf("an entry needs %.1f bytes with its part of the index", each)
	}
	for r.length > 0 {
		r.remove(r.at(r.length / 2).channel.ID)
	}
	if len(r.pages) > 2 {
		t.Errorf("%d pages are kept for nothing", len(r.pages))
	}
}
