package corona

// agenda keeps things in the order in which they fall due. It is a binary heap in which each
// thing knows its position, so that one can be moved or taken out.
type agenda[T dated[T]] struct{ heap []T }

// dated is what stands in an agenda.
type dated[T any] interface {
	before(T) bool      // falls due before another; of two, one does
	agendaSlot() *int32 // its place in the heap, counted from 1; 0: it stands in none
}

// next returns what falls due first; false if there is nothing.
func (a *agenda[T]) next() (first T, ok bool) {
	if len(a.heap) == 0 {
		return first, false
	}
	return a.heap[0], true
}

// put puts x where it belongs: for the first time, or anew after its time has changed.
func (a *agenda[T]) put(x T) {
	at := x.agendaSlot()
	if *at == 0 {
		a.heap = append(a.heap, x)
		*at = int32(len(a.heap))
	}
	a.down(a.up(int(*at) - 1))
}

// remove takes x out, if it is in.
func (a *agenda[T]) remove(x T) {
	at := x.agendaSlot()
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

func (a *agenda[T]) up(i int) int {
	for i > 0 {
		parent := (i - 1) / 2
		if !a.heap[i].before(a.heap[parent]) {
			break
		}
		a.swap(i, parent)
		i = parent
	}
	return i
}

func (a *agenda[T]) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(a.heap) {
			return
		}
		if child+1 < len(a.heap) && a.heap[child+1].before(a.heap[child]) {
			child++
		}
		if !a.heap[child].before(a.heap[i]) {
			return
		}
		a.swap(i, child)
		i = child
	}
}

func (a *agenda[T]) swap(i, j int) {
	a.heap[i], a.heap[j] = a.heap[j], a.heap[i]
	*a.heap[i].agendaSlot(), *a.heap[j].agendaSlot() = int32(i+1), int32(j+1)
}
