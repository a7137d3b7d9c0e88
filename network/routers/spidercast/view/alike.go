package view

// alike counts the entries by how many topics they share with this node.
type alike []int

func (a *alike) count(like, by int) {
	for len(*a) <= like {
		*a = append(*a, 0)
	}
	(*a)[like] += by
}

// least returns how many topics an entry must share to be among so many that share most, and 1 at least.
func (a alike) least(most int) int {
	like, sum := len(a), 0
	for like > 1 && sum+a[like-1] <= most {
		like--
		sum += a[like]
	}
	return like
}
