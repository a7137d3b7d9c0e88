package engine

import (
	"encoding/binary"
	"math"
)

func isFinite(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }

// floatSize returns how many bytes a finite number needs: it is written in the shortest of
// the three forms that hold it exactly.
func floatSize(f float64) int {
	single := float32(f)
	if float64(single) != f {
		return 9
	}
	if _, ok := toHalf(single); !ok {
		return 5
	}
	return 3
}

func appendFloat(dst []byte, f float64) []byte {
	single := float32(f)
	if float64(single) != f {
		return binary.BigEndian.AppendUint64(append(dst, item64), math.Float64bits(f))
	}
	if half, ok := toHalf(single); ok {
		return binary.BigEndian.AppendUint16(append(dst, itemHalf), half)
	}
	return binary.BigEndian.AppendUint32(append(dst, itemFloat), math.Float32bits(single))
}

// toHalf returns the half-precision form (IEEE 754 binary16) of a finite number, if there
// is one that holds it exactly.
func toHalf(f float32) (uint16, bool) {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	exponent, fraction := int(b>>23&0xff)-127, b&(1<<23-1)
	switch {
	case b&^(1<<31) == 0:
		return sign, true
	case -14 <= exponent && exponent <= 15:
		return sign | uint16(exponent+15)<<10 | uint16(fraction>>13), fraction&(1<<13-1) == 0
	case -24 <= exponent && exponent < -14: // subnormal: a multiple of 2^-24
		shift := -1 - exponent // 14 to 23
		whole := fraction | 1<<23
		return sign | uint16(whole>>shift), whole&(1<<shift-1) == 0
	}
	return 0, false
}

// fromHalf returns what a half-precision number is; infinities and NaN stay what they are.
func fromHalf(h uint16) float64 {
	exponent, fraction := int(h>>10&0x1f), float64(h&0x3ff)
	var f float64
	switch exponent {
	case 0:
		f = math.Ldexp(fraction, -24)
	case 31:
		f = math.Inf(1)
		if fraction != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(1024+fraction, exponent-25)
	}
	if h&0x8000 != 0 {
		f = math.Copysign(f, -1)
	}
	return f
}
