package table

// Agenda keeps things in the order in which they fall due. It is a binary heap in which each
// thing knows its position, so that one can be moved or taken out.
type Agenda[T Dated[T]] struct{ heap []T }

// Dated is what stands in an agenda.
type Dated[T any] interface {
	Before(T) bool      // falls due before another; of two, one does
	AgendaSlot() *int32 // its place in the heap, counted from 1; 0: it stands in none
}

// Next returns what falls due first; false if there is nothing.
func (a *Agenda[T]) Next() (first T, ok bool) {
	if len(a.heap) == 0 {
		return first, false
	}
	return a.heap[0], true
}

// All returns everything, in no order. The agenda keeps the slice.
func (a *Agenda[T]) All() []T { return a.heap }

// Len returns how many things there are.
func (a *Agenda[T]) Len() int { return len(a.heap) }

// Put puts x where it belongs: for the first time, or anew after its time has changed.
func (a *Agenda[T]) Put(x T) {
	at := x.AgendaSlot()
	if *at == 0 {
		a.heap = append(a.heap, x)
		*at = int32(len(a.heap))
	}
	a.down(a.up(int(*at) - 1))
}

// Remove takes x out, if it is in.
func (a *Agenda[T]) Remove(x T) {
	at := x.AgendaSlot()
	if *at == 0 {
		return
	}
	i, last := int(*at)-1, len(a.heap)-1
	a.swap(i, last)
	var none T
	a.heap[last] = none
	a.heap = a.heap[:last]
	*at = 0
	if i < last {
		a.down(a.up(i))
	}
}

func (a *Agenda[T]) up(i int) int {
	for i > 0 {
		parent := (i - 1) / 2
		if !a.heap[i].Before(a.heap[parent]) {
			break
		}
		a.swap(i, parent)
		i = parent
	}
	return i
}

func (a *Agenda[T]) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(a.heap) {
			return
		}
		if child+1 < len(a.heap) && a.heap[child+1].Before(a.heap[child]) {
			child++
		}
		if !a.heap[child].Before(a.heap[i]) {
			return
		}
		a.swap(i, child)
		i = child
	}
}

func (a *Agenda[T]) swap(i, j int) {
	a.heap[i], a.heap[j] = a.heap[j], a.heap[i]
	*a.heap[i].AgendaSlot(), *a.heap[j].AgendaSlot() = int32(i+1), int32(j+1)
}
