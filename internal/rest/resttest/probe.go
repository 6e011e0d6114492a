// Package resttest has the body that the tests of bodies send. Only tests import it.
package resttest

// ProbeBody has a field of every sort that bodies have.
type ProbeBody struct {
	Name  string       `json:"name" minLength:"1" maxLength:"10"`
	Kind  string       `json:"kind" enum:"a,b"`
	Count int64        `json:"count,omitzero" minimum:"-5" maximum:"1000"`
	Small int8         `json:"small,omitzero"`
	Big   int64        `json:"big,omitzero"`
	Ratio float64      `json:"ratio,omitzero"`
	Flag  bool         `json:"flag,omitzero"`
	Note  *string      `json:"note,omitzero" nullable:"true" maxLength:"10"`
	Email string       `json:"email,omitzero" format:"email"`
	At    string       `json:"at,omitzero" format:"date-time"`
	Link  string       `json:"link,omitzero" format:"uri"`
	Code  string       `json:"code,omitzero" pattern:"^[a-z]{2}$"`
	Tags  []string     `json:"tags,omitzero" minItems:"1" maxItems:"3"`
	Inner *ProbeInner  `json:"inner,omitzero"`
	Items []ProbeInner `json:"items,omitzero"`
	Free  any          `json:"free,omitzero"`
	Hook  string       `json:"hook,omitzero"`
}

// ProbeInner is an object inside a body.
type ProbeInner struct {
	ID    string `json:"id"`
	Title string `json:"title,omitzero" maxLength:"5"`
}
