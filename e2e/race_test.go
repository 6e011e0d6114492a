//go:build race

package e2e

// raceEnabled makes the program a race-detecting one too.
const raceEnabled = true
