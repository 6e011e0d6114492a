package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// chart is a drawing of curves over a quantity that grows by factors.
type chart struct {
	file, title, x, y string
	curves            []curve
}

type curve struct {
	name   string
	points []point
}

type point struct{ x, y float64 }

// add appends a point to the curve of a name.
func (c *chart) add(name string, x int, y float64) {
	i := slices.IndexFunc(c.curves, func(k curve) bool { return k.name == name })
	if i < 0 {
		i = len(c.curves)
		c.curves = append(c.curves, curve{name: name})
	}
	c.curves[i].points = append(c.curves[i].points, point{float64(x), y})
}

// The drawing's measures, and colours that are legible on its white ground.
const (
	plotWidth, plotHeight = 720, 320
	plotLeft, plotRight   = 64, 24
	plotTop, plotBottom   = 76, 48
	gridLines             = 4
)

var inks = []string{"#0f766e", "#b45309", "#4338ca", "#be123c"}

// svg draws the chart: logarithmic from left to right, linear from zero upwards.
func (c *chart) svg() string {
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12" fill="#475569">`+"\n",
		plotWidth, plotHeight)
	fmt.Fprintf(&out, `<rect width="%d" height="%d" rx="8" fill="#ffffff"/>`+"\n", plotWidth, plotHeight)
	text(&out, 20, 28, "start", `font-size="15" font-weight="600" fill="#0f172a"`, c.title)
	c.grid(&out)
	legend := float64(plotLeft)
	for i, k := range c.curves {
		ink := inks[i%len(inks)]
		fmt.Fprintf(&out, `<circle cx="%.0f" cy="52" r="4" fill="%s"/>`+"\n", legend, ink)
		text(&out, legend+10, 56, "start", "", k.name)
		legend += 34 + 6.4*float64(len(k.name))
		c.line(&out, k, ink)
	}
	return out.String() + "</svg>\n"
}

func (c *chart) line(out *strings.Builder, k curve, ink string) {
	var path []string
	for _, p := range k.points {
		path = append(path, fmt.Sprintf("%.1f,%.1f", c.across(p.x), c.up(p.y)))
	}
	fmt.Fprintf(out, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(path, " "), ink)
	for _, p := range k.points {
		fmt.Fprintf(out, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", c.across(p.x), c.up(p.y), ink)
	}
}

// grid draws the axes with their marks: the steps that were measured, and even steps of the other quantity.
func (c *chart) grid(out *strings.Builder) {
	for i := range gridLines + 1 {
		value := c.top() * float64(i) / gridLines
		fmt.Fprintf(out, `<path d="M%d %.1fH%d" stroke="#e2e8f0"/>`+"\n", plotLeft, c.up(value), plotWidth-plotRight)
		text(out, plotLeft-8, c.up(value)+4, "end", "", fmt.Sprintf("%.4g", value))
	}
	for _, p := range c.curves[0].points {
		text(out, c.across(p.x), plotHeight-plotBottom+18, "middle", "", thousands(int(p.x)))
	}
	text(out, plotWidth-plotRight, plotHeight-10, "end", "", c.x)
	text(out, plotWidth-plotRight, 28, "end", "", c.y)
}

func text(out *strings.Builder, x, y float64, anchor, attributes, words string) {
	fmt.Fprintf(out, `<text x="%.1f" y="%.1f" text-anchor="%s" %s>%s</text>`+"\n", x, y, anchor, attributes, html.EscapeString(words))
}

func (c *chart) across(x float64) float64 {
	points := c.curves[0].points
	first, last := math.Log(points[0].x), math.Log(points[len(points)-1].x)
	share := 0.5
	if last > first {
		share = (math.Log(x) - first) / (last - first)
	}
	const margin = 24
	return plotLeft + margin + share*(plotWidth-plotLeft-plotRight-2*margin)
}

func (c *chart) up(y float64) float64 {
	return plotHeight - plotBottom - y/c.top()*(plotHeight-plotTop-plotBottom)
}

// top is a round number that no point is above.
func (c *chart) top() float64 {
	highest := 0.0
	for _, k := range c.curves {
		for _, p := range k.points {
			highest = max(highest, p.y)
		}
	}
	if highest <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(highest)))
	for _, step := range []float64{1, 2, 4, 6, 8} {
		if step*unit >= highest {
			return step * unit
		}
	}
	return 10 * unit
}

// thousands writes a number with its thousands apart.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
