package files

import (
	_ "embed"
	"encoding/base64"
)

// SampleFile is a file that a person sends if a test does not care about the content: a real file, small enough to be
// written here.
type SampleFile struct {
	MimeType string
	Filename string
	Data     []byte
	Extra    map[string]any // fields that only this type has
}

// voiceNote is four seconds that can be played.
//
//go:embed voice.ogg
var voiceNote []byte

// Samples are the sample files, by type of message.
var Samples = map[string]SampleFile{
	"image":    {MimeType: "image/png", Data: decode64(samplePNG)},
	"sticker":  {MimeType: "image/webp", Data: decode64(sampleWebP), Extra: map[string]any{"animated": false}},
	"document": {MimeType: "application/pdf", Filename: "document.pdf", Data: []byte(samplePDF)},
	"audio":    {MimeType: "audio/ogg; codecs=opus", Data: voiceNote, Extra: map[string]any{"voice": true}},
	"video":    {MimeType: "video/mp4", Data: []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isomsimulated video")},
}

const (
	samplePNG  = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
	sampleWebP = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA="
	samplePDF  = "%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
)

func decode64(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err) // a constant of this file
	}
	return b
}

// Base64Sum is the digest as callbacks write it; look-ups write it in hexadecimal.
func Base64Sum(f *File) string { return base64.StdEncoding.EncodeToString(f.Sum[:]) }
