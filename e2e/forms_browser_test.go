//go:build browser

package e2e

import "testing"

// submits takes a template through the builder to its review.
func submits(s *Screen, number, name string) storedTemplate {
	s.t.Helper()
	s.Accessible()
	s.Press("button", "Submit for review")
	s.Has("heading", name)
	return becomes(s, "/"+number+"/templates/"+name, func(x storedTemplate) bool { return x.Status == "approved" })
}

// TestDashboardSeldomTemplates: a carousel, a one-time code and a header with a location are written and submitted, and
// one of them is sent to a phone as a test.
func TestDashboardSeldomTemplates(t *testing.T) {
	t.Parallel()
	srv, s := atDesk(t)
	number := s.numberID()

	s.Open(srv.URL() + "/templates/new")
	s.Write("Name", "find_us")
	s.Press("button", "Location")
	s.Says("Each message carries its own location.")
	s.Write("Body text", "Our new shop is open. Come and see us.")
	if made := submits(s, number, "find_us"); made.Components[0].Format != "LOCATION" {
		t.Errorf("its header is %+v", made.Components[0])
	}

	s.Open(srv.URL() + "/templates/new")
	s.Write("Name", "one_time_code")
	s.pick("Category", "Authentication")
	s.Press("checkbox", "Add “do not share this code”")
	s.Write("The code expires after (minutes)", "10")
	s.SaysIn("Preview", "This code expires in 10 minutes.")
	made := submits(s, number, "one_time_code")
	if len(made.Components) < 2 {
		t.Errorf("it has the components %+v", made.Components)
	}

	s.Open(srv.URL() + "/templates/new")
	s.Write("Name", "autumn_cards")
	s.pick("Category", "Marketing")
	s.Press("button", "Carousel of cards")
	s.Write("Body text", "Three things for the autumn that we like a lot.")
	file := writeFile(t, "card.png", sunset(t))
	for _, n := range []string{"1", "2"} {
		if _, found := s.find("group", "Card "+n); !found {
			s.Press("button", "Add card")
		}
		s.Press("button", "Choose a file: File of card "+n)
		s.Has("button", "Upload files")
		s.chooseFiles("Upload files", file)
		s.Has("button", "Choose another: File of card "+n)
		s.Write("Text of card "+n, "A warm thing for cold days.")
		s.Write("Card "+n+": Text of button 1", "I like it")
	}
	cards := submits(s, number, "autumn_cards")
	if last := cards.Components[len(cards.Components)-1]; last.Type != "CAROUSEL" {
		t.Errorf("it ends with %+v", last)
	}

	s.Open(srv.URL() + "/templates/hello_world")
	s.Press("button", "Send a test")
	s.Write("Phone number", "+4915155500123")
	s.pressInDialog("Send template")
	s.onPhone("4915155500123", func(l phoneLine) bool { return l.From == "business" })
	s.Content()
}

// TestDashboardOptOutWords: custom words are saved, and take effect when a person writes one.
func TestDashboardOptOutWords(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 1280, 800)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/settings/words")
	s.Press("button", "Add language")
	s.Write("Language", "fr")
	s.writeInDialog("Stop words", "arret")
	s.enter()
	s.enter()                                 // with nothing typed it must not save the form
	s.writeInDialog("Start words", "reprise") // leaving a field saves its content
	s.Write("Reply to a stop word", "Vous ne recevrez plus rien.")
	s.Until(`[...document.querySelectorAll("[role=dialog] .mantine-Pill-label")].length === 2`)
	s.Accessible()
	s.pressInDialog("Save")
	s.SaysIn("Opt-out words", "arret")
	s.SaysIn("Opt-out words", "Changed")
	words := stored[struct {
		Languages []struct {
			Language    string
			Stop, Start []string
			StopReply   string `json:"stop_reply"`
		}
	}](s, "/opt_out_words")
	found := false
	for _, w := range words.Languages {
		if w.Language == "fr" {
			found = len(w.Stop) == 1 && w.Stop[0] == "arret" && len(w.Start) == 1 && w.StopReply == "Vous ne recevrez plus rien."
		}
	}
	if !found {
		t.Errorf("the words are %+v", words)
	}
	// A person who writes the word gets an answer, and no marketing any more.
	s.phoneWrites(dewi, map[string]any{"type": "text", "text": "Arret"})
	s.onPhone(dewi, wrote("business", "Vous ne recevrez plus rien."))
	if people := stored[[]storedContact](s, "/contacts?search=Dewi"); len(people) != 1 || people[0].MarketingConsent != "opted_out" {
		t.Errorf("the contact is %+v", people)
	}
	s.Content()
}
