package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/store/storetest"
)

// Every list is read along an index in its order: no table is scanned, and only the rows of one page are
// sorted.
func TestListsAreServedByTheirIndexes(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st := openForPlans(t, engine)
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "123456")
		for _, list := range plannedLists(org.ID, account.ID) {
			for _, after := range []*store.Position{nil, {At: st.Now(), ID: "x"}} {
				plans, err := store.Plans(t.Context(), st, func(r store.Reader) error { return list.read(r, store.Page{Limit: 10, After: after}) })
				requireNoError(t, err)
				// On such small tables PostgreSQL picks any index that serves.
				plan := strings.Join(plans, "\n")
				if sorts(plan) || engine == storetest.SQLite && !strings.Contains(plan, list.index) {
					t.Errorf("%s is not read along %s:\n%s", list.name, list.index, plan)
				}
			}
		}
	})
}

func sorts(plan string) bool {
	return slices.ContainsFunc([]string{"TEMP B-TREE", "Sort", "Seq Scan", "SCAN"}, func(step string) bool { return strings.Contains(plan, step) })
}

// openForPlans makes PostgreSQL use an index wherever one serves, which it would not do on such small tables.
func openForPlans(t *testing.T, engine storetest.Engine) *store.Store {
	cfg := storetest.NewConfig(t, engine)
	if cfg.URL != "" {
		// Disabled plan nodes are so expensive that statements would be compiled.
		cfg.URL += "&enable_seqscan=off&enable_bitmapscan=off&enable_sort=off&enable_hashjoin=off&jit=off"
	}
	return storetest.OpenAt(t, cfg)
}

type plannedList struct {
	name, index string
	read        func(store.Reader, store.Page) error
}

