package homes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tidings/lab"
	"tidings/lab/homes"
	"tidings/view"
)

// rest is what a home's node sends and receives while nobody follows anything: of all homes the most.
type rest struct {
	bytesIn, bytesOut, packetsIn, packetsOut float64 // in a second
	remarks                                  []string
}

// measureRest counts the packets of homes in a small ring without channels.
func measureRest(ctx context.Context, s sizes, run *lab.Run) (r rest, err error) {
	if len(s.RestKinds) == 0 {
		return r, nil
	}
	w, err := newWorld(ctx, s, s.RestKinds, 1, false, keep(run, "rest"))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	g, err := w.gather(ctx)
	if err != nil {
		return r, err
	}
	for _, remark := range g.remarks {
		r.remarks = append(r.remarks, "Of the ring without channels: "+remark)
	}
	if err := pause(ctx, s.RestAfter); err != nil {
		return r, err
	}
	said, err := w.views(ctx)
	if err != nil {
		return r, err
	}
	before, began := w.traffic(), time.Now()
	if err := pause(ctx, s.RestFor); err != nil {
		return r, err
	}
	seconds := time.Since(began).Seconds()
	for i, after := range w.traffic() {
		t := after.Since(before[i])
		r.bytesIn, r.bytesOut = max(r.bytesIn, float64(t.BytesIn)/seconds), max(r.bytesOut, float64(t.BytesOut)/seconds)
		r.packetsIn, r.packetsOut = max(r.packetsIn, float64(t.PacketsIn)/seconds),
			max(r.packetsOut, float64(t.PacketsOut)/seconds)
		r.remarks = append(r.remarks, fmt.Sprintf("At rest, in %.0f s, %s: %v.", seconds, w.homes[i].name, t))
	}
	return r, w.noteMessages(ctx, said)
}

// measureLone has homes gather by a relay, where no other node is public.
func measureLone(ctx context.Context, s sizes, run *lab.Run) (g gathering, err error) {
	if len(s.RestKinds) == 0 {
		return g, nil
	}
	w, err := newWorld(ctx, s, s.RestKinds, 1, true, keep(run, "lone"))
	if err != nil {
		return g, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	return w.gather(ctx)
}

// noteMessages notes which messages the homes' nodes have exchanged since some views, by kind.
func (w *world) noteMessages(ctx context.Context, since map[*member]view.Network) error {
	now, err := w.views(ctx)
	if err != nil {
		return err
	}
	for _, h := range w.homes {
		before := make(map[string]view.Traffic)
		for _, t := range since[h].Traffic {
			before[t.Kind] = t
		}
		for _, t := range now[h].Traffic {
			b := before[t.Kind]
			if t.Sent == b.Sent && t.Received == b.Received {
				continue
			}
			if err := w.note(fmt.Sprintf("%s %s: %d sent with %d bytes, %d received with %d", h.name, t.Kind,
				t.Sent-b.Sent, t.SentBytes-b.SentBytes, t.Received-b.Received,
				t.ReceivedBytes-b.ReceivedBytes)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *world) traffic() (all []homes.Traffic) {
	for _, h := range w.homes {
		all = append(all, h.machine.Traffic())
	}
	return all
}
