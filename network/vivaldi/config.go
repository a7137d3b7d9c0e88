package vivaldi

import (
	"fmt"
	"time"
)

// Config says how coordinates are found. Start from Default.
type Config struct {
	// Dimensions of the space, beside the height: the same for all nodes of a network.
	// On measured matrices two are a little worse, four and eight no better and found
	// later.
	Dimensions int

	// Flat leaves heights out: the plain Euclidean space of Rappel's paper (section 2.2), in which a straight way over
	// others is as long as the direct one. Round trips fit it less.
	Flat bool

	// Period is the time between two pings while the coordinate moves. Shorter finds it sooner and costs more messages;
	// it needs a hundred samples or two.
	Period time.Duration

	// Watch is the time between two pings once the coordinate is frozen, or has been updated SettleUpdates times. Where
	// delays vary it may never be still enough to freeze, and more samples do not make it better. It goes on moving.
	Watch         time.Duration
	SettleUpdates int

	// MaxPeers bounds the peers with remembered samples, about 200 bytes each. The one with the oldest last answer is
	// forgotten first. Fewer than 16 let single peers weigh much; more than 32 bring little accuracy.
	MaxPeers int

	// Samples is how many round trips to a peer are remembered. Their median counts, so
	// that single delays do not (Ledlie et al. 2006; serf uses 3).
	Samples int

	// MaxRTT is how long an answer is waited for, and the longest round trip that is
	// believed.
	MaxRTT time.Duration

	// CE and CC are how strongly one sample changes the error estimate and the
	// coordinate, at most (Vivaldi, section 3.4: 0.25 each).
	CE, CC float64

	// Filter bounds the effect of one sample. Where distance and round trip differ by more than Filter times the median
	// difference over all known peers, they count as differing by that. Lower holds liars down more and finds the
	// coordinate later.
	Filter float64

	// Outlier is how many times the median difference makes a sample count nothing at all.
	Outlier float64

	// MinPeers is how many peers must be known before the filter works, and before the coordinate freezes, if there are
	// so many. With fewer, a liar may be half of them.
	MinPeers int

	// FreezeError is the error estimate below which the coordinate can freeze, as a share
	// of round trips.
	FreezeError float64

	// FreezeMove is how little the coordinate must have moved for it to freeze, as a share of the median round trip,
	// over the last FreezeUpdates samples.
	FreezeMove    float64
	FreezeUpdates int

	// ThawError is the median error over all known peers at which a coordinate that is frozen, or has settled, moves
	// again. It has become wrong, say because the machine was carried elsewhere, and the session of the paper, in which
	// coordinates stay as they are, is over. Zero: never.
	ThawError float64
}

// Default returns the values of the papers where they give any, else those that were best
// on measured matrices.
func Default() Config {
	return Config{
		Dimensions: 3, Period: time.Second, Watch: 30 * time.Second, SettleUpdates: 256,
		MaxPeers: 32, Samples: 3, MaxRTT: 10 * time.Second,
		CE: 0.25, CC: 0.25, Filter: 2, Outlier: 8, MinPeers: 5,
		FreezeError: 0.3, FreezeMove: 0.1, FreezeUpdates: 64, ThawError: 0.8,
	}
}

// LandmarkCount is how many landmarks Rappel's deployment had (section 6.1.4).
const LandmarkCount = 18

// DefaultWithLandmarks returns the settings for nodes that ask landmarks alone: ten pings a second, so that the
// coordinate is there in a matter of seconds (Rappel, section 6.1.4).
func DefaultWithLandmarks() Config {
	c := Default()
	c.Period = 100 * time.Millisecond
	return c
}

// Validate reports which setting of c is not possible.
func (c Config) Validate() error {
	switch {
	case c.Dimensions < 1 || c.Dimensions > MaxDimensions:
		return fmt.Errorf("vivaldi: %d dimensions, want 1 to %d", c.Dimensions, MaxDimensions)
	case c.Period <= 0 || c.Watch <= 0 || c.MaxRTT <= 0 || c.MaxRTT > longest:
		return fmt.Errorf("vivaldi: Period, Watch and MaxRTT must be above 0, MaxRTT at most %v", longest)
	case c.MaxPeers < 1 || c.MaxPeers > 1024 || c.MinPeers < 1 || c.MinPeers > c.MaxPeers:
		return fmt.Errorf("vivaldi: %d to %d peers, want 1 to 1024", c.MinPeers, c.MaxPeers)
	case c.Samples < 1 || c.Samples > maxSamples:
		return fmt.Errorf("vivaldi: %d samples a peer, want 1 to %d", c.Samples, maxSamples)
	case !(c.CE > 0 && c.CE <= 1 && c.CC > 0 && c.CC <= 1):
		return fmt.Errorf("vivaldi: CE and CC must be above 0, and at most 1")
	case !(c.Filter > 0 && c.Outlier >= c.Filter && c.Outlier <= 1000):
		return fmt.Errorf("vivaldi: Filter must be above 0, Outlier no less and at most 1000")
	case c.SettleUpdates < 1:
		return fmt.Errorf("vivaldi: SettleUpdates must be at least 1")
	case c.FreezeUpdates < 1 || c.FreezeUpdates > 1024:
		return fmt.Errorf("vivaldi: FreezeUpdates must be 1 to 1024")
	case !(c.FreezeError >= 0 && c.FreezeMove >= 0 && c.ThawError >= 0):
		return fmt.Errorf("vivaldi: FreezeError, FreezeMove and ThawError must not be negative")
	}
	return nil
}