func plannedLists(orgID, accountID string) []plannedList {
	conversations := func(name, index string, f store.ConversationFilter) plannedList {
		return plannedList{"conversations " + name, index, func(r store.Reader, p store.Page) error {
			_, err := r.Conversations(orgID, accountID, f, p)
			return err
		}}
	}
	contacts := func(name, index string, f store.ContactFilter) plannedList {
		return plannedList{"contacts " + name, index, func(r store.Reader, p store.Page) error {
			_, err := r.Contacts(orgID, accountID, f, p)
			return err
		}}
	}
	accounts := func(name, index string, f store.AccountFilter) plannedList {
		return plannedList{"accounts " + name, index, func(r store.Reader, p store.Page) error {
			_, err := r.Accounts(orgID, f, p)
			return err
		}}
	}
	customers := func(name, index string, f store.CustomerFilter) plannedList {
		return plannedList{"customers " + name, index, func(r store.Reader, p store.Page) error {
			_, err := r.Customers(orgID, f, p)
			return err
		}}
	}
	links := func(status chat.SetupLinkStatus) plannedList {
		return plannedList{"setup links " + string(status), "setup_links_by_customer", func(r store.Reader, p store.Page) error {
			_, err := r.SetupLinks(orgID, "x", status, time.UnixMilli(1), p)
			return err
		}}
	}
	templates := func(name, index string, f store.TemplateFilter) plannedList {
		return plannedList{"templates " + name, index, func(r store.Reader, p store.Page) error {
			_, err := r.Templates(orgID, "waba", f, p)
			return err
		}}
	}
	deliveries := func(name, index string, f store.DeliveryFilter) plannedList {
		return plannedList{"deliveries " + name, index, func(r store.Reader, p store.Page) error {
			_, err := r.WebhookDeliveries(orgID, f, p)
			return err
		}}
	}
	since := time.UnixMilli(1)
	recipients := func(name, index string, f store.RecipientFilter) plannedList {
		return plannedList{"recipients " + name, index, func(r store.Reader, p store.Page) error {
			if _, err := r.Recipients(orgID, "bct_x", f, p); err != nil {
				return err
			}
			_, err := r.RecipientsAfter(orgID, "bct_x", f, "bcr_x", p.Limit)
			return err
		}}
	}
	return []plannedList{
		recipients("all", "sqlite_autoindex_broadcast_recipients", store.RecipientFilter{}),
		recipients("that failed", "broadcast_recipients_by_status", store.RecipientFilter{Statuses: []chat.RecipientStatus{chat.RecipientFailed}}),
		recipients("that were sent", "broadcast_recipients_by_status", store.RecipientFilter{
			Statuses: []chat.RecipientStatus{chat.RecipientSent, chat.RecipientDelivered, chat.RecipientRead}}),
		recipients("by reason", "broadcast_recipients_by_reason", store.RecipientFilter{Reason: "x"}),
		recipients("that replied", "broadcast_recipients_replied", store.RecipientFilter{Replied: true}),
		recipients("that opted out", "broadcast_recipients_opted_out", store.RecipientFilter{OptedOut: true}),
		{"broadcasts of all numbers", "sqlite_autoindex_broadcasts_1", func(r store.Reader, p store.Page) error {
			_, err := r.BroadcastsFor(chat.User{OrgID: orgID, ID: "usr_x", Sees: chat.SeesTeams}, store.BroadcastFilter{Status: chat.BroadcastSending}, p)
			return err
		}},
		customers("all", "customers_by_age", store.CustomerFilter{}),
		customers("by status", "customers_by_status", store.CustomerFilter{Status: chat.CustomerActive}),
		customers("by team", "customers_by_team", store.CustomerFilter{TeamID: "x"}),
		customers("by search", "customers_by_age", store.CustomerFilter{Search: "x"}),
		links(""), links(chat.LinkActive), links(chat.LinkExpired), links(chat.LinkRevoked),
		templates("all", "templates_by_age", store.TemplateFilter{}),
		templates("by status", "templates_by_status", store.TemplateFilter{Status: chat.TemplateApproved}),
		templates("by language", "templates_by_language", store.TemplateFilter{Language: "de"}),
		templates("by name", "templates_by_age", store.TemplateFilter{Name: "x", Search: "x", Category: "x"}),
		{"library", "media_of_library", func(r store.Reader, p store.Page) error {
			_, err := r.LibraryFiles(orgID, "x", store.MediaFilter{Kind: "image", Search: "x"}, p)
			return err
		}},
		{"subscriptions", "webhook_subscriptions_by_age", func(r store.Reader, p store.Page) error {
			_, err := r.WebhookSubscriptions(orgID, p)
			return err
		}},
		deliveries("all", "sqlite_autoindex_webhook_deliveries", store.DeliveryFilter{}),
		deliveries("since", "sqlite_autoindex_webhook_deliveries", store.DeliveryFilter{CreatedAfter: &since, CreatedBefore: &since}),
		deliveries("by type", "sqlite_autoindex_webhook_deliveries", store.DeliveryFilter{EventType: chat.EventMessageSent}),
		deliveries("that succeeded", "sqlite_autoindex_webhook_deliveries", store.DeliveryFilter{Status: chat.DeliverySucceeded}),
		deliveries("that wait", "webhook_deliveries_by_status", store.DeliveryFilter{Status: chat.DeliveryPending}),
		deliveries("that died", "webhook_deliveries_by_status", store.DeliveryFilter{Status: chat.DeliveryDead}),
		deliveries("by subscription", "webhook_deliveries_by_subscription", store.DeliveryFilter{SubscriptionID: "x"}),
		deliveries("by subscription that died", "webhook_deliveries_troubled", store.DeliveryFilter{SubscriptionID: "x", Status: chat.DeliveryDead}),
		deliveries("by subscription that failed", "webhook_deliveries_troubled", store.DeliveryFilter{SubscriptionID: "x", Status: chat.DeliveryFailed}),
		deliveries("by event", "webhook_deliveries_by_event", store.DeliveryFilter{EventID: "x"}),
		accounts("all", "accounts_by_age", store.AccountFilter{}),
		accounts("by status", "accounts_by_age", store.AccountFilter{Status: chat.AccountConnected}),
		accounts("by customer", "accounts_by_customer", store.AccountFilter{CustomerID: "x"}),
		accounts("by team", "accounts_by_age", store.AccountFilter{TeamID: "x", TroubledAt: &time.Time{}}),
		contacts("all", "contacts_by_age", store.ContactFilter{}),
		contacts("by search", "contacts_by_age", store.ContactFilter{Search: "x"}),
		contacts("by number", "contacts_by_number", store.ContactFilter{PhoneNumber: "x"}),
		contacts("by BSUID", "contacts_by_bsuid", store.ContactFilter{BSUID: "x"}),
		contacts("by username", "contacts_by_username", store.ContactFilter{Username: "x"}),
		contacts("by number and label", "contacts_by_number", store.ContactFilter{PhoneNumber: "x", LabelID: "x"}),
		conversations("all", "conversations_by_activity", store.ConversationFilter{}),
		conversations("by assignee and status", "conversations_by_assignee", store.ConversationFilter{AssignedTo: "x", Status: chat.ConversationOpen}),
		conversations("by contact", "conversations_by_contact", store.ConversationFilter{ContactID: "x"}),
	}
}

