package corona

import (
	"slices"

	"tidings/network/corona/plan"
	"tidings/network/corona/roster"
	"tidings/network/corona/version"
	"tidings/network/engine"
)

// Vocabulary is all messages of Corona. The files messages_*.go say what each is for.
var Vocabulary = engine.Vocabulary{Protocol: engine.Corona, Name: "corona", Messages: slices.Concat(roster.Messages, plan.Messages, version.Messages, []engine.MessageType{
	{Message: new(Inquire), Class: engine.Bulk},
	{Message: new(Facts), Class: engine.Bulk},
	{Message: new(ParamsRequest), Class: engine.Control},
	{Message: new(Params), Class: engine.Control},
	{Message: new(Claims), Class: engine.Update},
	{Message: new(AskProof), Class: engine.Update},
	{Message: new(Proof), Class: engine.Bulk},
	{Message: new(Grants), Class: engine.Update},
})}
