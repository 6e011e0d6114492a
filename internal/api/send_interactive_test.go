package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// buttons is an interactive message with these buttons.
func buttons(list string) string {
	return `{"type":"reply_buttons","body":{"text":"x"},"action":{"buttons":[` + list + `]}}`
}

func button(id, title string) string {
	return `{"type":"reply","reply":{"id":"` + id + `","title":"` + title + `"}}`
}

// listWith is a list with these sections.
func listWith(sections string) string {
	return `{"type":"list","body":{"text":"x"},"action":{"button":"Open","sections":[` + sections + `]}}`
}

// section has rows numbered from first.
func section(title string, first, n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id":"r%d","title":"Row"}`, first+i)
	}
	if title != "" {
		title = `"title":"` + title + `",`
	}
	return `{` + title + `"rows":[` + strings.Join(rows, ",") + `]}`
}

// link is a button that opens a page.
func link(action string) string {
	return `{"type":"cta_url","body":{"text":"x"},"action":` + action + `}`
}

const openPage = `{"name":"cta_url","parameters":{"display_text":"Open","url":"https://example.com/"}}`

// headed is an interactive message with a header.
func headed(header string) string {
	return `{"type":"cta_url","header":` + header + `,"body":{"text":"x"},"action":` + openPage + `}`
}

func interactive(name, object, code, param string) refusedBody {
	if param != "" {
		param = "interactive." + param
	}
	return refusedBody{name, content("interactive", object), code, param}
}

