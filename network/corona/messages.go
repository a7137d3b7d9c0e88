package corona

import (
	"slices"

	budgets "tidings/network/corona/budget"
	"tidings/network/corona/params"
	"tidings/network/corona/plan"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// Vocabulary is all messages of Corona. The files messages_*.go, and messages.go of the packages below, say what each is for.
var Vocabulary = engine.Vocabulary{Protocol: engine.Corona, Name: "corona", Messages: slices.Concat(roster.Messages, plan.Messages, params.Messages, budgets.Messages, []engine.MessageType{
	{Message: new(Update), Class: engine.Update},
	{Message: new(Missing), Class: engine.Update},
	{Message: new(Commit), Class: engine.Control},
	{Message: new(Committed), Class: engine.Control},
	{Message: new(Detected), Class: engine.Update},
	{Message: new(Shared), Class: engine.Update},
	{Message: new(Got), Class: engine.Update},
	{Message: new(Routed), Class: engine.Update},
	{Message: new(Heard), Class: engine.Update},
	{Message: new(Verify), Class: engine.Update},
	{Message: new(Verified), Class: engine.Update},
	{Message: new(Limit), Class: engine.Update},
	{Message: new(Inquire), Class: engine.Bulk},
	{Message: new(Facts), Class: engine.Bulk},
	{Message: new(Ahead), Class: engine.Update},
	{Message: new(Equivocation), Class: engine.Control},
})}
