package feedtree

// recent remembers what came last by name, at most so much. What came first goes first.
type recent[K comparable, V any] struct {
	of    map[K]V
	order []K // a ring, once it is full
	next  int
	most  int
}

func newRecent[K comparable, V any](most int) recent[K, V] {
	return recent[K, V]{of: make(map[K]V), most: most}
}

func (r *recent[K, V]) get(k K) (v V, ok bool) {
	v, ok = r.of[k]
	return v, ok
}

// put remembers v by a name, instead of what had that name.
func (r *recent[K, V]) put(k K, v V) {
	if _, known := r.of[k]; !known {
		if len(r.order) < r.most {
			r.order = append(r.order, k)
		} else {
			delete(r.of, r.order[r.next])
			r.order[r.next] = k
			r.next = (r.next + 1) % r.most
		}
	}
	r.of[k] = v
}
