package simulator

import (
	_ "embed"
	"encoding/base64"
	"slices"
)

// sampleFile is what a person sends when a test does not care about the content: a real file, small
// enough to be written here.
type sampleFile struct {
	mimeType string
	filename string
	data     []byte
	extra    map[string]any // fields that only this type has
}

// voiceNote is four seconds that can be played.
//
//go:embed voice.ogg
var voiceNote []byte

// samples are the types of message that carry a file.
var samples = map[string]sampleFile{
	"image":    {mimeType: "image/png", data: decode64(samplePNG)},
	"sticker":  {mimeType: "image/webp", data: decode64(sampleWebP), extra: map[string]any{"animated": false}},
	"document": {mimeType: "application/pdf", filename: "document.pdf", data: []byte(samplePDF)},
	"audio":    {mimeType: "audio/ogg; codecs=opus", data: voiceNote, extra: map[string]any{"voice": true}},
	"video":    {mimeType: "video/mp4", data: []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isomsimulated video")},
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

// base64Sum is how callbacks write a digest; look-ups write it in hexadecimal.
func base64Sum(f *file) string { return base64.StdEncoding.EncodeToString(f.sum[:]) }

func sortStrings(s []string) { slices.Sort(s) }