func TestSendInteractive(t *testing.T) {
	t.Parallel()
	const yes = `{"type":"reply","reply":{"id":"y","title":"Yes"}}`
	refuseAll(t, []refusedBody{
		interactive("nothing", `{}`, missing, "type"),
		interactive("no body", `{"type":"button","action":{}}`, missing, "body"),
		interactive("no text", `{"type":"button","body":{},"action":{}}`, missing, "body.text"),
		interactive("no action", `{"type":"button","body":{"text":"x"}}`, missing, "action"),
		interactive("unknown type", `{"type":"flow","body":{"text":"x"},"action":{}}`, bad, "type"),
		interactive("empty text", `{"type":"button","body":{"text":""},"action":{"buttons":[`+yes+`]}}`, bad, "body.text"),
		interactive("long text", `{"type":"button","body":{"text":"`+wide(1025)+`"},"action":{"buttons":[`+yes+`]}}`, bad, "body.text"),
		interactive("long footer", `{"type":"button","body":{"text":"x"},"footer":{"text":"`+wide(61)+`"},"action":{"buttons":[`+yes+`]}}`, bad, "footer.text"),
		interactive("empty footer", `{"type":"button","body":{"text":"x"},"footer":{},"action":{"buttons":[`+yes+`]}}`, missing, "footer.text"),

		interactive("no buttons", `{"type":"button","body":{"text":"x"},"action":{}}`, missing, "action.buttons"),
		interactive("an empty list of buttons", buttons(``), bad, "action.buttons"),
		interactive("four buttons", buttons(button("1", "a")+","+button("2", "b")+","+button("3", "c")+","+button("4", "d")), bad, "action.buttons"),
		interactive("two of one id", buttons(button("1", "a")+","+button("2", "b")+","+button("1", "c")), bad, "action.buttons[2].reply.id"),
		interactive("two of one title", buttons(button("1", "a")+","+button("2", "a")), bad, "action.buttons[1].reply.title"),
		interactive("a button without type", buttons(`{"reply":{"id":"1","title":"a"}}`), missing, "action.buttons[0].type"),
		interactive("a button of another type", buttons(`{"type":"url","reply":{"id":"1","title":"a"}}`), bad, "action.buttons[0].type"),
		interactive("a button without reply", buttons(yes+`,{"type":"reply"}`), missing, "action.buttons[1].reply"),
		interactive("a button without id", buttons(`{"type":"reply","reply":{"title":"a"}}`), missing, "action.buttons[0].reply.id"),
		interactive("a button without title", buttons(`{"type":"reply","reply":{"id":"1"}}`), missing, "action.buttons[0].reply.title"),
		interactive("a button with an empty id", buttons(button("", "a")), bad, "action.buttons[0].reply.id"),
		interactive("a button with an empty title", buttons(button("1", "")), bad, "action.buttons[0].reply.title"),
		interactive("a button with a long id", buttons(button(wide(257), "a")), bad, "action.buttons[0].reply.id"),
		interactive("a button with a long title", buttons(button("1", wide(21))), bad, "action.buttons[0].reply.title"),

		interactive("a link without name", link(`{"parameters":{"display_text":"Open","url":"https://example.com/"}}`), missing, "action.name"),
		interactive("a link with another name", link(`{"name":"url","parameters":{"display_text":"Open","url":"https://example.com/"}}`), bad, "action.name"),
		interactive("a link without parameters", link(`{"name":"cta_url"}`), missing, "action.parameters"),
		interactive("a link without text", link(`{"name":"cta_url","parameters":{"url":"https://example.com/"}}`), missing, "action.parameters.display_text"),
		interactive("a link with an empty text", link(`{"name":"cta_url","parameters":{"display_text":"","url":"https://example.com/"}}`), bad, "action.parameters.display_text"),
		interactive("a link with a long text", link(`{"name":"cta_url","parameters":{"display_text":"`+wide(21)+`","url":"https://example.com/"}}`), bad, "action.parameters.display_text"),
		interactive("a link without address", link(`{"name":"cta_url","parameters":{"display_text":"Open"}}`), missing, "action.parameters.url"),
		interactive("a link with another scheme", link(`{"name":"cta_url","parameters":{"display_text":"Open","url":"tel:+49"}}`), bad, "action.parameters.url"),
		interactive("a link with an empty address", link(`{"name":"cta_url","parameters":{"display_text":"Open","url":""}}`), bad, "action.parameters.url"),
		interactive("a link with a long address", link(`{"name":"cta_url","parameters":{"display_text":"Open","url":"`+webLink(2049)+`"}}`), bad, "action.parameters.url"),

		interactive("a list without button", `{"type":"list","body":{"text":"x"},"action":{"sections":[`+section("", 1, 1)+`]}}`, missing, "action.button"),
		interactive("a list with a long button", `{"type":"list","body":{"text":"x"},"action":{"button":"`+wide(21)+`","sections":[`+section("", 1, 1)+`]}}`, bad, "action.button"),
		interactive("a list without sections", `{"type":"list","body":{"text":"x"},"action":{"button":"Open"}}`, missing, "action.sections"),
		interactive("a list with an empty list of sections", listWith(``), bad, "action.sections"),
		interactive("an empty button, and no sections at all", `{"type":"list","body":{"text":"x"},"action":{"button":""}}`, missing, "action.sections"),
		interactive("neither button nor sections", `{"type":"list","body":{"text":"x"},"action":{}}`, missing, "action.button"),
		interactive("a section without rows", listWith(`{"title":"a"}`), missing, "action.sections[0].rows"),
		interactive("a section with an empty list of rows", listWith(section("", 1, 1)+`,{"title":"a","rows":[]}`), missing, "action.sections[0].title"),
		interactive("only an empty list of rows", listWith(`{"rows":[]}`), bad, "action.sections[0].rows"),
		interactive("eleven rows in one section", listWith(section("", 1, 11)), bad, "action.sections"),
		interactive("eleven rows in two sections", listWith(section("a", 1, 5)+","+section("b", 6, 6)), bad, "action.sections"),
		interactive("the second of two sections without title", listWith(section("a", 1, 1)+","+section("", 2, 1)), missing, "action.sections[1].title"),
		interactive("a long section title", listWith(section(wide(25), 1, 1)), bad, "action.sections[0].title"),
		interactive("two rows of one id", listWith(section("a", 1, 2)+","+section("b", 2, 1)), bad, "action.sections[1].rows[0].id"),
		interactive("a long text of a list", `{"type":"list","body":{"text":"`+wide(4097)+`"},"action":{"button":"Open","sections":[`+section("", 1, 1)+`]}}`, bad, "body.text"),
		interactive("a row without id", listWith(`{"rows":[{"title":"a"}]}`), missing, "action.sections[0].rows[0].id"),
		interactive("a row without title", listWith(`{"rows":[{"id":"1"}]}`), missing, "action.sections[0].rows[0].title"),
		interactive("a row with a long id", listWith(`{"rows":[{"id":"`+wide(201)+`","title":"a"}]}`), bad, "action.sections[0].rows[0].id"),
		interactive("a row with a long title", listWith(`{"rows":[{"id":"1","title":"`+wide(25)+`"}]}`), bad, "action.sections[0].rows[0].title"),
		interactive("a row with a long description", listWith(`{"rows":[{"id":"1","title":"a","description":"`+wide(73)+`"}]}`), bad, "action.sections[0].rows[0].description"),

		interactive("a header without type", headed(`{"text":"a"}`), missing, "header.type"),
		interactive("a header of an unknown type", headed(`{"type":"audio"}`), bad, "header.type"),
		interactive("a text header without text", headed(`{"type":"text"}`), missing, "header.text"),
		interactive("a long text header", headed(`{"type":"text","text":"`+wide(61)+`"}`), bad, "header.text"),
		interactive("an image header without image", headed(`{"type":"image","video":{"link":"https://a.b/"}}`), missing, "header.image"),
		interactive("a video header without source", headed(`{"type":"video","video":{}}`), missing, "header.video.link"),
		interactive("a document header with both", headed(`{"type":"document","document":{"link":"https://a.b/","id":"x"}}`), bad, "header.document.id"),
		interactive("an image header with a bad link", headed(`{"type":"image","image":{"link":"ftp://a.b/"}}`), bad, "header.image.link"),
		interactive("an image header with unknown media", headed(`{"type":"image","image":{"id":"med_00000000000000000000000000"}}`), noMedia, "header.image.id"),
		interactive("a video header with an image", headed(`{"type":"video","video":{"id":"${media_image}"}}`), bad, "header.video.id"),
		interactive("a document header with another team's media", headed(`{"type":"document","document":{"id":"${other}"}}`), noMedia, "header.document.id"),
		interactive("a list with an image header", `{"type":"list","header":{"type":"image","image":{"link":"https://a.b/"}},"body":{"text":"x"},"action":{"button":"Open","sections":[`+section("", 1, 1)+`]}}`, bad, "header.type"),
	})
	takeAll(t, []takenBody{
		{"one button", "interactive", buttons(yes), ""},
		{"a list with a long text", "interactive", `{"type":"list","body":{"text":"` + wide(4096) + `"},"action":{"button":"Open","sections":[` + section("", 1, 1) + `]}}`, ""},
		{"three buttons of full length", "interactive", buttons(button(wide(256), wide(20)) + "," + button("2", "b") + "," + button("3", "c")), ""},
		{"the other name", "interactive", `{"type":"button","body":{"text":"` + wide(1024) + `"},"footer":{"text":"` + wide(60) + `"},"action":{"buttons":[` + yes + `]}}`, ""},
		{"titles that differ in case", "interactive", buttons(button("a", "yes") + "," + button("A", "Yes")), ""},
		{"a link", "interactive", link(openPage), ""},
		{"a link of full length", "interactive", link(`{"name":"cta_url","parameters":{"display_text":"` + wide(20) + `","url":"` + webLink(2048) + `"}}`), ""},
		{"a text header", "interactive", headed(`{"type":"text","text":"` + wide(60) + `"}`), ""},
		{"an image header", "interactive", headed(`{"type":"image","image":{"link":"https://a.b/"}}`), ""},
		{"a video header", "interactive", headed(`{"type":"video","video":{"link":"https://a.b/"}}`), ""},
		{"a document header from the library", "interactive", headed(`{"type":"document","document":{"id":"${media_document}","filename":"a.pdf"}}`), ""},
		{"what the header's type does not name is not looked up", "interactive", headed(`{"type":"text","text":"a","image":{"id":"med_00000000000000000000000000"}}`), ""},
		{"nor is a video or a document beside an image", "interactive", headed(`{"type":"image","image":{"link":"https://a.b/"},"video":{"id":"med_00000000000000000000000000"},"document":{"id":"x"}}`), ""},
		{"nor a video beside a document", "interactive", headed(`{"type":"document","document":{"link":"https://a.b/"},"video":{"id":"med_00000000000000000000000000"}}`), ""},
		{"nor a document beside a text", "interactive", headed(`{"type":"text","text":"a","document":{"id":"med_00000000000000000000000000"}}`), ""},
		{"ten rows in one section", "interactive", listWith(section("", 1, 10)), ""},
		{"ten rows in ten sections", "interactive", listWith(section(wide(24), 0, 1) + tenSections()), ""},
		{"a row of full length", "interactive", listWith(`{"rows":[{"id":"` + wide(200) + `","title":"` + wide(24) + `","description":"` + wide(72) + `"}]}`), ""},
		{"a list with a header", "interactive", `{"type":"list","header":{"type":"text","text":"a"},"body":{"text":"x"},"action":{"button":"` + wide(20) + `","sections":[` + section("", 1, 1) + `]}}`, ""},
	})
}

// tenSections are nine more sections of one row each.
func tenSections() (more string) {
	for i := range 9 {
		more += "," + section(fmt.Sprint("s", i), i+1, 1)
	}
	return more
}
