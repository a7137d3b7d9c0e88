package campaign

import (
	"bytes"
	"context"
	"slices"
	"time"
)

// Shrink returns a smaller world in which the same oracle fails: with fewer faults, nodes, channels, seconds. It tries
// the largest reductions first. It ends when nothing more can be removed, or when ctx is done.
func Shrink(ctx context.Context, w *World, oracle string) *World {
	return shrink(ctx, w, func(small *World) bool {
		o, err := Run(ctx, small)
		return err == nil && has(o.Failures, oracle)
	})
}

// shrink is Shrink by any property.
func shrink(ctx context.Context, w *World, fails func(*World) bool) *World {
	for smaller := true; smaller; {
		smaller = false
		for _, cut := range []func(*World, func(*World) bool) *World{cutKinds, cutNodes, cutTimes, cutFaults,
			cutPublishers, cutChannels, cutSettings} {
			next := cut(w, func(small *World) bool {
				return ctx.Err() == nil && small.Validate() == nil && fails(small)
			})
			if next != w {
				w, smaller = next, true
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return w
}

// try returns what change makes of a world if that is another one and fails, else the world.
func try(w *World, fails func(*World) bool, change func(*World)) *World {
	small := w.clone()
	change(small)
	if !bytes.Equal(small.Scene(), w.Scene()) && fails(small) {
		return small
	}
	return w
}

// cutKinds leaves out all faults of a kind.
func cutKinds(w *World, fails func(*World) bool) *World {
	for _, k := range Kinds() {
		if slices.ContainsFunc(w.Faults, func(f Fault) bool { return f.Kind == k }) {
			w = try(w, fails, func(small *World) {
				small.Faults = slices.DeleteFunc(small.Faults, func(f Fault) bool { return f.Kind == k })
				if k == Join {
					small.Late = 0
				}
			})
		}
	}
	return w
}

// cutFaults leaves out runs of faults, long ones first.
func cutFaults(w *World, fails func(*World) bool) *World {
	for size := len(w.Faults) / 2; size > 0; size /= 2 {
		for at := 0; at < len(w.Faults); {
			small := try(w, fails, func(small *World) {
				small.Faults = slices.Delete(small.Faults, at, min(at+size, len(small.Faults)))
			})
			if small == w {
				at += size
			}
			w = small
		}
	}
	return w
}

// cutNodes leaves out nodes, and what befalls them.
func cutNodes(w *World, fails func(*World) bool) *World {
	for _, share := range []int{2, 4, 8, 16} {
		for nodes := max(MinNodes, w.Nodes-max(1, w.Nodes/share)); nodes < w.Nodes; nodes = max(MinNodes,
			w.Nodes-max(1, w.Nodes/share)) {
			small := try(w, fails, func(small *World) { small.keep(nodes) })
			if small == w {
				break
			}
			w = small
		}
	}
	return w
}

// keep leaves so many nodes.
func (w *World) keep(nodes int) {
	w.Late = min(w.Late, nodes/3)
	w.Nodes = nodes
	for i := range w.Channels {
		w.Channels[i].Readers = min(w.Channels[i].Readers, nodes)
	}
	w.Faults = slices.DeleteFunc(w.Faults, func(f Fault) bool { return f.Node >= nodes })
	w.Publishers = slices.DeleteFunc(w.Publishers, func(p Publisher) bool { return p.Node >= nodes-w.Late })
	for i := range w.Publishers {
		w.Publishers[i].Readers = min(w.Publishers[i].Readers, nodes-1)
	}
}

// cutPublishers leaves out publishers, and readers.
func cutPublishers(w *World, fails func(*World) bool) *World {
	for at := 0; at < len(w.Publishers); {
		small := try(w, fails, func(small *World) { small.Publishers = slices.Delete(small.Publishers, at, at+1) })
		if small == w {
			at++
		}
		w = small
	}
	for i := range w.Publishers {
		for w.Publishers[i].Readers > 1 {
			small := try(w, fails, func(small *World) { small.Publishers[i].Readers /= 2 })
			if small == w {
				break
			}
			w = small
		}
	}
	return w
}

// cutChannels leaves out channels, and readers.
func cutChannels(w *World, fails func(*World) bool) *World {
	for size := (len(w.Channels) + 1) / 2; size > 0; size /= 2 {
		for at := 0; at < len(w.Channels) && len(w.Channels) > 1; {
			small := try(w, fails, func(small *World) {
				small.Channels = slices.Delete(small.Channels, at, min(at+size, len(small.Channels)))
			})
			if small == w {
				at += size
			}
			w = small
		}
	}
	for i := range w.Channels {
		for w.Channels[i].Readers > 1 {
			small := try(w, fails, func(small *World) { small.Channels[i].Readers /= 2 })
			if small == w {
				break
			}
			w = small
		}
	}
	return w
}

// cutTimes makes the phases shorter.
func cutTimes(w *World, fails func(*World) bool) *World {
	for _, change := range []func(*World){
		func(small *World) { small.shorten((small.Storm / 2).whole()) },
		func(small *World) { small.Calm = (small.Calm / 2).whole() },
		func(small *World) { small.Interval = (small.Interval / 2).whole() },
	} {
		for {
			small := try(w, fails, change)
			if small == w {
				break
			}
			w = small
		}
	}
	return w
}

// whole leaves out parts of a second.
func (s Seconds) whole() Seconds { return Seconds(s.D().Truncate(time.Second)) }

// shorten ends the first phase sooner.
func (w *World) shorten(storm Seconds) {
	w.Storm = storm
	w.Faults = slices.DeleteFunc(w.Faults, func(f Fault) bool { return f.At > storm.D() })
}

// cutSettings makes a world plainer.
func cutSettings(w *World, fails func(*World) bool) *World {
	if w.Private {
		w = try(w, fails, func(small *World) { small.Private = false })
	}
	if w.Wire {
		w = try(w, fails, func(small *World) { small.Wire = false })
	}
	if w.Zoned != 0 {
		w = try(w, fails, func(small *World) { small.Zoned = 0 }) // makes no sense while there are many nodes
	}
	if w.Latency != constant {
		w = try(w, fails, func(small *World) { small.Latency = constant })
	}
	if w.Policy != "lite" {
		w = try(w, fails, func(small *World) { small.Policy = "lite" })
	}
	return w
}
