package large_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"tidings"
	"tidings/store/large"
	"tidings/store/storetest"
)

// Pieces come in any order, through restarts, and go with their content.
func TestPieces(t *testing.T) {
	t.Parallel()
	config := storetest.Config(t)
	s := storetest.Open(t, config)
	ctx := t.Context()
	refs := []large.Ref{{1}, {2}, {3}}
	for i, ref := range refs {
		if err := s.Large.Begin(ctx, large.Content{Ref: ref, Length: int64(100 * (i + 1))}, []byte{byte(i)},
			1000); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Large.Begin(ctx, large.Content{Ref: large.Ref{4}, Length: 401}, []byte{4}, 1000); !errors.Is(err,
		large.ErrNoRoom) {
		t.Errorf("beyond the limit: %v", err)
	}
	if err := s.Large.Begin(ctx, large.Content{Ref: refs[0], Length: 100, Own: true}, []byte{9}, 100); err != nil {
		t.Errorf("beginning what has been begun: %v", err)
	}
	const count = 3*large.PiecesAtOnce + 1
	for i := count - 1; i >= 0; i-- {
		if err := s.Large.PutPiece(ctx, refs[1], i, []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := s.Large.PutPiece(ctx, refs[2], 5, bytes.Repeat([]byte("x"), 256<<10)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Large.PutPiece(ctx, large.Ref{4}, 0, nil); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("a piece of what was not begun: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = storetest.Open(t, config)
	defer func() { storetest.Close(t, s, config) }()

	for _, test := range []struct {
		ref      large.Ref
		manifest []byte
		places   int
	}{{refs[0], []byte{0}, 0}, {refs[1], []byte{1}, count}, {refs[2], []byte{2}, 1}, {large.Ref{4}, nil, 0}} {
		manifest, places, err := s.Large.Open(ctx, test.ref)
		if err != nil || !bytes.Equal(manifest, test.manifest) || len(places) != test.places ||
			!slices.IsSorted(places) {
			t.Errorf("%x: %v, %v, %v", test.ref[0], manifest, places, err)
		}
	}
	if piece, err := s.Large.Piece(ctx, refs[1], 100); err != nil || !bytes.Equal(piece, []byte{100}) {
		t.Errorf("%v, %v", piece, err)
	}
	if piece, err := s.Large.Piece(ctx, refs[0], 0); err != nil || piece != nil {
		t.Errorf("a piece that is not here: %v, %v", piece, err)
	}

	first, err := s.Large.Contents(ctx, nil, 2)
	if err != nil || len(first) != 2 || !first[0].Own || first[1].Own || first[1].Ref != refs[1] ||
		first[1].Length != 200 || first[1].Pieces != count {
		t.Fatalf("%+v, %v", first, err)
	}
	second, err := s.Large.Contents(ctx, &first[1].Ref, 2)
	if err != nil || len(second) != 1 || second[0].Ref != refs[2] {
		t.Fatalf("%+v, %v", second, err)
	}

	for range 2 {
		if err := s.Large.Drop(ctx, refs[1]); err != nil {
			t.Fatal(err)
		}
	}
	if manifest, places, err := s.Large.Open(ctx, refs[1]); manifest != nil || places != nil || err != nil {
		t.Errorf("after it was dropped: %v, %v, %v", manifest, places, err)
	}
	if piece, err := s.Large.Piece(ctx, refs[2], 5); err != nil || len(piece) != 256<<10 {
		t.Errorf("another content has lost its piece: %d bytes, %v", len(piece), err)
	}
	if err := s.Large.Begin(ctx, large.Content{Ref: large.Ref{4}, Length: 401}, []byte{4}, 1000); err != nil {
		t.Errorf("in the room that is free: %v", err)
	}
}

// Nothing of a content that was dropped is left to one that is begun afterwards.
func TestADroppedContentLeavesNothing(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	ctx := t.Context()
	for round := range byte(3) {
		ref := large.Ref{round}
		if err := s.Large.Begin(ctx, large.Content{Ref: ref, Length: 100}, []byte{round}, 100); err != nil {
			t.Fatal(err)
		}
		if manifest, places, err := s.Large.Open(ctx, ref); err != nil || len(places) > 0 ||
			!bytes.Equal(manifest, []byte{round}) {
			t.Errorf("round %d: begun with pieces %v, manifest %v: %v", round, places, manifest, err)
		}
		for place := range (int(round) + 1) * large.PiecesAtOnce {
			if err := s.Large.PutPiece(ctx, ref, place, []byte{round}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Large.Drop(ctx, ref); err != nil {
			t.Fatal(err)
		}
		if all, err := s.Large.Contents(ctx, nil, 9); err != nil || len(all) > 0 {
			t.Errorf("round %d: left are %+v: %v", round, all, err)
		}
	}
}
