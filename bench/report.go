package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// report is everything a run found; -json writes it unchanged.
type report struct {
	Machine machine `json:"machine"`
	Load    string  `json:"load"`
	Groups  []group `json:"groups"`
}

type machine struct {
	Cores    int           `json:"cores"`
	System   string        `json:"system"`
	Go       string        `json:"go"`
	Postgres string        `json:"postgres,omitempty"`
	Fsync    time.Duration `json:"fsync_ns"`
}

// group is one table: the bare limits, or one engine.
type group struct {
	Name     string        `json:"name"`
	Start    time.Duration `json:"start_ns,omitzero"` // from exec to the first healthy answer
	StartRSS int64         `json:"start_rss_bytes,omitzero"`
	Rows     []figures     `json:"rows"`
	Failure  string        `json:"failure,omitempty"` // why it has no rows
}

func (m machine) String() string {
	line := fmt.Sprintf("%d cores, %s, %s", m.Cores, m.System, m.Go)
	if m.Postgres != "" {
		line += ", PostgreSQL " + m.Postgres
	}
	return line + fmt.Sprintf(", fsync of 4 KiB %s", milliseconds(m.Fsync))
}

func (r *report) writeJSON(name string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// write prints the tables as Markdown that is also readable in a terminal.
func (r *report) write(w io.Writer) {
	fmt.Fprintf(w, "Machine: %s\nLoad: %s\n", r.Machine, r.Load)
	for _, g := range r.Groups {
		fmt.Fprintf(w, "\n### %s\n\n", g.Name)
		if g.Start > 0 {
			fmt.Fprintf(w, "Start to first healthy answer %s, resident then %s MB.\n\n", milliseconds(g.Start), megabytes(g.StartRSS))
		}
		if len(g.Rows) > 0 {
			writeTable(w, g.table())
		}
		g.writeProblems(w)
	}
}

func (g *group) table() [][]string {
	rows := [][]string{{"scenario", "req/s", "p50 ms", "p95 ms", "p99 ms", "CPU µs/req", "DB µs/req", "RSS MB", "peak MB", "errors", "bare req/s", "of bare", "load"}}
	for _, f := range g.Rows {
		bare, share := "-", "-"
		if f.Limit > 0 && f.Requests > 0 {
			bare, share = fmt.Sprintf("%.0f", f.Limit), fmt.Sprintf("%.0f %%", 100*f.PerSecond/f.Limit)
		}
		rows = append(rows, []string{
			f.Name, orDash(f.Requests > 0, fmt.Sprintf("%.0f", f.PerSecond)),
			orDash(f.Requests > 0, fraction(f.P50)), orDash(f.Requests > 0, fraction(f.P95)), orDash(f.Requests > 0, fraction(f.P99)),
			orDash(f.CPUMicros > 0, fmt.Sprintf("%.0f", f.CPUMicros)),
			orDash(f.DBMicros > 0, fmt.Sprintf("%.0f", f.DBMicros)),
			megabytes(f.RSS), megabytes(f.PeakRSS), fmt.Sprint(f.Errors), bare, share, orDash(f.Load != "", f.Load),
		})
	}
	return rows
}

// writeProblems explains below the table what its numbers cannot.
func (g *group) writeProblems(w io.Writer) {
	for _, f := range g.Rows {
		if f.Failure != "" {
			fmt.Fprintf(w, "\nFAILED: %s: %s\n", f.Name, f.Failure)
		}
		if f.Errors > 0 {
			fmt.Fprintf(w, "\nERRORS: %s: answers by unexpected status %v; the first: %s\n", f.Name, f.Statuses, f.FirstBody)
		}
	}
	if g.Failure != "" {
		fmt.Fprintf(w, "\nFAILED: %s\n", g.Failure)
	}
}

// failed tells whether any figure cannot be trusted.
func (r *report) failed() bool {
	return slices.ContainsFunc(r.Groups, func(g group) bool {
		return g.Failure != "" || slices.ContainsFunc(g.Rows, func(f figures) bool { return f.Failure != "" || f.Errors > 0 })
	})
}

// perSecond finds a measured row by name; 0 if it was left out.
func (r *report) perSecond(name string) float64 {
	for _, g := range r.Groups {
		for _, f := range g.Rows {
			if f.Name == name {
				return f.PerSecond
			}
		}
	}
	return 0
}

// writeTable aligns the first column left and the figures right.
func writeTable(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, row := range rows {
		fmt.Fprintln(w, tableLine(row, widths))
		if n == 0 {
			fmt.Fprintln(w, ruler(widths))
		}
	}
}

func tableLine(row []string, widths []int) string {
	var line strings.Builder
	for i, cell := range row {
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i == 0 {
			line.WriteString("| " + cell + pad + " ")
		} else {
			line.WriteString("| " + pad + cell + " ")
		}
	}
	return line.String() + "|"
}

func ruler(widths []int) string {
	var line strings.Builder
	for i, width := range widths {
		end := ":"
		if i == 0 {
			end = "-"
		}
		line.WriteString("|" + strings.Repeat("-", width+1) + end)
	}
	return line.String() + "|"
}

func milliseconds(d time.Duration) string { return fraction(d) + " ms" }

func fraction(d time.Duration) string {
	return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond))
}

func megabytes(n int64) string { return orDash(n > 0, fmt.Sprintf("%.0f", float64(n)/1e6)) }

func orDash(known bool, text string) string {
	if known {
		return text
	}
	return "-"
}
