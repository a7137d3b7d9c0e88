package archive_test

import (
	"testing"
	"time"

	"tidings/network/archive"
	"tidings/network/engine/enginetest"
)

// A configuration is accepted with each bounded field at either end of its bound, and refused with it one beyond.
func TestBoundsOfConfig(t *testing.T) {
	c := archive.Default()
	enginetest.CheckConfig(t, c, enginetest.Bounds{
		"Compare":       {1, int64(24 * time.Hour)},
		"Again":         {1, int64(24 * time.Hour)},
		"Patience":      {1, int64(24 * time.Hour)},
		"Replicas":      {1, 8},
		"Ways":          {1, 64},
		"Parallel":      {1, 1 << 10},
		"Pulls":         {1, 64},
		"ServeRate":     {1, 1 << 30},
		"ServeBurst":    {int64(c.MaxItem), 1 << 30},
		"MaxItem":       {1, 640 << 10},
		"MaxBytes":      {int64(max(int64(c.MaxItem), c.MaxTopicBytes)), 1 << 50},
		"MaxTopicBytes": {int64(c.MaxItem), int64(c.MaxBytes)},
		"MaxItems":      {1, 1 << 24},
		"MaxFinds":      {1, 1 << 20},
		"MaxInserts":    {1, 1 << 16},
		"MaxOffers":     {1, 1 << 16},
		"MaxWanted":     {1, 1 << 20},
		"MaxServing":    {1, 1 << 16},
	})
}

// A node that keeps nothing has no bound for items, and none for topics.
func TestANodeThatKeepsNothing(t *testing.T) {
	c := archive.Default()
	c.MaxBytes, c.MaxTopicBytes = 0, 0
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	if c.MaxTopicBytes = 1; c.Validate() == nil {
		t.Error("a topic may have more than all")
	}
}
