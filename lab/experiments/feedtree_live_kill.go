package experiments

import (
	"math/rand/v2"
	"time"
)

// kill kills a publisher right after its file was edited, edits the file while it is down and after it is back.
func (t *pushTown) kill() error {
	chance := rand.New(rand.NewPCG(t.run.Seed(), 0x6b11))
	readers := t.readers[:t.sizes.Readers]
	t.listen(readers)
	slowest := 0.
	for i := range t.sizes.Kills {
		if _, _, err := t.killed.edit(); err != nil {
			return err
		}
		if err := sleep(t.ctx, time.Now().Add(time.Duration(chance.IntN(60))*time.Millisecond)); err != nil {
			return err
		}
		t.victim.Kill()
		story, _, err := t.killed.edit()
		if err != nil {
			return err
		}
		began := time.Now()
		if err := t.victim.Start(t.ctx); err != nil {
			return err
		}
		if _, err := t.hear(readers, story, pushPatience); err != nil {
			return err
		}
		slowest = max(slowest, time.Since(began).Seconds())
		story, _, err = t.killed.edit()
		if err != nil {
			return err
		}
		if _, err := t.hear(readers, story, pushPatience); err != nil {
			return err
		}
		t.run.Part(i+1, t.sizes.Kills)
	}
	t.run.Figure("killed.back_most_seconds", slowest)
	return t.numbers()
}

// numbers counts what the victim has published, and the readers that lack any of its numbers.
func (t *pushTown) numbers() error {
	published, err := t.victim.Client().Publications(t.ctx)
	if err != nil {
		return err
	}
	items := published[0].Items
	gaps := 0
	for _, r := range t.readers[:t.sizes.Readers] {
		ok, err := t.awaitNumber(r, t.killed.url, items)
		if err != nil {
			return err
		}
		if !ok {
			gaps++
		}
	}
	t.run.Figure("killed.items", float64(items))
	t.run.Figure("killed.gaps", float64(gaps))
	return nil
}

// awaitNumber waits until a reader has all items of a channel up to a number, and tells whether it has.
func (t *pushTown) awaitNumber(r *pushReader, channel string, number uint64) (bool, error) {
	for deadline := time.Now().Add(gapPatience); ; {
		f, err := r.client.Channel(t.ctx, channel)
		if err != nil || f.Push != nil && f.Push.Number == number {
			return err == nil, err
		}
		if time.Now().After(deadline) {
			return false, nil
		}
		if err := sleep(t.ctx, time.Now().Add(50*time.Millisecond)); err != nil {
			return false, err
		}
	}
}

// gapPatience is how long a gap may last.
const gapPatience = time.Minute
