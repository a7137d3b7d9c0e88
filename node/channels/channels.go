package channels

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"tidings"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/source"
	"tidings/source/fetch"
	"tidings/store"
	"tidings/store/content"
	"tidings/store/shared"
)

// Config is what Channels work with.
type Config struct {
	Store     *store.Store
	Scheduler *source.Scheduler
	Poller    *source.Poller
	Entrance  *Entrance
	Queries   Queries
	Network   Network // nil: the node works without others
	// Polled is called with each poll that is stored; nil: none is reported.
	Polled   func(ctx context.Context, job source.Job, r source.Result)
	Log      *slog.Logger
	Interval time.Duration // between two polls of a channel without a wish of its origin
	Lab      bool          // private addresses count as public

	ImportPace    time.Duration // between the first polls of channels that are added together
	MaxSelections int           // queries and zones that are followed at a node
}

// Queries are the queries and zones that are followed here.
type Queries interface {
	// Refresh reads anew which are followed.
	Refresh(ctx context.Context) error
}

// Network is what a node's channels are to other nodes.
type Network interface {
	// Followed reports that the followers of a channel, or what others may know of them, may have changed. It does not
	// wait.
	Followed(url string)
	// Keeps reports whether a channel is polled here for others.
	Keeps(url string) bool
	// Shares reports whether a channel's content is compared with what other nodes see.
	Shares(id tidings.ChannelID) bool
	// Lock keeps others from changing a channel's content, until unlock is called.
	Lock(id engine.ID) (unlock func())
	// Prepare returns what is to be stored of a poll of such a channel, from what is stored of any. Report reports to
	// others what the poll has found, once that is stored. The caller holds the channel's lock.
	Prepare(job source.Job, r source.Result, record store.Record) store.Record
	Report(ctx context.Context, job source.Job, r source.Result, stored Stored)
	// Found notes what a poll shows of its channel's publisher.
	Found(ctx context.Context, job source.Job, r source.Result) error
	// MayFollowZone returns why people here cannot follow what is sent to a zone; nil: they can.
	MayFollowZone(ctx context.Context, p zone.Path) error
}

// Stored is what became of a poll of a channel that is compared with what other nodes see.
type Stored struct {
	Hash      shared.Hash // of the content that is there since; zero: the poll has changed nothing
	Overtaken bool        // another node's finding came first: the poll's change is left out
}

// Channels are what people here follow. They are safe for concurrent use.
type Channels struct {
	config     Config
	previews   *previews
	followUps  chan followUp
	detections detections
}

// New returns the channels of a node.
func New(c Config) *Channels {
	return &Channels{config: c, previews: newPreviews(), followUps: make(chan followUp, maxFollowUps)}
}

func (c *Channels) reviewed(url string) {
	if c.config.Network != nil {
		c.config.Network.Followed(url)
	}
}

func (c *Channels) keeps(url string) bool {
	return c.config.Network != nil && c.config.Network.Keeps(url)
}

// BackupWhy begins what a poll is called that this node makes in case others have missed something.
const BackupWhy = "a check in case the network has missed something"

// Recall puts under watch what anybody follows. Polls that became due while the node was away are spread, so that a
// restart is no storm. Where the interval has become shorter, polls to come are made sooner.
func (c *Channels) Recall(watches []content.Watch) {
	now := time.Now()
	for _, w := range watches {
		job := JobOf(w)
		switch {
		case w.Ended:
			job.Next = time.Time{}
		case strings.HasPrefix(w.Last.NextWhy, BackupWhy): // others polled; they may not any more
			job.Next = fetch.Resume(now, now, c.config.Interval, w.ID())
		default:
			sooner := c.config.Poller.Sooner(&job)
			job.Next = fetch.Resume(now, job.Next, c.config.Interval, w.ID())
			if sooner {
				job.Last.Next = job.Next
				c.config.Store.Content.Plan(w.URL, job.Next, job.Last.NextWhy)
			}
		}
		c.config.Scheduler.Add(job)
	}
}

// JobOf returns what the scheduler is to do about a channel that the store holds.
func JobOf(w content.Watch) source.Job {
	return source.Job{
		Channel: w.Channel, Access: w.Access,
		Memory: w.Memory, Noise: w.Noise, Next: w.Next, Last: w.Last, Failures: w.Failures, Ended: w.Ended,
	}
}
