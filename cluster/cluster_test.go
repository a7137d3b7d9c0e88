package cluster

import (
	"context"
	"testing"
	"time"

	"tidings/lab/effort"
)

// Nodes of which none has all others in its leaf set form a correct ring; five of them leave, and come back.
func TestNodesFormARing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts some twenty nodes, or sixty")
	}
	c := Default()
	if c.Nodes = 24; effort.All() {
		c.Nodes = 60
	}
	c.HTTP, c.Dir = "127.0.0.1:0", t.TempDir()
	began := time.Now()
	cluster, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := cluster.Close(); err != nil {
			t.Error(err)
		}
	}()
	t.Logf("%d nodes started after %v", c.Nodes, time.Since(began))
	await(t, cluster)
	t.Logf("one ring after %v", time.Since(began))
	for _, m := range cluster.Members()[10:15] {
		if err := m.Stop(); err != nil {
			t.Error(err)
		}
	}
	await(t, cluster)
	t.Logf("one ring without five after %v", time.Since(began))
	for _, m := range cluster.Members()[10:15] {
		if err := m.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	await(t, cluster)
	t.Logf("one ring again after %v", time.Since(began))
}

func await(t *testing.T, c *Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	if err := c.Await(ctx); err != nil {
		t.Fatal(err)
	}
}
