package engine

import "reflect"

// listForm is of slices of at most most elements: an array.
type listForm struct {
	most    int
	element form
	typ     reflect.Type
}

func (listForm) empty(v reflect.Value) bool { return v.Len() == 0 }
func (listForm) least() int                 { return 1 }

func (f listForm) size(v reflect.Value, levels int) (n int, empty bool) {
	length := v.Len()
	n = headSize(uint64(length))
	if levels == 0 {
		return n, length == 0
	}
	for i := range length {
		size, _ := f.element.size(v.Index(i), levels-1)
		n += size
	}
	return n, length == 0
}

func (f listForm) append(dst []byte, v reflect.Value, levels int) (_ []byte, err error) {
	if v.Len() > f.most {
		return nil, errBound
	}
	if levels == 0 {
		return nil, errLevels
	}
	dst = appendHead(dst, majorArray, uint64(v.Len()))
	for i := range v.Len() {
		if dst, err = f.element.append(dst, v.Index(i), levels-1); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

func (f listForm) read(data []byte, v reflect.Value) ([]byte, error) {
	m, n, rest, err := readHead(data)
	if err != nil {
		return nil, err
	}
	if m != majorArray {
		return nil, errType
	}
	if n > uint64(f.most) {
		return nil, tooLong(n, f.most)
	}
	if n == 0 {
		return rest, nil
	}
	v.Set(reflect.MakeSlice(f.typ, int(n), int(n)))
	for i := range int(n) {
		if rest, err = f.element.read(rest, v.Index(i)); err != nil {
			return nil, err
		}
	}
	return rest, nil
}
