package forward

// Signed returns what is signed of an Open or a Message.
func Signed(m interface{ words() []byte }) []byte { return m.words() }
