package spread_test

import (
	"testing"
	"time"

	"tidings/network/engine/enginetest"
	"tidings/network/routers/spidercast/spread"
)

// A configuration is accepted with each bounded field at either end of its bound, and refused with it one beyond.
func TestBoundsOfConfig(t *testing.T) {
	c := spread.Default()
	enginetest.CheckConfig(t, c, enginetest.Bounds{
		"Announce":     {1, int64(time.Hour)},
		"Resend":       {1, int64(time.Hour)},
		"Wait":         {1, int64(time.Hour)},
		"Answer":       {1, int64(time.Hour)},
		"Hold":         {1, int64(24 * time.Hour)},
		"Silent":       {1, 1 << 10},
		"Tries":        {1, 1 << 10},
		"Strikes":      {1, 1 << 10},
		"Shorter":      {1, 255},
		"Moves":        {1, 1 << 20},
		"Kept":         {1, int64(min(128, c.MaxKept, c.Remembered))},
		"KeptBytes":    {1, int64(c.MaxKeptBytes)},
		"MaxKept":      {int64(c.Kept), 1 << 20},
		"MaxKeptBytes": {int64(c.KeptBytes), 1 << 30},
		"Remembered":   {int64(c.Kept), 1 << 20},
		"MaxLeft":      {1, 1 << 16},
		"MaxWanted":    {256, 1 << 20},
		"MaxAsked":     {1, 128},
		"Intake":       {1, 1 << 20},
		"IntakeBurst":  {1, 1 << 24},
		"Serve":        {1, 1 << 30},
		"ServeBurst":   {1, 1 << 30},
	})
}
