// Package enginetest helps to test protocols: it proves that messages pass their codec and
// that nothing hostile does, and lets a test play the world of a single node by hand.
//
// The test of a protocol's messages is two lines for each function:
//
//	func TestMessages(t *testing.T) { enginetest.Check(t, engine.NewCodec(Messages)) }
//	func FuzzMessages(f *testing.F) { enginetest.Fuzz(f, engine.NewCodec(Messages)) }
//
// What a message may be is read from its Go type here a second time, and what deterministic
// CBOR is from another implementation of it, so that the codec is not its own judge.
package enginetest
