package interest

// Usual is how many topics nodes follow, as a rule: what others claim is measured by it.
type Usual struct {
	Broad int // how many times as many are too many to be believed; 0: nothing is
	Count int // the median; 0: not known
	Own   int // how many topics this node follows
}

// unusual is how many topics are never too many.
const unusual = 32

// Exceeded reports whether a node claims to follow too many topics.
func (u *Usual) Exceeded(s Set) bool {
	return u.Broad > 0 && u.Count > 0 && s.Len() > max(unusual, u.Broad*max(u.Count, u.Own))
}
