package spidercast

import (
	"slices"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/routers/spidercast/view"
)

// Vocabulary is all messages of SpiderCast: those of its three parts, each in a range of kinds of its own.
var Vocabulary = engine.Vocabulary{
	Protocol: engine.SpiderCast, Name: "spidercast",
	Messages: slices.Concat(view.Messages, overlay.Messages, spread.Messages),
}

// The first kinds of the parts' ranges; the membership's begins with 1.
const (
	overlayKinds = 16
	spreadKinds  = 48
)
