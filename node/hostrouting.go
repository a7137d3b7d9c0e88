package node

import (
	"context"
	"errors"

	"tidings"
	"tidings/network/engine"
	"tidings/network/volunteer"
	"tidings/node/coop/sharing"
	"tidings/node/routing"
	"tidings/view"
)

// Trees returns the URLs of the channels followed here with updates down trees of the network's router, sorted.
func (n *Node) Trees() []string {
	if n.coop == nil {
		return nil
	}
	return n.coop.ByTrees()
}

// routingHost is the node as package routing sees it.
type routingHost struct{ *Node }

// Zone returns the zone in which the node is.
func (h routingHost) Zone() (string, bool) {
	path, placed := h.zones.Path()
	return string(path), placed
}

// WayOf returns which router or node delivers a channel's updates.
func (h routingHost) WayOf(id engine.ID) (topic engine.ID, w routing.Way) {
	topic, pushed := h.pushes.Follows(id)
	switch h.coop.Means(id, pushed) {
	case sharing.ByPushes:
		return topic, routing.ByPublisher
	case sharing.ByTurns:
		return volunteer.TopicOf(id), routing.ByTurns
	case sharing.ByOwners:
		return id, routing.ByOwners
	}
	return engine.ID{}, routing.ByNobody
}

// InCommon returns the URLs of the given channels that an account follows.
func (h routingHost) InCommon(ctx context.Context, account tidings.AccountID, ids []engine.ID) ([]string, error) {
	named := []string{}
	for _, url := range h.coop.FollowedOf(ids) {
		if len(named) == view.MaxFriendChannels {
			break
		}
		switch _, err := h.store.Channel(ctx, account, url); {
		case err == nil:
			named = append(named, url)
		case !errors.Is(err, tidings.ErrNotFollowed):
			return nil, err
		}
	}
	return named, nil
}