// A list with any status is walked along the index by status, one walk for each. Only the results of one page
// are sorted, and only its rows are read.
func TestConversationsAreFoundByTheirIndexes(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st := openForPlans(t, engine)
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "123456")
		list := func(f store.ConversationFilter) func(store.Reader, store.Page) error {
			return func(r store.Reader, p store.Page) error {
				_, err := r.Conversations(org.ID, account.ID, f, p)
				return err
			}
		}
		inbox := func(sees chat.Visibility, f chat.InboxFilter) func(store.Reader, store.Page) error {
			return func(r store.Reader, p store.Page) error {
				q := store.InboxQuery{InboxFilter: f}
				if f.Number != "" {
					q.AccountID = account.ID
				}
				_, err := r.Inbox(chat.User{ID: "usr_x", OrgID: org.ID, Sees: sees}, q, p)
				return err
			}
		}
		contacts := func(sort chat.ContactSort, f chat.ContactFilter) func(store.Reader, store.Page) error {
			return func(r store.Reader, p store.Page) error {
				if sort == chat.ContactsByName {
					p.After = nil // without a page to continue from
				}
				_, err := r.ListContacts(chat.User{OrgID: org.ID, Sees: chat.SeesAll}, store.ContactQuery{ContactFilter: f}, sort, p)
				return err
			}
		}
		for _, test := range []struct {
			name  string
			read  func(store.Reader, store.Page) error
			index string
			walks int
		}{
			{"of a number, open", list(store.ConversationFilter{Status: "open"}), "conversations_of_org", 2}, // and counts them
			{"of a number, by assignee", list(store.ConversationFilter{AssignedTo: "x"}), "conversations_by_assignee", 3},
			{"open", inbox(chat.SeesAll, chat.InboxFilter{}), "conversations_of_org", 1},
			{"resolved", inbox(chat.SeesAll, chat.InboxFilter{Status: "resolved"}), "conversations_of_org", 1},
			{"any", inbox(chat.SeesAll, chat.InboxFilter{Status: "any"}), "conversations_of_org", 3},
			{"oldest", inbox(chat.SeesAll, chat.InboxFilter{Sort: chat.SortOldest}), "conversations_of_org", 1},
			{"unread", inbox(chat.SeesAll, chat.InboxFilter{Unread: true}), "conversations_of_org", 1},
			{"unassigned", inbox(chat.SeesAll, chat.InboxFilter{View: chat.ViewUnassigned}), "conversations_of_org", 1},
			{"of a team", inbox(chat.SeesAll, chat.InboxFilter{TeamID: org.TeamID}), "conversations_of_org", 1},
			{"of one's teams", inbox(chat.SeesTeams, chat.InboxFilter{}), "conversations_of_org", 1},
			{"of one number", inbox(chat.SeesTeams, chat.InboxFilter{Number: "123456"}), "conversations_of_org", 1},
			{"contacts", contacts(chat.ContactsNewest, chat.ContactFilter{Consent: chat.ConsentOptedIn, Search: "x"}), "contacts_of_org", 1},
			{"contacts by name", contacts(chat.ContactsByName, chat.ContactFilter{Consent: chat.ConsentOptedIn, Search: "x"}), "contacts_by_name", 1},
			{"mine", inbox(chat.SeesAll, chat.InboxFilter{View: chat.ViewMine}), "conversations_by_assignee", 1},
			{"mine of any status", inbox(chat.SeesTeams, chat.InboxFilter{View: chat.ViewMine, Status: "any"}), "conversations_by_assignee", 3},
			{"mine of a number", inbox(chat.SeesAll, chat.InboxFilter{View: chat.ViewMine, Number: "123456"}), "conversations_by_assignee", 1},
			{"assigned only", inbox(chat.SeesAssigned, chat.InboxFilter{}), "conversations_by_assignee", 1},
			{"waiting", inbox(chat.SeesAll, chat.InboxFilter{Sort: chat.SortWaiting}), "conversations_waiting", 1},
			{"waiting, mine", inbox(chat.SeesTeams, chat.InboxFilter{Sort: chat.SortWaiting, View: chat.ViewMine}), "conversations_waiting", 1},
			{"waiting, of a number", inbox(chat.SeesAll, chat.InboxFilter{Sort: chat.SortWaiting, Number: "123456", Status: "any"}), "conversations_waiting", 1},
			{"snoozed", inbox(chat.SeesAll, chat.InboxFilter{View: chat.ViewSnoozed}), "conversations_snoozed", 1},
			{"snoozed, assigned only", inbox(chat.SeesAssigned, chat.InboxFilter{View: chat.ViewSnoozed}), "conversations_snoozed", 1},
		} {
			for _, after := range []*store.Position{nil, {At: st.Now(), ID: "x"}} {
				plans, err := store.Plans(t.Context(), st, func(r store.Reader) error { return test.read(r, store.Page{Limit: 10, After: after}) })
				requireNoError(t, err)
				plan := strings.Join(plans, "\n")
				if strings.Contains(plan, "SCAN conversations") || strings.Contains(plan, "SCAN c\n") || strings.Contains(plan, "Seq Scan on conversations") {
					t.Errorf("%s scans the table:\n%s", test.name, plan)
				}
				// PostgreSQL has other indexes that serve on such a small table.
				if got := strings.Count(plan, test.index+" "); engine == storetest.SQLite && got != test.walks {
					t.Errorf("%s walks %s %d times, want %d:\n%s", test.name, test.index, got, test.walks, plan)
				}
				// One sort is of the page's rows, and one of each walk's results.
				if sorts := strings.Count(plan, "TEMP B-TREE FOR"); engine == storetest.SQLite && test.walks == 1 && sorts > 1 {
					t.Errorf("%s sorts more than the page:\n%s", test.name, plan)
				}
			}
		}
	})
}

