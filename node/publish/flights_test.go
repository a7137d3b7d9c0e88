package publish

import (
	"fmt"
	"slices"
	"testing"

	"tidings/network/engine"
	"tidings/view"
)

// An item is sent once until it is forgotten, arrives with its first node, and is sent no more after that.
func TestFlights(t *testing.T) {
	one, two := engine.ID{1}, engine.ID{2}
	f := newFlights()
	items := []view.IssuedItem{{Number: 7}}
	f.expect(items)
	first, end := f.await(7)
	if !f.awaited() {
		t.Error("nobody waits")
	}
	if !f.depart(7) || f.depart(7) {
		t.Error("it is not sent just once")
	}
	f.expect(items) // changes nothing
	f.forget()
	if !f.depart(7) {
		t.Error("it is not sent again")
	}
	news := f.news.Wait()
	f.arrived(7, one)
	<-first
	<-news
	f.arrived(7, one)
	f.arrived(7, two)
	f.arrived(8, one) // it was never sent
	f.forget()
	if f.depart(7) {
		t.Error("it is sent again though others have it")
	}
	if f.count(items); items[0].Nodes != 2 {
		t.Errorf("%d nodes have it", items[0].Nodes)
	}
	taken := f.arrivals()
	if !slices.Equal(taken, []uint64{7}) || len(f.arrivals()) > 0 {
		t.Errorf("arrived are %v", taken)
	}
	f.depart(10)
	f.arrived(10, one) // while it was being kept that 7 has
	f.restore(taken)
	if taken := f.arrivals(); !slices.Equal(taken, []uint64{7, 10}) {
		t.Errorf("arrived and put back are %v", taken)
	}
	if end(); f.awaited() {
		t.Error("somebody waits")
	}
	if first, end := f.await(9); first != nil {
		t.Error("an item that nobody sends is on its way")
	} else {
		end()
	}
}

// Flights that ended long ago are forgotten; those that did not end are kept.
func TestFlightsAreBounded(t *testing.T) {
	f := newFlights()
	f.depart(1)
	const all = 100 * maxFlights
	for number := uint64(2); number <= all; number++ {
		f.depart(number)
		f.arrived(number, engine.ID{1})
	}
	if n := len(f.flying); n > 8*maxFlights+1 {
		t.Errorf("%d flights are remembered", n)
	}
	for _, number := range []uint64{1, all} {
		if f.flying[number] == nil {
			t.Error(fmt.Sprint("flight ", number, " is forgotten"))
		}
	}
}
