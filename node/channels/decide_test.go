package channels

import "testing"

// everything calls try with each combination of facts.
func everything(try func(Facts)) {
	for bits := range 1 << 9 {
		bit := func(i int) bool { return bits>>i&1 == 1 }
		for _, trust := range []Reliance{Relied, Denied, Silent} {
			try(Facts{
				Followed: bit(0), Private: bit(1), Alone: bit(2), Assigned: bit(3), Relayed: bit(4), Pushed: bit(5),
				Volunteers: bit(6), NoTurn: bit(7), Acknowledged: bit(8), Trust: trust,
			})
		}
	}
}

// What a plan promises holds for every combination of facts. Each line is a promise to readers, to origins or to
// others.
func TestDecide(t *testing.T) {
	promises := map[string]func(Facts, Plan) bool{
		"what nobody follows and nobody asks for is not shared": func(f Facts, p Plan) bool {
			return f.Followed || f.Assigned || f.Relayed || p == Plan{}
		},
		"nothing private is kept, shown or polled for others": func(f Facts, p Plan) bool {
			return !f.Private || !p.Keep && !p.Guest && p.Poll != Assigned
		},
		"a followed channel is always polled by somebody whom this node relies on": func(f Facts, p Plan) bool {
			alone := p.Poll == Own || p.Poll == Assigned
			return !f.Followed || alone || f.Pushed && !f.Alone || p.Turns || f.Acknowledged && f.Trust != Silent
		},
		"whoever follows is either pushed to, or takes turns, or asks the owners": func(f Facts, p Plan) bool {
			ways := 0
			for _, way := range []bool{f.Pushed, p.Turns, p.Subscribe} {
				if way {
					ways++
				}
			}
			return !f.Followed || f.Alone || f.NoTurn && f.Volunteers || ways == 1
		},
		"nothing is asked of a network that is not there": func(f Facts, p Plan) bool {
			return !f.Alone || !p.Subscribe && !p.Turns
		},
		"nothing is asked of the network for channels that are not followed": func(f Facts, p Plan) bool {
			return f.Followed || !p.Subscribe && !p.Turns
		},
		"guests are those who are kept and not followed": func(f Facts, p Plan) bool {
			return p.Guest == (p.Keep && !f.Followed)
		},
		"the network's plan comes first": func(f Facts, p Plan) bool {
			return !f.Assigned || f.Private || p.Poll == Assigned
		},
		"owners that deny what is seen are checked more often than those who do not": func(f Facts, p Plan) bool {
			return (p.Poll != Doubtful || f.Trust == Denied) && (p.Poll != Backup || f.Trust == Relied)
		},
		"without a reader nothing is polled but for others": func(f Facts, p Plan) bool {
			return f.Followed || p.Poll == Own || p.Poll == Assigned || p.Poll == OnRequest
		},
	}
	everything(func(f Facts) {
		for name, holds := range promises {
			if p := Decide(f); !holds(f, p) {
				t.Errorf("%s: not so for %+v: %+v", name, f, p)
			}
		}
	})
}

// The plans that people meet, one by one.
func TestDecideByExample(t *testing.T) {
	for name, test := range map[string]struct {
		facts Facts
		want  Plan
	}{
		"nothing is known of it": {Facts{}, Plan{}},
		"a node without peers":   {Facts{Followed: true, Alone: true}, Plan{Shared: true}},
		"just followed":          {Facts{Followed: true}, Plan{Subscribe: true, Shared: true}},
		"its owners know": {Facts{Followed: true, Acknowledged: true},
			Plan{Subscribe: true, Shared: true, Poll: Backup}},
		"its owners are silent": {Facts{Followed: true, Acknowledged: true, Trust: Silent},
			Plan{Subscribe: true, Shared: true}},
		"its owners deny what is seen": {Facts{Followed: true, Acknowledged: true, Trust: Denied},
			Plan{Subscribe: true, Shared: true, Poll: Doubtful}},
		"in this node's part of the plan": {Facts{Followed: true, Acknowledged: true, Assigned: true},
			Plan{Subscribe: true, Keep: true, Shared: true, Poll: Assigned}},
		"polled for others": {Facts{Assigned: true},
			Plan{Keep: true, Guest: true, Shared: true, Poll: Assigned}},
		"versions are made here": {Facts{Relayed: true},
			Plan{Keep: true, Guest: true, Shared: true, Poll: OnRequest}},
		"pushed": {Facts{Followed: true, Acknowledged: true, Pushed: true},
			Plan{Shared: true, Poll: PushBackup}},
		"in turns": {Facts{Followed: true, Volunteers: true},
			Plan{Turns: true, Shared: true, Poll: TurnBackup}},
		"in turns, without room for it": {Facts{Followed: true, Volunteers: true, NoTurn: true},
			Plan{Shared: true}},
		"pushed, where others poll in turns": {Facts{Followed: true, Volunteers: true, Pushed: true},
			Plan{Shared: true, Poll: PushBackup}},
		"private, though the network wants it": {Facts{Private: true, Assigned: true, Relayed: true}, Plan{}},
		"the network has stopped":              {Facts{Followed: true, Alone: true, Pushed: true}, Plan{Shared: true}},
		"polled for others who poll in turns": {Facts{Assigned: true, Volunteers: true},
			Plan{Keep: true, Guest: true, Shared: true, Poll: Assigned}},
		"followed, and its versions made here": {Facts{Followed: true, Relayed: true, Acknowledged: true},
			Plan{Subscribe: true, Keep: true, Shared: true, Poll: Backup}},
	} {
		if got := Decide(test.facts); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
