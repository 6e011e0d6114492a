package demo

import (
	"time"

	"github.com/parleyhq/parley/internal/simulator"
)

// talk is a conversation of the week: what was said before, what has come since, and what the team has done.
type talk struct {
	phone, name string
	sales       bool   // it is with the sales number
	past        []line // of both sides, handed over by the phone app
	late        []line // of the person, by callbacks that come late: they open the window and are unread
	to          string // whose it is: a key of the crew
	labels      []string
	notes       []note
	read        bool // what came late has been read
	sends       []send
	end         string // resolved, pending, tomorrow (snoozed until then) or reply (until the person writes)
	fails       int    // the code with which messages to the person fail
}

// line is a message of the past.
type line struct {
	ago     time.Duration
	out     bool
	kind    string
	content any
	file    *simulator.InboundFile
	quotes  int // the place of the line that this one answers, counted from 1
	reacts  int // likewise
	status  string
	fields  map[string]any // beside the content
}

type note struct{ by, text, mentions string }

// send is what somebody of the crew sends now.
type send struct {
	by      string
	kind    string
	content any
}

const (
	day  = 24 * time.Hour
	hour = time.Hour
	min  = time.Minute
)

type text struct {
	Body string `json:"body"`
}

func in(ago time.Duration, body string) line {
	return line{ago: ago, kind: "text", content: text{body}}
}

func out(ago time.Duration, body string) line {
	return line{ago: ago, out: true, kind: "text", content: text{body}}
}

// file is a message with a file.
func file(ago time.Duration, kind, caption string, f *simulator.InboundFile) line {
	l := line{ago: ago, kind: kind, file: f}
	if caption != "" {
		l.content = map[string]string{"caption": caption}
	}
	return l
}

func place(ago time.Duration, name, address string, latitude, longitude float64) line {
	return line{ago: ago, kind: "location", content: simulator.ChatLocation{Latitude: latitude, Longitude: longitude, Name: name, Address: address}}
}

func reaction(ago time.Duration, on int, emoji string) line {
	return line{ago: ago, kind: "reaction", content: emoji, reacts: on}
}

func (l line) fromUs() line                 { l.out = true; return l }
func (l line) answering(n int) line         { l.quotes = n; return l }
func (l line) only(status string) line      { l.status = status; return l }
func (l line) with(key string, v any) line  { l.fields = map[string]any{key: v}; return l }
func says(by, body string) send             { return send{by, "text", text{body}} }
func sends(by, kind string, v any) send     { return send{by, kind, v} }
func remark(by, body, mentions string) note { return note{by, body, mentions} }
