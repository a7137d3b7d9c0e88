package corona

import (
	"slices"

	budgets "tidings/network/corona/budget"
	"tidings/network/corona/params"
	"tidings/network/corona/plan"
	"tidings/network/corona/roster"
	"tidings/network/corona/version"
	"tidings/network/engine"
)

// Vocabulary is all messages of Corona. The files messages.go of the packages below document each.
var Vocabulary = engine.Vocabulary{Protocol: engine.Corona, Name: "corona",
	Messages: slices.Concat(roster.Messages, plan.Messages, version.Messages, params.Messages, budgets.Messages,
		[]engine.MessageType{
			{Message: new(Inquire), Class: engine.Bulk},
			{Message: new(Facts), Class: engine.Bulk},
		})}
