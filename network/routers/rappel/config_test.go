package rappel

import (
	"math"
	"testing"

	"tidings/network/engine/enginetest"
)

// A configuration is accepted with each bounded field at either end of its bound, and refused with it one beyond.
func TestBoundsOfConfig(t *testing.T) {
	c := Default()
	enginetest.CheckConfig(t, c, enginetest.Bounds{
		"Audit":          {1, enginetest.Endless},
		"Ping":           {1, enginetest.Endless},
		"PingTimeout":    {1, enginetest.Endless},
		"Rejoin":         {1, enginetest.Endless},
		"RejoinSoon":     {1, enginetest.Endless},
		"JoinTimeout":    {1, enginetest.Endless},
		"JoinRetry":      {1, enginetest.Endless},
		"JoinSlow":       {1, enginetest.Endless},
		"Parting":        {1, enginetest.Endless},
		"Pull":           {1, enginetest.Endless},
		"Void":           {1, enginetest.Endless},
		"Inspect":        {1, enginetest.Endless},
		"Stagger":        {1, enginetest.Endless},
		"PublishRetry":   {1, enginetest.Endless},
		"Recent":         {1, enginetest.Endless},
		"Idle":           {1, enginetest.Endless},
		"PingRetry":      {0, enginetest.Endless},
		"Friends":        {1, 16},
		"Fans":           {1, 1024},
		"Candidates":     {1, 1 << 14},
		"Useful":         {0, 2},
		"Children":       {1, 16},
		"Forwards":       {1, 1024},
		"Cache":          {1, 64},
		"PullTries":      {1, 16},
		"StaggeredJoins": {0, 1024},
		"PublishTries":   {1, 16},
		"MaxTrees":       {1, 1 << 20},
		"MaxUntaken":     {1, 1 << 16},
		"PeerRate":       {1, 1 << 20},
		"PeerBurst":      {1, 1 << 20},
		"MaxMetered":     {1, 1 << 20},
	})
}

// A gain is a part, and the paper's configuration is one that can be.
func TestGainIsAPart(t *testing.T) {
	for gain, good := range map[float64]bool{-0.01: false, 0: true, 1: true, 1.01: false, math.NaN(): false} {
		c := Default()
		c.Gain = gain
		if (c.Validate() == nil) != good {
			t.Errorf("a gain of %v: accepted should be %v", gain, good)
		}
	}
	if err := Paper().Validate(); err != nil {
		t.Error(err)
	}
}
