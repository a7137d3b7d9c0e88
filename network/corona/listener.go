package corona

// Listener receives the events that the user of Corona acts on. Its methods are called in the loop; they return at
// once, and call nothing back before they return. All events are traced as well.
type Listener interface {
	// Acknowledged reports that the owners of a channel hold this node's subscription, or no longer do.
	Acknowledged(Acknowledgement)
	// Carried reports which router carries versions of a channel from now on.
	Carried(Carried)
	// Suspected reports that the owners of a channel are not to be relied on, or are again.
	Suspected(Suspected)
	// Contradicted reports that others claim to have seen a content at an origin that does not show it to this node.
	Contradicted(Contradicted)
	// Answered passes on a primary's answer to Inquire.
	Answered(Fact)
	// Agreed reports the parameters that the network has settled on. Disagreed reports why this node does not adopt
	// what most others use.
	Agreed(Agreed)
	Disagreed(Disagreed)
}

// Listen sets the listener. It is called once, before any message is delivered to the node.
func (n *Node) Listen(l Listener) { n.listener = l }

// noListener is the default listener. It ignores all events.
type noListener struct{}

func (noListener) Acknowledged(Acknowledgement) {}
func (noListener) Carried(Carried)              {}
func (noListener) Suspected(Suspected)          {}
func (noListener) Contradicted(Contradicted)    {}
func (noListener) Answered(Fact)                {}
func (noListener) Agreed(Agreed)                {}
func (noListener) Disagreed(Disagreed)          {}
