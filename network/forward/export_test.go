package forward

// Signed returns what is signed of an Open.
func Signed(m *Open) []byte { return m.words() }
