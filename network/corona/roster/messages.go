package roster

import "tidings/network/engine"

// Messages lists all messages of a roster.
var Messages = []engine.MessageType{
	{Message: new(Subscribe), Class: engine.Update},
	{Message: new(Subscribed), Class: engine.Update},
	{Message: new(Copies), Class: engine.Update},
	{Message: new(Stored), Class: engine.Update},
	{Message: new(Digests), Class: engine.Bulk},
	{Message: new(Parts), Class: engine.Bulk},
	{Message: new(Want), Class: engine.Bulk},
	{Message: new(Entries), Class: engine.Bulk},
}
