// Package cluster runs many whole nodes in one process, on loopback: a live network to look at,
// to measure and to test. The demonstration is one, and experiments are.
package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"tidings/node"
	"tidings/view"
)

// Config says what a cluster is like. Start from Default.
type Config struct {
	Nodes  int          // 1 to MaxNodes
	HTTP   string       // address of the first node's page; the others use any free port
	Dir    string       // of all data; must exist
	Seed   uint64       // of the choice by which node each joins
	Logger *slog.Logger // of the first node; nil: as the others. Their errors are counted (see Cluster.Failures)

	// Change, if not nil, says what else the i-th node is to be like than members of a cluster usually are. It is
	// called at each start of the node, for several nodes at a time.
	Change func(i int, c *node.Config)
}

// MaxNodes bounds a cluster. A node needs about 10 MB and as many connections as it has neighbours and contacts.
const MaxNodes = 500

// Default returns the cluster of the papers' deployments, without a directory.
func Default() Config {
	return Config{Nodes: 60, HTTP: "127.0.0.1:7600", Seed: 1}
}

// Cluster is a running network. Its methods are for one goroutine.
type Cluster struct {
	config   Config
	members  []*Member
	chance   *rand.Rand
	failures failures
}

// Start starts the nodes, each joining by one that runs already: half of them are there
// when the other half comes. It returns when all listen; the ring may still be forming (see
// Await). On an error all are stopped.
func Start(ctx context.Context, c Config) (_ *Cluster, err error) {
	if c.Nodes < 1 || c.Nodes > MaxNodes {
		return nil, fmt.Errorf("starting a cluster: %d nodes are not between 1 and %d", c.Nodes, MaxNodes)
	}
	cluster := &Cluster{config: c, chance: rand.New(rand.NewPCG(c.Seed, 0))}
	defer func() {
		if err != nil {
			err = errors.Join(err, cluster.Close())
		}
	}()
	for len(cluster.members) < c.Nodes {
		wave := min(max(len(cluster.members), 1), c.Nodes-len(cluster.members), maxWave)
		if err := cluster.grow(ctx, wave); err != nil {
			return nil, err
		}
	}
	return cluster, nil
}

// maxWave is how many nodes start at a time.
const maxWave = 16

// grow starts so many more nodes at the same time.
func (c *Cluster) grow(ctx context.Context, wave int) error {
	old := len(c.members)
	var starting errgroup.Group
	for i := range wave {
		m, err := c.newMember(ctx, old+i, old)
		if err != nil {
			return errors.Join(err, starting.Wait())
		}
		c.members = append(c.members, m)
		starting.Go(func() error {
			if err := m.Start(ctx); err != nil {
				return fmt.Errorf("starting node %d of a cluster: %w", old+i, err)
			}
			return nil
		})
	}
	return starting.Wait()
}

// Add starts one more node, which joins by one that runs.
func (c *Cluster) Add(ctx context.Context) (*Member, error) {
	running := slices.IndexFunc(c.members, func(m *Member) bool { return m.node == nil })
	if running < 0 {
		running = len(c.members)
	}
	m, err := c.newMember(ctx, len(c.members), running)
	if err != nil {
		return nil, err
	}
	if err := m.Start(ctx); err != nil {
		return nil, fmt.Errorf("starting one more node of a cluster: %w", err)
	}
	c.members = append(c.members, m)
	return m, nil
}

// newMember makes the i-th node, which joins by one of the first ones that run.
func (c *Cluster) newMember(ctx context.Context, i, running int) (*Member, error) {
	m := &Member{
		Data: filepath.Join(c.config.Dir, fmt.Sprintf("node-%03d", i)), HTTP: "127.0.0.1:0",
		log: c.failures.logger(i),
	}
	if c.config.Change != nil {
		m.change = func(config *node.Config) { c.config.Change(i, config) }
	}
	if i == 0 {
		m.HTTP, m.log = c.config.HTTP, cmp.Or(c.config.Logger, m.log)
		return m, nil
	}
	by, err := c.members[c.chance.IntN(running)].Address(ctx)
	m.Join = []string{by}
	return m, err
}

// Members returns the nodes, in the order of their start.
func (c *Cluster) Members() []*Member { return c.members }

// Failures returns what the nodes have logged as errors, without the first node if it has a log of its own. It may
// be called after Close.
func (c *Cluster) Failures() Failures { return c.failures.all() }

// Close stops all nodes, at once. Of several that did not stop in good order it names one.
func (c *Cluster) Close() error {
	for _, m := range c.members {
		m.cancel()
	}
	failed := 0
	var first error
	for _, m := range c.members {
		if err := m.Stop(); err != nil {
			failed++
			first = cmp.Or(first, err)
		}
	}
	if failed > 1 {
		return fmt.Errorf("%d nodes did not stop in good order; one of them: %w", failed, first)
	}
	return first
}

// Await waits until the running nodes form one correct ring: each one's neighbours are
// those that are closest to it on either side. It returns how it stood when ctx ended.
func (c *Cluster) Await(ctx context.Context) error {
	return AwaitRing(ctx, func() (views []view.Network, err error) {
		for _, m := range c.members {
			if m.node == nil {
				continue
			}
			network, err := m.node.Network(ctx)
			if err != nil {
				return nil, err
			}
			views = append(views, network)
		}
		return views, nil
	})
}
