package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// A test on each engine is parallel without saying so, because storetest.EachEngine says it. Go panics where it is said twice.
func TestEnginesAreParallelAlready(t *testing.T) {
	t.Parallel()
	twice := regexp.MustCompile(`(?m)^func (Test\w+).*\n(?:\t.*\n|\n)*?\tt\.Parallel\(\)\n(?:\t.*\n|\n)*?` +
		`\t(?:(?:store|world|api|app)test\.\w*(?:Each|InBubble)\w*|each(?:World|Rig|Staff|Case)?|inBubble|onEachEngine)\(t, `)
	for _, pattern := range []string{"*/*_test.go", "*/*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range twice.FindAllSubmatch(text, -1) {
				t.Errorf("%s: remove t.Parallel() from %s", file, found[1])
			}
		}
	}
}
