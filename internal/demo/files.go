package demo

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"strings"

	"github.com/parleyhq/parley/internal/simulator"
)

// voice is a voice note: without data, the simulator's sample.
func voice() *simulator.InboundFile { return &simulator.InboundFile{} }

func invoice() *simulator.InboundFile {
	return pdf("INV-2207.pdf", "Invoice INV-2207", "40 kg Gayo, green", "Rp 5.800.000", "Thank you!")
}

func identity() *simulator.InboundFile {
	return pdf("id-copy.pdf", "Copy for customs", "Reference GH-55170")
}

func priceList() *simulator.InboundFile {
	return pdf("daftar-harga.pdf", "Daftar harga grosir", "Gayo  145.000", "Toraja  160.000", "Flores  155.000")
}

// pdf is a page with some lines of text.
func pdf(name string, lines ...string) *simulator.InboundFile {
	var content strings.Builder
	content.WriteString("BT /F1 24 Tf 60 760 Td 32 TL ")
	for _, l := range lines {
		fmt.Fprintf(&content, "(%s) Tj T* ", strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(l))
	}
	content.WriteString("ET")
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", content.Len(), content.String()),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	places := make([]int, len(objects))
	for i, o := range objects {
		places[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj%sendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, p := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", p)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return &simulator.InboundFile{MimeType: "application/pdf", Filename: name, Data: b.Bytes()}
}

// scene is a picture of a few shapes over a sky.
type scene struct {
	top, bottom color.RGBA
	shapes      []shape
}

// shape is a box, or an ellipse in it, as fractions of the picture's sides.
type shape struct {
	x, y, w, h float64
	round      bool
	paint      color.RGBA
}

var scenes = map[string]scene{
	"mug": {color.RGBA{236, 228, 214, 255}, color.RGBA{196, 176, 150, 255}, []shape{
		{.12, .80, .76, .10, true, color.RGBA{150, 130, 108, 255}},
		{.62, .36, .22, .30, true, color.RGBA{64, 110, 98, 255}}, {.67, .42, .12, .18, true, color.RGBA{218, 205, 186, 255}},
		{.28, .28, .42, .56, false, color.RGBA{64, 110, 98, 255}}, {.28, .22, .42, .14, true, color.RGBA{44, 78, 70, 255}},
		{.42, .30, .03, .30, false, color.RGBA{236, 228, 214, 255}}, {.44, .55, .09, .03, false, color.RGBA{236, 228, 214, 255}},
	}},
	"street": {color.RGBA{176, 212, 226, 255}, color.RGBA{232, 236, 220, 255}, []shape{
		{.78, .08, .12, .16, true, color.RGBA{250, 222, 140, 255}},
		{0, .72, 1, .28, false, color.RGBA{122, 128, 130, 255}}, {.44, .76, .12, .03, false, color.RGBA{240, 240, 230, 255}},
		{.06, .34, .30, .40, false, color.RGBA{204, 126, 96, 255}}, {.02, .28, .38, .08, false, color.RGBA{142, 76, 58, 255}},
		{.16, .52, .09, .22, false, color.RGBA{92, 60, 48, 255}}, {.46, .42, .26, .32, false, color.RGBA{236, 214, 170, 255}},
		{.52, .50, .06, .10, false, color.RGBA{96, 150, 170, 255}}, {.62, .50, .06, .10, false, color.RGBA{96, 150, 170, 255}},
		{.78, .40, .18, .30, true, color.RGBA{92, 146, 96, 255}}, {.86, .62, .02, .14, false, color.RGBA{104, 78, 58, 255}},
	}},
	"hotel": {color.RGBA{250, 206, 168, 255}, color.RGBA{242, 232, 220, 255}, []shape{
		{.10, .18, .14, .19, true, color.RGBA{248, 236, 190, 255}}, {0, .80, 1, .20, false, color.RGBA{150, 176, 130, 255}},
		{.30, .22, .46, .60, false, color.RGBA{240, 240, 240, 255}}, {.28, .18, .50, .06, false, color.RGBA{60, 92, 110, 255}},
		{.36, .32, .08, .10, false, color.RGBA{120, 168, 190, 255}}, {.50, .32, .08, .10, false, color.RGBA{120, 168, 190, 255}},
		{.64, .32, .08, .10, false, color.RGBA{120, 168, 190, 255}}, {.36, .50, .08, .10, false, color.RGBA{120, 168, 190, 255}},
		{.64, .50, .08, .10, false, color.RGBA{120, 168, 190, 255}}, {.48, .60, .12, .22, false, color.RGBA{94, 70, 58, 255}},
	}},
}

// picture draws a scene, so that the program carries no photographs.
func picture(name string) *simulator.InboundFile {
	const width, height = 640, 480
	s := scenes[name]
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetRGBA(x, y, s.at(float64(x)/width, float64(y)/height))
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 82}); err != nil {
		panic(err) // writing to memory never fails
	}
	return &simulator.InboundFile{MimeType: "image/jpeg", Data: b.Bytes()}
}

func (s scene) at(x, y float64) color.RGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-y) + float64(b)*y)) }
	c := color.RGBA{mix(s.top.R, s.bottom.R), mix(s.top.G, s.bottom.G), mix(s.top.B, s.bottom.B), 255}
	for _, sh := range s.shapes {
		if sh.covers(x, y) {
			c = sh.paint
		}
	}
	return c
}

func (s shape) covers(x, y float64) bool {
	dx, dy := (x-s.x)/s.w, (y-s.y)/s.h
	if dx < 0 || dx > 1 || dy < 0 || dy > 1 {
		return false
	}
	return !s.round || (dx-.5)*(dx-.5)+(dy-.5)*(dy-.5) <= .25
}
