package engine

import "time"

// Messages with every type of field, and one as protocols have many of.
type (
	ping struct {
		Number uint32        `cbor:"1,keyasint"`
		At     time.Duration `cbor:"2,keyasint"`
	}

	routed struct {
		Key     ID      `cbor:"1,keyasint"`
		Origin  Peer    `cbor:"2,keyasint"`
		Hops    uint8   `cbor:"3,keyasint"`
		Payload Message `cbor:"4,keyasint"`
	}

	leaves struct {
		Peers []Peer `cbor:"1,keyasint" max:"16"`
	}

	kitchen struct {
		Yes     bool      `cbor:"1,keyasint"`
		Small   int8      `cbor:"2,keyasint"`
		Large   int64     `cbor:"3,keyasint"`
		Count   uint64    `cbor:"4,keyasint"`
		Single  float32   `cbor:"5,keyasint"`
		Double  float64   `cbor:"6,keyasint"`
		Text    string    `cbor:"7,keyasint" max:"40"`
		Blob    []byte    `cbor:"8,keyasint" max:"40"`
		Hash    [4]byte   `cbor:"9,keyasint"`
		Where   Address   `cbor:"10,keyasint" max:"60"`
		Numbers []float64 `cbor:"11,keyasint" max:"8"`
		Names   []string  `cbor:"12,keyasint" max:"4,12"`
		Blobs   [][]byte  `cbor:"13,keyasint" max:"4,12"`
		Part    part      `cbor:"14,keyasint"`
		Parts   []part    `cbor:"200,keyasint" max:"5"`
		Letters []Message `cbor:"300,keyasint" max:"3"`
	}

	// crowd takes as much memory for each byte on the wire as is allowed.
	crowd struct {
		Members []member `cbor:"1,keyasint" max:"5000"`
	}

	member struct {
		Face   [MaxExpansion - 56]byte `cbor:"1,keyasint"`
		Since  int64                   `cbor:"2,keyasint"`
		Crowds []inner                 `cbor:"3,keyasint" max:"5000"`
		Names  []string                `cbor:"4,keyasint" max:"5000,9"`
	}

	inner struct {
		Face [MaxExpansion]byte `cbor:"1,keyasint"`
	}

	part struct {
		Name string `cbor:"0,keyasint" max:"9"`
		Peer Peer   `cbor:"1,keyasint"`
		IDs  []ID   `cbor:"2,keyasint" max:"3"`
	}
)

func (*ping) Kind() Kind    { return KindOf(Experiment, 1) }
func (*routed) Kind() Kind  { return KindOf(Experiment, 2) }
func (*leaves) Kind() Kind  { return KindOf(Experiment, 3) }
func (*kitchen) Kind() Kind { return KindOf(Experiment, 4) }
func (*crowd) Kind() Kind   { return KindOf(Experiment, 5) }

var testMessages = Vocabulary{
	Protocol: Experiment, Name: "test",
	Messages: []MessageType{{new(ping), Control}, {new(routed), Update}, {new(leaves), Control}, {new(kitchen), Bulk},
		{new(crowd), Bulk}},
}
