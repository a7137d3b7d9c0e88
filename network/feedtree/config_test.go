package feedtree_test

import (
	"testing"

	"tidings/network/engine/enginetest"
	"tidings/network/feedtree"
)

// A configuration is accepted with each bounded field at either end of its bound, and refused with it one beyond.
func TestBoundsOfConfig(t *testing.T) {
	c := feedtree.Default()
	enginetest.CheckConfig(t, c, enginetest.Bounds{
		"Ahead":           {1, enginetest.Endless},
		"Lag":             {1, enginetest.Endless},
		"Grace":           {1, enginetest.Endless},
		"Hold":            {1, enginetest.Endless},
		"AskWait":         {1, enginetest.Endless},
		"ArchiveWait":     {1, enginetest.Endless},
		"Retry":           {1, enginetest.Endless},
		"RetrySlow":       {1, enginetest.Endless},
		"Linger":          {1, enginetest.Endless},
		"Check":           {1, enginetest.Endless},
		"StrikeFor":       {1, enginetest.Endless},
		"Window":          {1, 1 << 12},
		"ServeBytes":      {768 << 10, 1 << 30},
		"MaxServing":      {1, 1 << 10},
		"Strikes":         {1, 1 << 10},
		"MaxFollowings":   {1, 1 << 24},
		"MaxAuthored":     {1, 1 << 24},
		"MaxKeeping":      {1, 1 << 10},
		"MaxPending":      {1, 1 << 24},
		"MaxPendingBytes": {512 << 10, 1 << 40},
		"MaxQueued":       {1, 1 << 16},
		"MaxPeers":        {1, 1 << 20},
		"MaxVerified":     {1, 1 << 24},
		"MaxTopics":       {1, 1 << 24},
		"MaxNotices":      {1, 1 << 20},
	})
}
