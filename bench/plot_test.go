package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestChart(t *testing.T) {
	c := chart{title: "Cost <by> size", x: "messages", y: "ms"}
	for x, y := range map[int]float64{1_000: 2, 1_000_000: 7.5} {
		c.add("lists & threads", x, y)
	}
	c.add("sends", 1_000, 0)
	if got := c.top(); got != 8 {
		t.Errorf("the axis ends at %v, want 8", got)
	}
	drawing := c.svg()
	for _, want := range []string{"Cost &lt;by&gt; size", "lists &amp; threads", ">1,000,000<"} {
		if !strings.Contains(drawing, want) {
			t.Errorf("the drawing lacks %q", want)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(drawing)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12_345_678: "12,345,678"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
