package campaign

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind is a kind of fault.
type Kind string

// The kinds. Those of the network befall all messages; Node says where the others happen.
const (
	Loss      Kind = "loss"      // each message is lost with the chance Amount
	Duplicate Kind = "duplicate" // or comes twice
	Reorder   Kind = "reorder"   // or is late by up to a second, and overtaken
	Spike     Kind = "spike"     // or stalls its connection for 30 s
	Partition Kind = "partition" // the network falls into halves, by Amount
	OneWay    Kind = "oneway"    // the node is not heard by half of all others, by Amount
	Crash     Kind = "crash"     // the node comes back with its disk
	Amnesia   Kind = "amnesia"   // without it
	Move      Kind = "move"      // with it, at another address
	Pause     Kind = "pause"     // its process stands still
	Suspend   Kind = "suspend"   // its machine sleeps
	Slow      Kind = "slow"      // it spends Amount seconds on each message
	Wall      Kind = "wall"      // its calendar is wrong by Amount seconds
	Rate      Kind = "rate"      // its clocks run at Amount times the time
	Join      Kind = "join"      // all late nodes start, one after the other, within For
	Unfollow  Kind = "unfollow"  // the node follows nothing for a while
	Invent    Kind = "invent"    // the node says that origins serve what they do not
	Forge     Kind = "forge"     // the node changes updates that it sends
	Mute      Kind = "mute"      // the node passes no update on
)

// Kinds are all kinds.
func Kinds() []Kind {
	return []Kind{Loss, Duplicate, Reorder, Spike, Partition, OneWay, Crash, Amnesia, Move, Pause, Suspend, Slow, Wall,
		Rate, Join, Unfollow, Invent, Forge, Mute}
}

// lies reports whether a fault is a node that lies.
func (k Kind) lies() bool { return k == Invent || k == Forge || k == Mute }

// atNode reports whether a fault befalls one node.
func (k Kind) atNode() bool {
	return !slices.Contains([]Kind{Loss, Duplicate, Reorder, Spike, Partition, Join}, k)
}

// Fault is something that goes wrong from At, since the first phase began, for a time. What is still wrong at the end
// of the phase ends with it.
type Fault struct {
	At, For time.Duration
	Kind    Kind
	Node    int
	Amount  float64
}

// String writes the fault as "3m20s crash node=7 for=20s".
func (f Fault) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %s", f.At, f.Kind)
	if f.Kind.atNode() {
		fmt.Fprintf(&b, " node=%d", f.Node)
	}
	fmt.Fprintf(&b, " for=%v", f.For)
	if f.Amount != 0 {
		fmt.Fprintf(&b, " amount=%s", strconv.FormatFloat(f.Amount, 'g', -1, 64))
	}
	return b.String()
}

// MarshalText writes what String does.
func (f Fault) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (f *Fault) UnmarshalText(text []byte) (err error) {
	words := strings.Fields(string(text))
	if len(words) < 2 {
		return fmt.Errorf("%q is no fault: write it as \"3m20s crash node=7 for=20s\"", text)
	}
	read := Fault{Kind: Kind(words[1])}
	if read.At, err = time.ParseDuration(words[0]); err != nil {
		return fmt.Errorf("%q in %q is no time", words[0], text)
	}
	for _, word := range words[2:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "node":
			read.Node, err = strconv.Atoi(value)
		case "for":
			read.For, err = time.ParseDuration(value)
		case "amount":
			read.Amount, err = strconv.ParseFloat(value, 64)
		default:
			err = errors.New("it is not known")
		}
		if err != nil {
			return fmt.Errorf("%q in %q cannot be read", word, text)
		}
	}
	*f = read
	return nil
}

// validate returns what is wrong with the fault in a world.
func (f Fault) validate(w *World) error {
	least, most := amounts(f.Kind)
	switch {
	case !slices.Contains(Kinds(), f.Kind):
		return fmt.Errorf("there is no kind %q", f.Kind)
	case f.At < 0 || f.At > w.Storm.D() || f.For <= 0 || f.For > maxPhase:
		return errors.New("it begins outside of the first phase, or lasts too long")
	case f.Node < 0 || f.Node >= w.Nodes:
		return fmt.Errorf("there is no node %d", f.Node)
	case !(f.Amount >= least && f.Amount <= most):
		return fmt.Errorf("its amount does not lie between %v and %v", least, most)
	}
	return nil
}

// amounts returns between what the amount of a kind lies.
func amounts(k Kind) (least, most float64) {
	switch k {
	case Loss, Duplicate, Reorder, Spike, Partition, OneWay:
		return 0, 1
	case Slow:
		return 0, 10
	case Wall:
		return -1e6, 1e6
	case Rate:
		return 1.0 / 16, 16
	}
	return 0, 0
}
