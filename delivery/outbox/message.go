package outbox

import (
	"context"
	"tidings/delivery/locale"
	"time"

	"tidings"
)

// Sender delivers messages. It may be called by many goroutines at once, once at a time for a target.
type Sender interface {
	// Send delivers a message to a target, and returns nil once the target has accepted it. It obeys ctx. The error is
	// a *Refusal where more is known than that it failed, and a *Held where nothing did.
	Send(ctx context.Context, t tidings.Target, m Message) error
}

// Message is what a target is sent: an item, or several in one, or a digest of what came since the last.
type Message struct {
	ID      string // the same at each attempt, and different for each message of a target
	Update  tidings.Update
	Item    *tidings.Item          // of Update; nil: all of them
	Digest  []tidings.DeliveryPart // nil: the message is no digest, else Update and Item are not set
	Made    time.Time              // when the update was put into the outbox
	Attempt int                    // 1 at the first

	Language *locale.Locale // of the target's account; nil: English

	// Retracts are the IDs of earlier messages. Their reader has read elsewhere what they bring, so the target shows
	// them no more. Then there is nothing but ID and Attempt. Only kinds that tidings.TargetKind.Retractable knows get
	// such a message.
	Retracts []string
}

// Updates returns what a digest has of each update, in the order of the digest: the items that are part of it, or all
// where the update is sent as a whole.
func (m Message) Updates() (all []tidings.Update) {
	at := make(map[int64]int) // by the update's ID
	for _, p := range m.Digest {
		i, known := at[p.Update.ID]
		if !known {
			i = len(all)
			at[p.Update.ID] = i
			u := p.Update
			if p.Item != nil {
				u.Items = nil
			}
			all = append(all, u)
		}
		if p.Item != nil {
			all[i].Items = append(all[i].Items, *p.Item)
		}
	}
	return all
}

// Refusal is why a target did not accept a message.
type Refusal struct {
	Err error

	// Gone says that the target itself is no more, as an HTTP status of 410 does: nothing is sent to it until its
	// owner resumes it.
	Gone bool

	// Final says that the message will never be accepted, while others may be.
	Final bool

	// After is when the target asks to be tried again; 0: it does not say.
	After time.Duration
}

func (r *Refusal) Error() string { return r.Err.Error() }
func (r *Refusal) Unwrap() error { return r.Err }

// Held is why a message waits though nothing is wrong with its target: another node sends it, or has sent it. It
// counts neither as an attempt nor as a failure, and the message is never given up for it.
type Held struct {
	By    string        // in plain words what holds it
	After time.Duration // when the Sender wants the message again at the latest; 0: after a minute

	// Watch has again called, at most once and by any goroutine, when the Sender wants the message earlier; at once
	// if it does already. nil: it never does.
	Watch func(again func())
}

func (h *Held) Error() string { return h.By }
