package xmpp

import "time"

// Bounds on what waits for another node.
const (
	maxWatched = 20_000      // targets with a held message
	maxOpen    = 256         // commands that another node is to answer
	openTime   = time.Minute // in which it is to do that
	maxRecent  = 500         // commands that are known again if they come twice
)

// watchers are messages that this node holds while another one may send them. The zero value has none. Its methods are
// called by one goroutine at a time.
type watchers struct{ by map[int64]watcher }

type watcher struct {
	address string
	again   func()
}

// add registers again, to be called when an address's message may go on. It is for a target that has one message at a
// time. It reports whether there is room.
func (w *watchers) add(target int64, address string, again func()) bool {
	if _, known := w.by[target]; !known && len(w.by) >= maxWatched {
		return false
	}
	if w.by == nil {
		w.by = make(map[int64]watcher)
	}
	w.by[target] = watcher{address, again}
	return true
}

// remove removes the watchers of an address, and returns what they want called.
func (w *watchers) remove(address string) (again []func()) {
	for target, x := range w.by {
		if x.address == address {
			again = append(again, x.again)
			delete(w.by, target)
		}
	}
	return again
}

// removeAll is remove for all addresses.
func (w *watchers) removeAll() (again []func()) {
	for _, x := range w.by {
		again = append(again, x.again)
	}
	w.by = nil
	return again
}

// openCommands are commands that another node is to answer, in the order in which they came. The zero value has none.
// Its methods are called by one goroutine at a time.
type openCommands struct{ all []openCommand }

type openCommand struct {
	request
	at time.Time
}

// add adds a command that arrived now. It removes the oldest ones to make room, and all that are out of time.
func (o *openCommands) add(r request, now time.Time) {
	for len(o.all) > 0 && (len(o.all) >= maxOpen || now.Sub(o.all[0].at) > openTime) {
		o.all = o.all[1:]
	}
	o.all = append(o.all, openCommand{r, now})
}

// answered removes the oldest command of an address: answers come in the order of commands.
func (o *openCommands) answered(bare string) {
	for i, c := range o.all {
		if c.bare == bare {
			o.all = append(o.all[:i:i], o.all[i+1:]...)
			return
		}
	}
}

// remove removes the commands that this node is to answer after all, and returns them. It also removes those that are
// out of time.
func (o *openCommands) remove(mine func(bare string) bool, now time.Time) (removed []request) {
	var rest []openCommand
	for _, c := range o.all {
		switch {
		case now.Sub(c.at) > openTime:
		case mine(c.bare):
			removed = append(removed, c.request)
		default:
			rest = append(rest, c)
		}
	}
	o.all = rest
	return removed
}

// recent are the names of the last commands. The zero value has none. Its methods are called by one goroutine at a
// time.
type recent struct {
	known map[string]bool
	order []string // the oldest first
}

// twice reports whether a name has come before, and notes it.
func (r *recent) twice(name string) bool {
	if r.known[name] {
		return true
	}
	if r.known == nil {
		r.known = make(map[string]bool)
	}
	if len(r.order) >= maxRecent {
		delete(r.known, r.order[0])
		r.order = r.order[1:]
	}
	r.known[name] = true
	r.order = append(r.order, name)
	return false
}

// maxStrikes is how many answers in a row may be missing before a node counts as gone.
const maxStrikes = 3

// strikes are the answers in a row that are missing, by node.
type strikes map[string]int

// asked notes whether a node has answered a request, and reports whether it counts as gone now.
func (s strikes) asked(node string, answered bool) (gone bool) {
	if !answered {
		if s[node]++; s[node] < maxStrikes {
			return false
		}
	}
	delete(s, node)
	return !answered
}
