package engine

// Mix is a bijection in which each bit of x changes half of the result's: the last steps of
// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). It is for hashes that nobody has to fear, or that
// are of a secret seed too; it is no protection by itself.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