// What was updated since is found along two indexes, in a range of each. Only the results of one page are sorted.
func TestUpdatedConversationsAreFoundByTwoIndexes(t *testing.T) {
	t.Parallel()
	st := openForPlans(t, storetest.SQLite) // PostgreSQL has other indexes that serve on such a small table
	since := time.UnixMilli(1)
	for _, f := range []store.ConversationFilter{{UpdatedSince: &since}, {UpdatedSince: &since, Status: "open", AssignedTo: "x"}} {
		for after, place := range map[*store.Position][2]string{
			nil:                     {"updated_at>?)", "sort_at>?)"},
			{At: st.Now(), ID: "x"}: {"updated_at>? AND (updated_at,id)<(?,?))", "sort_at>? AND (sort_at,id)<(?,?))"},
		} {
			plans, err := store.Plans(t.Context(), st, func(r store.Reader) error {
				_, err := r.Conversations("org_x", "acc_x", f, store.Page{Limit: 10, After: after})
				return err
			})
			requireNoError(t, err)
			plan := strings.Join(plans, "\n")
			for i, index := range []string{"conversations_by_update", "conversations_by_activity"} {
				if want := index + " (org_id=? AND account_id=? AND " + place[i]; !strings.Contains(plan, want) {
					t.Errorf("%+v is not found by %s:\n%s", f, want, plan)
				}
			}
			if strings.Contains(plan, "SCAN c") || strings.Count(plan, "TEMP B-TREE") > 3 {
				t.Errorf("%+v reads or sorts more than a page:\n%s", f, plan)
			}
		}
	}
}

