package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/libp2p/go-libp2p"
	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/metrics"
	"github.com/libp2p/go-libp2p/core/peer"
)

const (
	// contacts is how many others each host of GossipSub connects to; it picks its mesh of them.
	contacts = 10

	// meshTakes is how long meshes get to form: ten heartbeats.
	meshTakes = 10 * time.Second
)

// startGossipSub starts hosts that subscribe to one topic, with GossipSub's own defaults: messages are signed by their
// senders and verified by every host.
func startGossipSub(ctx context.Context, w work, got func(node int, event []byte)) (r running, err error) {
	life, stop := context.WithCancel(ctx)
	var hosts []host.Host
	var counters []*metrics.BandwidthCounter
	r.stop = func() {
		stop()
		for _, h := range hosts {
			h.Close()
		}
	}
	defer func() {
		if err != nil {
			r.stop()
		}
	}()
	var topics []*pubsub.Topic
	for i := range w.nodes {
		counter := metrics.NewBandwidthCounter()
		h, err := libp2p.New(libp2p.ListenAddrStrings(loopback[w.over]), libp2p.BandwidthReporter(counter))
		if err != nil {
			return r, fmt.Errorf("starting host %d: %w", i, err)
		}
		hosts, counters = append(hosts, h), append(counters, counter)
		ps, err := pubsub.NewGossipSub(life, h)
		if err != nil {
			return r, fmt.Errorf("starting host %d: %w", i, err)
		}
		topic, err := ps.Join("news")
		if err != nil {
			return r, fmt.Errorf("joining the topic: %w", err)
		}
		sub, err := topic.Subscribe()
		if err != nil {
			return r, fmt.Errorf("subscribing: %w", err)
		}
		topics = append(topics, topic)
		go func() {
			for {
				m, err := sub.Next(life)
				if err != nil {
					return
				}
				got(i, m.Data)
			}
		}()
	}
	if err := connectAtRandom(ctx, hosts); err != nil {
		return r, err
	}
	if err := pause(ctx, meshTakes); err != nil {
		return r, err
	}
	r.publish = func(event []byte) error { return topics[0].Publish(life, event) }
	r.sent = func() (bytes uint64) {
		for _, c := range counters {
			bytes += uint64(c.GetBandwidthTotals().TotalOut)
		}
		return bytes
	}
	return r, nil
}

func connectAtRandom(ctx context.Context, hosts []host.Host) error {
	chance := rand.New(rand.NewPCG(1, 1))
	for i, h := range hosts {
		for _, j := range chance.Perm(len(hosts))[:min(contacts, len(hosts))] {
			if i == j {
				continue
			}
			if err := h.Connect(ctx, peer.AddrInfo{ID: hosts[j].ID(), Addrs: hosts[j].Addrs()}); err != nil {
				return fmt.Errorf("connecting host %d to %d: %w", i, j, err)
			}
		}
	}
	return nil
}
