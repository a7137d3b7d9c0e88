package table

import "tidings/network/engine"

// Messages are contents and stamps, which travel within others and are shared by all that keep them: kinds 1 and 2 of
// Astrolabe.
var Messages = []engine.MessageType{
	{Message: new(Content), Class: engine.Bulk},
	{Message: new(Stamp), Class: engine.Bulk},
}

// Kind returns the number of Content.
func (*Content) Kind() engine.Kind { return engine.KindOf(engine.Astrolabe, 1) }

// Kind returns the number of Stamp.
func (*Stamp) Kind() engine.Kind { return engine.KindOf(engine.Astrolabe, 2) }
