package sim

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"tidings/network/engine"
)

// hash is a running hash of 64-bit words. It distinguishes runs; it is no protection.
type hash uint64

func newHash(seed uint64) hash { return hash(seed ^ 0x9e3779b97f4a7c15) }

func (h *hash) add(words ...uint64) {
	for _, w := range words {
		*h = h.with(w)
	}
}

func (h hash) with(word uint64) hash {
	x := (uint64(h) ^ word) * 0xff51afd7ed558ccd
	return hash(x ^ x>>32)
}

func (h hash) sum() uint64 { return uint64(h) }

func firstWord(id engine.ID) uint64 { return binary.BigEndian.Uint64(id[:]) }

// TraceHash returns the hash of everything that happened so far: of each event its time, its type and its nodes, of
// messages also kind, size and fate. Two runs with one hash are the same run.
func (w *World) TraceHash() uint64 { return w.hash.sum() }

// note is something that happens to a node or the network other than by an event. The values
// are part of the trace hash.
type note uint8

const (
	noteBoot note = iota
	noteCrash
	noteShutdown
	noteMove
	noteRestore
	noteDo
	noteRate
	noteWall
	noteCut
	noteHeal
	noteSleep
	noteWake
	noteDown
	notePrivate
	notePunch
	noteRelay
)

var notes = [...]string{
	noteBoot: "boots", noteCrash: "crashes", noteShutdown: "shuts down", noteMove: "moves",
	noteRestore: "is given a disk", noteDo: "is called", noteRate: "has another clock rate",
	noteWall: "has its wall clock set", noteCut: "links are cut", noteHeal: "links are healed",
	noteSleep: "sleeps", noteWake: "wakes", notePrivate: "is private", notePunch: "punches a hole",
	noteRelay: "has a place at a relay",
}

// note adds something in the trace.
func (w *World) note(what note, n Node, detail uint64) {
	w.hash.add(uint64(w.now), 1<<56|uint64(what)<<48|uint64(uint32(n)), detail)
	switch {
	case w.writer == nil || what == noteDown:
	case n == nobody:
		w.line("%s", notes[what])
	default:
		w.line("node %d %s", n, notes[what])
	}
}

// WriteTrace writes what happens from now on to out, for people to read, one event a line:
//
//	12.345000s node 3 -> 7 pastry.Join 120 B
//	12.345000s node 3 -> 7 pastry.Join 120 B: cut off
//	17.345000s node 3 peer 7 down
//	17.500000s node 7 boots
//
// It has no effect on the run. Errors of out are ignored. nil ends it.
func (w *World) WriteTrace(out io.Writer) {
	w.writer = out
	w.watched = out != nil || len(w.taps) > 0
}

func (w *World) line(format string, args ...any) {
	fmt.Fprintf(w.writer, "%s "+format+"\n", append([]any{seconds(w.now)}, args...)...)
}

// lineOf writes what became of a message.
func (w *World) lineOf(f Fate, p *delivery) {
	to := "nobody"
	if p.to != nobody {
		to = fmt.Sprint(p.to)
	}
	fate := ""
	if f != Received {
		fate = ": " + f.String()
	}
	name := w.config.Codec.Name(w.kinds.of[p.kind].kind)
	w.line("node %d -> %s %s %d B%s", p.from, to, name, p.size, fate)
}

// name returns how the trace calls a peer: by its number, or by its ID if it is nobody.
func (w *World) name(p engine.Peer) string {
	if n, ok := w.NodeAt(p); ok && w.node(n).id == p.ID {
		return fmt.Sprint(n)
	}
	return p.ID.Short()
}

func seconds(d time.Duration) string {
	return fmt.Sprintf("%d.%06ds", d/time.Second, d%time.Second/time.Microsecond)
}
