package api

import (
	"net/http"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/rest"
	"github.com/parleyhq/parley/internal/store"
)

func registerOptOutWords(a *API) {
	rest.Read(a.shared, rest.Operation{
		Method: http.MethodGet, Path: "/opt_out_words", ID: "getOptOutWords", Tag: "Broadcasts", Role: chat.RoleAdmin,
		Summary: "Get the words by which people opt out",
		Description: "Who writes nothing but a stop word wants no marketing any more, and is answered once; a start word undoes that. " +
			"Words of every language count, whatever the person speaks.",
	}, getOptOutWords)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodPatch, Path: "/opt_out_words/{language}", ID: "setOptOutWords", Tag: "Broadcasts", Role: chat.RoleAdmin,
		Summary: "Choose the words of a language", Description: "Fields that are left out stay as they are; at least one is needed. They count within ten seconds.",
	}, setOptOutWords)

	rest.Write(a.shared, rest.Operation{
		Method: http.MethodDelete, Path: "/opt_out_words/{language}", ID: "resetOptOutWords", Tag: "Broadcasts", Role: chat.RoleAdmin,
		Summary: "Go back to the default words of a language", Description: "A language without default words has none then.",
	}, resetOptOutWords)
}

type allOptOutWordsView struct {
	Object    string            `json:"object" enum:"opt_out_words"`
	Languages []optOutWordsView `json:"languages"`
}

type optOutWordsView struct {
	Language   string   `json:"language"`
	Default    bool     `json:"default" doc:"Nobody has chosen others."`
	Stop       []string `json:"stop"`
	Start      []string `json:"start"`
	StopReply  string   `json:"stop_reply" doc:"Empty: none is sent."`
	StartReply string   `json:"start_reply" doc:"Empty: none is sent."`
}

func viewOptOutWords(w chat.OptOutWords) optOutWordsView {
	return optOutWordsView{
		Language: w.Language, Default: w.Default, Stop: append([]string{}, w.Stop...), Start: append([]string{}, w.Start...), StopReply: w.StopReply, StartReply: w.StartReply,
	}
}

func getOptOutWords(c *rest.Call, _ *noInput) (allOptOutWordsView, error) {
	return allOptOutWords(c.Read(), c)
}

func allOptOutWords(r store.Reader, c *rest.Call) (allOptOutWordsView, error) {
	all, err := core.OptOutWords(r, c.OrgID())
	v := allOptOutWordsView{Object: "opt_out_words", Languages: []optOutWordsView{}}
	for _, w := range all {
		v.Languages = append(v.Languages, viewOptOutWords(w))
	}
	return v, err
}

type optOutWordsInput struct {
	Language string `path:"language" pattern:"^[a-z]{2,3}$" doc:"Such as en or id."`
}

type setOptOutWordsInput struct {
	Language string `path:"language" pattern:"^[a-z]{2,3}$" doc:"Such as en or id."`
	Body     setOptOutWordsBody
}

type setOptOutWordsBody struct {
	Stop       []string `json:"stop,omitempty" maxItems:"20" doc:"Each with up to 40 letters and digits, and no start word of any language."`
	Start      []string `json:"start,omitempty" maxItems:"20" doc:"No stop word of any language."`
	StopReply  *string  `json:"stop_reply,omitempty" maxLength:"1000" doc:"Empty: none is sent."`
	StartReply *string  `json:"start_reply,omitempty" maxLength:"1000"`
}

func setOptOutWords(tx *store.Tx, c *rest.Call, in *setOptOutWordsInput) (allOptOutWordsView, error) {
	all, err := core.OptOutWords(tx.Reader, c.OrgID())
	if err != nil {
		return allOptOutWordsView{}, err
	}
	w := chat.OptOutWords{OrgID: c.OrgID(), Language: in.Language}
	for _, known := range all {
		if known.Language == in.Language {
			w = known
			w.OrgID = c.OrgID()
		}
	}
	b := in.Body
	w.Stop, w.Start = orKeep(b.Stop, w.Stop), orKeep(b.Start, w.Start)
	if b.StopReply != nil {
		w.StopReply = *b.StopReply
	}
	if b.StartReply != nil {
		w.StartReply = *b.StartReply
	}
	if _, err := core.SetOptOutWords(tx, w); err != nil {
		return allOptOutWordsView{}, err
	}
	return allOptOutWords(tx.Reader, c)
}

func orKeep(given, before []string) []string {
	if given == nil {
		return before
	}
	return given
}

func resetOptOutWords(tx *store.Tx, c *rest.Call, in *optOutWordsInput) (allOptOutWordsView, error) {
	if err := core.ResetOptOutWords(tx, c.OrgID(), in.Language); err != nil {
		return allOptOutWordsView{}, err
	}
	return allOptOutWords(tx.Reader, c)
}
