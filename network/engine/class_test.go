package engine

import "testing"

type parcel struct {
	Inside Message `cbor:"1,keyasint"`
}

func (*parcel) Kind() Kind         { return KindOf(Experiment+1, 1) }
func (m *parcel) Carried() Message { return m.Inside }

type letter struct{}

func (*letter) Kind() Kind { return KindOf(Experiment+1, 2) }

// What carries another message is as urgent as that, however deep it lies.
func TestClassOfWhatIsCarried(t *testing.T) {
	c := NewCodec(Vocabulary{Protocol: Experiment + 1, Name: "post", Messages: []MessageType{
		{new(parcel), Update}, {new(letter), Control},
	}})
	for want, m := range map[Class]Message{
		Control: &parcel{&parcel{&letter{}}},
		Update:  &parcel{},
	} {
		if got := c.ClassOf(m); got != want {
			t.Errorf("%+v is of class %v, want %v", m, got, want)
		}
	}
	if got := c.ClassOf(&letter{}); got != Control {
		t.Errorf("a letter is of class %v", got)
	}
}
