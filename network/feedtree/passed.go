package feedtree

import (
	"slices"

	"tidings/network/engine"
)

// passed is the latest items that went through this node, by any router. If the node must keep one for another purpose,
// it need not fetch it.
type passed struct {
	list  []passedItem // the latest at the end
	bytes int          // of their entries
}

type passedItem struct {
	topic engine.ID
	item  *Item
}

// Bounds of what is kept.
const (
	maxPassed      = 1024
	maxPassedBytes = 16 << 20
)

func (p *passed) find(topic engine.ID, number uint64) *Item {
	for _, each := range slices.Backward(p.list) {
		if each.topic == topic && each.item.Number == number {
			return each.item
		}
	}
	return nil
}

func (p *passed) add(topic engine.ID, item *Item) {
	if p.find(topic, item.Number) != nil {
		return
	}
	p.list = append(p.list, passedItem{topic, item})
	p.bytes += len(item.Entry)
	first := 0
	for ; len(p.list)-first > maxPassed || p.bytes > maxPassedBytes; first++ {
		p.bytes -= len(p.list[first].item.Entry)
	}
	p.list = slices.Delete(p.list, 0, first)
}

// remove forgets an item, if it is kept.
func (p *passed) remove(topic engine.ID, number uint64) {
	p.list = slices.DeleteFunc(p.list, func(each passedItem) bool {
		gone := each.topic == topic && each.item.Number == number
		if gone {
			p.bytes -= len(each.item.Entry)
		}
		return gone
	})
}

// Passed returns an item that went through this node lately, which is genuine; nil: there is none.
func (n *Node) Passed(topic engine.ID, number uint64) *Item {
	return n.record.passed.find(topic, number)
}
