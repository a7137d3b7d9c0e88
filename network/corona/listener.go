package corona

// Listener is told what the node that Corona works for acts on. Its methods are called in the loop; they return at
// once, and call nothing back before they do. All of it is traced as well.
type Listener interface {
	// Acknowledged says that the owners of a channel hold this node's subscription, or do not any more.
	Acknowledged(Acknowledgement)
	// Carried says by which router versions of a channel come from now on.
	Carried(Carried)
	// Suspected says that the owners of a channel are not to be relied on, or are again.
	Suspected(Suspected)
	// Contradicted says that others claim to have seen at an origin what it does not show this node.
	Contradicted(Contradicted)
	// Told is what the primary of a channel has answered to Inquire.
	Told(Fact)
	// Agreed says what the network has settled on, Disagreed why this node does not adopt what most others use.
	Agreed(Agreed)
	Disagreed(Disagreed)
}

// Listen has a listener told from now on. It is called once, before anything is delivered to the node.
func (n *Node) Listen(l Listener) { n.listener = l }

// unheard is the listener of a node to which nobody listens.
type unheard struct{}

func (unheard) Acknowledged(Acknowledgement) {}
func (unheard) Carried(Carried)              {}
func (unheard) Suspected(Suspected)          {}
func (unheard) Contradicted(Contradicted)    {}
func (unheard) Told(Fact)                    {}
func (unheard) Agreed(Agreed)                {}
func (unheard) Disagreed(Disagreed)          {}
