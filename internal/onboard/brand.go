package onboard

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
)

// rgb is a colour, each part from 0 to 1.
type rgb [3]float64

var (
	white     = rgb{1, 1, 1}
	black     = rgb{}
	lightCard = parseColor("#ffffff") // as page.css has it
	darkCard  = parseColor("#16201b")
)

func parseColor(text string) (c rgb) {
	for i := range c {
		part, _ := strconv.ParseUint(text[1+2*i:3+2*i], 16, 8) // settings have checked it
		c[i] = float64(part) / 255
	}
	return c
}

func (c rgb) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(c[0]*255)), int(math.Round(c[1]*255)), int(math.Round(c[2]*255)))
}

// toward is the colour with a share of another in it.
func (c rgb) toward(other rgb, share float64) rgb {
	for i := range c {
		c[i] += (other[i] - c[i]) * share
	}
	return parseColor(c.String()) // what is compared is what is shown
}

// luminance is how bright a colour is, as WCAG counts it.
func (c rgb) luminance() float64 {
	var linear [3]float64
	for i, part := range c {
		if linear[i] = part / 12.92; part > 0.04045 {
			linear[i] = math.Pow((part+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*linear[0] + 0.7152*linear[1] + 0.0722*linear[2]
}

func contrast(a, b rgb) float64 {
	one, two := a.luminance(), b.luminance()
	return (max(one, two) + 0.05) / (min(one, two) + 0.05)
}

// apart is the colour, brought closer to black or white until it has a contrast to what is behind it.
func (c rgb) apart(behind rgb, least float64) rgb {
	end := black
	if contrast(white, behind) > contrast(black, behind) {
		end = white
	}
	for share := 0.0; share < 1; share += 0.05 {
		if moved := c.toward(end, share); contrast(moved, behind) >= least {
			return moved
		}
	}
	return end
}

// tones are what an organization's colour makes of the page's own, on a card.
func tones(c, card rgb, tint float64) string {
	accent := c.apart(card, 1.3) // a button must not be lost on the card
	on := white
	if contrast(black, accent) > contrast(white, accent) {
		on = black
	}
	ground := card.toward(c, tint)
	return fmt.Sprintf(":root { --accent: %s; --on-accent: %s; --tint: %s; --mark: %s; }", accent, on, ground, c.apart(ground, 4.5))
}

// brandStyle is the style that goes behind the page's own; empty where the organization has chosen no colour.
func brandStyle(color string) template.CSS {
	if color == "" {
		return ""
	}
	c := parseColor(color)
	return template.CSS(tones(c, lightCard, 0.12) + " @media (prefers-color-scheme: dark) { " + tones(c, darkCard, 0.2) + " }")
}
