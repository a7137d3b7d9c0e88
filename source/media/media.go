// Package media knows sound and video by their first bytes, not by the media type that a stranger's server declares.
package media

import (
	"bytes"
	"strings"
)

// Head is how many bytes of a file are enough to know its kind.
const Head = 512

// Type returns the media type of what begins with head: audio/… or video/…; "" if it is neither, or a kind that no
// browser plays.
func Type(head []byte) string {
	head = head[:min(len(head), Head)]
	at := func(offset int, mark string) bool {
		return len(head) >= offset+len(mark) && string(head[offset:offset+len(mark)]) == mark
	}
	switch {
	case at(0, "ID3"):
		return "audio/mpeg"
	case at(0, "OggS"):
		if bytes.Contains(head, []byte("\x80theora")) {
			return "video/ogg"
		}
		return "audio/ogg"
	case at(0, "fLaC"):
		return "audio/flac"
	case at(0, "RIFF") && at(8, "WAVE"):
		return "audio/wav"
	case at(0, "\x1aE\xdf\xa3") && bytes.Contains(head, []byte("webm")):
		return "video/webm" // sound too: players show no picture where there is none
	case at(4, "ftyp"):
		return ofBrand(head)
	case isFrame(head):
		return ofFrame(head)
	}
	return ""
}

// ofBrand returns the type of an ISO base media file (ISO/IEC 14496-12) by its major brand. Pictures have that form,
// too.
func ofBrand(head []byte) string {
	if len(head) < 12 {
		return ""
	}
	switch brand := strings.TrimRight(string(head[8:12]), " \x00"); brand {
	case "M4A", "M4B", "M4P":
		return "audio/mp4"
	case "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "avc1", "M4V", "dash",
		"mmp4", "MSNV", "f4v", "3gp4", "3gp5", "3gp6", "qt":
		return "video/mp4"
	}
	return ""
}

// isFrame reports whether head begins with the header of an MPEG or AAC (ADTS) audio frame of no reserved kind.
func isFrame(head []byte) bool {
	if len(head) < 4 || head[0] != 0xff || head[1]&0xe0 != 0xe0 {
		return false
	}
	if isADTS(head) {
		return head[2]>>2&0xf < 13 // the sampling rate
	}
	version, layer, rate, sampling := head[1]>>3&3, head[1]>>1&3, head[2]>>4, head[2]>>2&3
	return version != 1 && layer != 0 && rate != 0 && rate != 15 && sampling != 3
}

func isADTS(head []byte) bool { return head[1]&0xf6 == 0xf0 }

func ofFrame(head []byte) string {
	if isADTS(head) {
		return "audio/aac"
	}
	return "audio/mpeg"
}
