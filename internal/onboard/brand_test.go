package onboard

import (
	"fmt"
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

var tone = regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6})`)

// Whatever colour an organization chooses, texts on it and in it can be read, in light and in dark.
func TestBrandsCanBeRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		color := fmt.Sprintf("#%06x", rapid.IntRange(0, 0xffffff).Draw(rt, "color"))
		found := tone.FindAllStringSubmatch(string(brandStyle(color)), -1)
		if len(found) != 8 {
			rt.Fatalf("the style is %s", brandStyle(color))
		}
		for _, scheme := range [][][]string{found[:4], found[4:]} {
			tones := map[string]rgb{}
			for _, f := range scheme {
				tones[f[1]] = parseColor(f[2])
			}
			for on, ground := range map[string]string{"on-accent": "accent", "mark": "tint"} {
				if got := contrast(tones[on], tones[ground]); got < 4.5 {
					rt.Errorf("%s on %s has a contrast of %.2f in %v", on, ground, got, scheme)
				}
			}
		}
	})
}
