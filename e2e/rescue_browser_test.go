//go:build browser

package e2e

import "testing"

// refusing answers messages with a refusal, and notes too as soon as answer() is called.
const refusing = `const send = fetch, late = new Promise((go) => { window.answer = go });
	const refusal = () => Response.json({ error: { code: "invalid_field_value", message: "Must be at most 1024 characters long." } }, { status: 400 });
	window.fetch = async (to, how) => {
		if (how?.method !== "POST" || !/(messages|notes)$/.test(to)) return send(to, how);
		if (to.endsWith("notes")) await late;
		return refusal();
	}`

// stalling attaches a file that never arrives.
const stalling = `XMLHttpRequest.prototype.send = () => {};
	const chosen = new DataTransfer(), input = document.querySelector("input[type=file]");
	chosen.items.add(new File(["x"], "Invoice.pdf", { type: "application/pdf" }));
	input.files = chosen.files;
	input.dispatchEvent(new Event("change", { bubbles: true }))`

// What was refused is not lost: a message can be changed, or thrown away and taken back; a note comes back before the one
// that was begun since. A file on its way can be taken back.
func TestDashboardRefusedIsNotLost(t *testing.T) {
	t.Parallel()
	srv := Start(t, WithFlags("--demo"))
	s := OpenScreen(t, 1440, 900)
	signIn(t, s, srv)
	s.Open(srv.URL() + "/inbox/all")
	s.PressIn("Conversations", "Dewi Pratiwi")
	s.does(refusing)
	s.Write("Message", "Dear Dewi")
	s.Press("button", "Send")
	s.Says("Not sent: Use at most 1024 characters.")
	s.Lacks("button", "Try again")
	s.Picture("unsent")
	s.Accessible()
	s.Press("button", "Discard")
	s.Lacks("button", "Discard")
	s.Press("button", "Undo")
	s.Write("Message", "And more")
	s.Press("button", "Edit")
	s.writes("Dear Dewi\n\nAnd more")
	s.Lacks("button", "Edit")
	s.Holds(`document.activeElement.ariaLabel === "Message"`)

	s.does(stalling)
	s.Press("button", "Send")
	s.Has("button", "Cancel")
	s.Picture("uploading")
	leaves := `dispatchEvent(new Event("beforeunload", { cancelable: true }))`
	s.Holds("!" + leaves)
	s.Press("button", "Cancel")
	s.Lacks("button", "Cancel")
	s.Holds(leaves)

	s.Press("tab", "Note")
	s.Write("Message", "She is a regular")
	s.Press("button", "Send")
	s.writes("")
	s.Write("Message", "Call her")
	s.does("window.answer()")
	s.writes("She is a regular\n\nCall her")
	s.Content()
}
