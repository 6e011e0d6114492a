package cloud

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parleyhq/parley/internal/chat"
)

func TestProfile(t *testing.T) {
	t.Parallel()
	u := answering(t, http.StatusOK, nil, `{"data":[{"messaging_product":"whatsapp","about":"Open","websites":["https://a.example/"],
		"vertical":"RETAIL","profile_picture_url":"https://pps.example/1.jpg"}]}`)
	got, err := u.Profile(context.Background(), number)
	want := chat.BusinessProfile{About: "Open", Vertical: "RETAIL", Websites: []string{"https://a.example/"}, PictureURL: "https://pps.example/1.jpg"}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v (-want +got)\n%s", err, d)
	}
	if r := <-u.requests; r.method != http.MethodGet || !strings.HasPrefix(r.path, "/v24.0/"+number.PhoneNumberID+"/whatsapp_business_profile?fields=about,") {
		t.Errorf("called %s %s", r.method, r.path)
	}
}

// Only changed fields are sent; an empty text clears a field.
func TestUpdateProfile(t *testing.T) {
	t.Parallel()
	u := answering(t, http.StatusOK, nil, `{"success":true}`)
	err := u.UpdateProfile(context.Background(), number, chat.ProfileChange{About: new("Grüße"), Address: new(""), Websites: &[]string{}})
	r := <-u.requests
	if want := `{"messaging_product":"whatsapp","about":"Grüße","address":"","websites":[]}`; err != nil || string(r.body) != want {
		t.Errorf("sent %s, want %s, %v", r.body, want, err)
	}
}
