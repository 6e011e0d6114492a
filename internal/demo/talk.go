package demo

import (
	"time"

	"github.com/parleyhq/parley/internal/simulator"
)

// talk is a conversation of the week: its past, the late lines, and the team's actions.
type talk struct {
	phone, name string
	sales       bool   // with the sales number
	past        []line // from both sides, handed over by the phone app
	late        []line // from the person, by late callbacks, which open the window and are unread
	to          string // the assignee: a key of the crew
	labels      []string
	notes       []note
	read        bool // the late lines have been read
	sends       []send
	end         string // resolved, pending, tomorrow (snoozed until then) or reply (until the person writes)
	fails       int    // the code with which messages to the person fail
	person      person
}

// person is what the team has written down about somebody.
type person struct {
	consent string // to marketing
	labels  []string
	note    string
}

// line is one message of a talk.
type line struct {
	ago     time.Duration
	out     bool
	kind    string
	content any
	file    *simulator.InboundFile
	quotes  int // the line that this one replies to, counted from 1
	reacts  int // the line that this one reacts to
	status  string
	fields  map[string]any // fields beside the content
}

type note struct{ by, text, mentions string }

// send is a message that a colleague sends now.
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