// A label is always found by an index; only the rows behind its links are sorted.
func TestLabelsAreLookedForByIndexes(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st := openForPlans(t, engine)
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "123456")
		label := storetest.Label(t, st, org, "common")
		contact := storetest.Contact(t, st, account, "+4915112345678")
		storetest.InTx(t, st, func(tx *store.Tx) error {
			_, err := tx.AttachToContacts(org.ID, label.ID, []string{contact.ID})
			return err
		})
		for _, test := range []struct {
			name   string
			search store.LabelSearch
			want   []string // of the last statement
		}{
			{"from the links", store.LabelSearch{Few: 1, Many: 1}, []string{"contact_labels_by_label", "contacts"}},
			{"along the list", store.LabelSearch{}, []string{"contacts_by_age", "contact_labels"}},
		} {
			plans, err := store.Plans(t.Context(), st, func(r store.Reader) error {
				_, err := store.LabelledContacts(r, test.search, org.ID, account.ID, label.ID, store.Page{Limit: 10})
				return err
			})
			requireNoError(t, err)
			last := plans[len(plans)-1]
			if strings.Contains(last, "Seq Scan") || strings.Contains(last, "SCAN contact") {
				t.Errorf("%s scans a table:\n%s", test.name, last)
			}
			// On such small tables PostgreSQL picks any index that serves.
			for _, name := range test.want {
				if engine == storetest.SQLite && !strings.Contains(last, name) {
					t.Errorf("%s does without %s:\n%s", test.name, name, last)
				}
			}
		}
	})
}

// Messages are found by walks along indexes alone. Only the results of one page are sorted, and the table is
// read only for the rows of the page.
func TestMessagesAreFoundByTheirIndexes(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, engine storetest.Engine) {
		st := openForPlans(t, engine)
		org := storetest.Org(t, st)
		account := storetest.Account(t, st, org, "123456")
		since := time.UnixMilli(1)
		for _, test := range []struct {
			filter store.MessageFilter
			index  string
			walks  int
		}{
			{store.MessageFilter{}, "messages_by_status", 12},
			{store.MessageFilter{CreatedAfter: &since, CreatedBefore: &since}, "messages_by_status", 12},
			{store.MessageFilter{Direction: "inbound"}, "messages_by_status", 6},
			{store.MessageFilter{Status: "failed"}, "messages_by_status", 2},
			{store.MessageFilter{Status: "failed", Direction: "outbound"}, "messages_by_status", 1},
			{store.MessageFilter{Status: "failed", Type: "text"}, "messages_by_status", 2},
			{store.MessageFilter{Type: "text"}, "messages_by_type", 1},
			{store.MessageFilter{Type: "text", Direction: "inbound"}, "messages_by_type", 1},
			{store.MessageFilter{ConversationID: "x"}, "messages_by_conversation", 1},
			{store.MessageFilter{ConversationID: "x", Status: "failed"}, "messages_by_conversation", 1},
		} {
			for _, after := range []*store.Position{nil, {ID: "msg_x"}} {
				plans, err := store.Plans(t.Context(), st, func(r store.Reader) error {
					_, err := r.Messages(org.ID, account.ID, test.filter, store.Page{Limit: 10, After: after})
					return err
				})
				requireNoError(t, err)
				plan := strings.Join(plans, "\n")
				if strings.Contains(plan, "SCAN messages") || strings.Contains(plan, "SCAN c\n") || strings.Contains(plan, "Seq Scan") {
					t.Errorf("%+v scans the table:\n%s", test.filter, plan)
				}
				if engine == storetest.SQLite && !strings.HasSuffix(strings.TrimSuffix(plan, "\nUSE TEMP B-TREE FOR ORDER BY"), "(org_id=? AND id=?)") {
					t.Errorf("%+v does not end with the rows of the page:\n%s", test.filter, plan)
				}
				// PostgreSQL has other indexes that serve on such a small table.
				if got := strings.Count(plan, test.index); engine == storetest.SQLite && got != test.walks {
					t.Errorf("%+v walks %s %d times, want %d:\n%s", test.filter, test.index, got, test.walks, plan)
				}
			}
		}
	})
}
