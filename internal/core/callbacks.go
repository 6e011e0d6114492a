package core

import (
	"cmp"
	"encoding/hex"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/provider"
	"github.com/parleyhq/parley/internal/store"
)

// Applier applies the provider's reports. Applying an update twice, or late, changes nothing that is already true,
// because callbacks are repeated and come in any order.
type Applier struct {
	// PublicURL is where others reach stored files.
	PublicURL string
	// Words caches the words by which people opt out; nil: they are read each time.
	Words *Words
	Log   *slog.Logger
}

// ApplyAll applies updates in their order.
func (a Applier) ApplyAll(tx *store.Tx, updates []provider.Update) error {
	r := round{accounts: map[string]*chat.Account{}, rules: map[string]*chat.Settings{}, messages: map[messageKey]string{}, states: map[string]store.MessageState{}, unsent: map[string]store.SendWork{},
		arrivals: &arrivals{}, unused: &unused{}, ledger: &ledger{by: byCallbacks}, people: &tally{}}
	if err := r.readAccounts(tx, updates); err != nil {
		return err
	}
	if err := r.readMessages(tx, updates); err != nil {
		return err
	}
	if err := r.foresee(tx, updates); err != nil {
		return err
	}
	for _, u := range updates {
		if err := a.apply(tx, u, r); err != nil {
			return err
		}
	}
	if _, err := r.ledger.write(tx); err != nil {
		return err
	}
	if err := r.people.write(tx, byPeople); err != nil {
		return err
	}
	r.unused.tell(a.Log)
	return r.arrivals.handOut(tx)
}

// round is the state that updates share when they are applied together.
type round struct {
	accounts map[string]*chat.Account      // by number; nil for one that is not connected
	rules    map[string]*chat.Settings     // by account; nil if messages trigger nothing
	messages map[messageKey]string         // our ids of the messages of the statuses
	states   map[string]store.MessageState // by our id, as the updates so far have left them
	unsent   map[string]store.SendWork     // by our id: outgoing messages whose provider's id comes with a status
	arrivals *arrivals
	unused   *unused
	ledger   *ledger // status changes of broadcast messages
	people   *tally  // people's answers to broadcasts
}

type messageKey = store.ProviderMessage

// moved notes that the messages of a conversation have moved to another one.
func (r round) moved(m store.Merge) {
	for id, s := range r.states {
		if m.From != "" && s.ConversationID == m.From {
			s.ConversationID, s.ContactID = m.Into, m.Stays
			r.states[id] = s
		}
	}
	clear(r.unsent)
}

// readAccounts reads the accounts of all numbers among the updates.
func (r round) readAccounts(tx *store.Tx, updates []provider.Update) error {
	var numbers []string
	for _, u := range updates {
		number := u.About().PhoneNumberID
		if _, known := r.accounts[number]; number != "" && !known {
			r.accounts[number] = nil
			numbers = append(numbers, number)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	accounts, err := tx.AccountsWithRules(numbers)
	for _, a := range accounts {
		r.accounts[*a.PhoneNumberID], r.rules[a.ID] = &a.Account, a.Rules
	}
	return err
}

// readMessages reads the messages of all statuses among the updates, with a few statements for each organization. A
// message that it does not find is looked up when its status is applied.
func (r round) readMessages(tx *store.Tx, updates []provider.Update) error {
	statuses := map[string][]provider.StatusUpdate{} // by organization
	for _, u := range updates {
		account := r.accounts[u.About().PhoneNumberID]
		if s, ok := u.(provider.StatusUpdate); ok && account != nil {
			statuses[account.OrgID] = append(statuses[account.OrgID], s)
		}
	}
	var strangers []store.Recipient
	for _, orgID := range slices.Sorted(maps.Keys(statuses)) { // the order of locks, here and in RecordSends
		unsent, err := r.readStates(tx, orgID, statuses[orgID])
		if err == nil {
			err = r.readUnsent(tx, orgID, unsent)
		}
		if err != nil {
			return err
		}
		strangers = append(strangers, r.strangers(statuses[orgID])...)
	}
	return tx.ForeseeRecipients(strangers)
}

// readStates reads an organization's messages for the statuses, by our ids, or by the provider's where the statuses do not
// have ours. It returns those that will get the provider's id.
func (r round) readStates(tx *store.Tx, orgID string, updates []provider.StatusUpdate) (unsent []string, err error) {
	var ours []string
	for _, u := range updates {
		if chat.KindMessage.Valid(u.CallbackData) {
			ours = append(ours, u.CallbackData)
		}
	}
	states, err := tx.StatesByIDs(orgID, ours)
	if err != nil {
		return nil, err
	}
	r.note(states)
	found := map[string]string{} // accounts by our id
	for _, m := range states {
		found[m.ID] = m.AccountID
		if m.ProviderID == "" {
			unsent = append(unsent, m.ID)
		}
	}
	var others []messageKey
	for _, u := range updates {
		if key := r.keyOf(u); found[u.CallbackData] != key.AccountID {
			others = append(others, key)
		}
	}
	states, err = tx.StatesByProviderIDs(orgID, others)
	r.note(states)
	return unsent, err
}

// note keeps the messages that have the provider's ids.
func (r round) note(states []store.MessageState) {
	for _, m := range states {
		if m.ProviderID != "" {
			r.messages[messageKey{AccountID: m.AccountID, ProviderID: m.ProviderID}], r.states[m.ID] = m.ID, m
		}
	}
}

func (r round) readUnsent(tx *store.Tx, orgID string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	works, err := tx.Unsent(orgID, ids)
	for _, w := range works {
		r.unsent[w.Message.ID] = w
	}
	return err
}

// state is the state of a status's message: by the provider's id, or by our own. A message that went out twice has two of
// the provider's ids.
func (r round) state(key messageKey, ours string) (store.MessageState, bool) {
	id, known := r.messages[key]
	if !known {
		id = ours
	}
	s, known := r.states[id]
	return s, known && s.AccountID == key.AccountID
}

// keyOf is the key of a status's message, whose account is known.
func (r round) keyOf(u provider.StatusUpdate) messageKey {
	return messageKey{AccountID: r.accounts[u.About().PhoneNumberID].ID, ProviderID: u.ProviderID}
}

// strangers are the contacts for which statuses show identifiers that were not known.
func (r round) strangers(updates []provider.StatusUpdate) (found []store.Recipient) {
	seen := map[string]bool{}
	for _, u := range updates {
		account := r.accounts[u.About().PhoneNumberID]
		m, known := r.state(r.keyOf(u), u.CallbackData)
		if w, ok := r.unsent[u.CallbackData]; !known && ok {
			m = store.MessageState{Message: w.Message, Unknown: w.Unknown()}
		}
		who := personOf(u.Recipient)
		if m.Unknown&who.known() == 0 || seen[m.ContactID] {
			continue
		}
		seen[m.ContactID] = true
		names := slices.DeleteFunc([]string{who.Number, who.BSUID, who.ParentBSUID}, func(name string) bool { return name == "" })
		found = append(found, store.Recipient{OrgID: account.OrgID, AccountID: account.ID, ContactID: m.ContactID, Names: names})
	}
	return found
}

// foresee reads in one go everything that the messages among the updates will need.
func (r round) foresee(tx *store.Tx, updates []provider.Update) error {
	var arrivals []store.Arrival
	for _, u := range updates {
		var m provider.Message
		switch u := u.(type) {
		case provider.InboundMessage:
			m = u.Message
		case provider.Echo:
			m = u.Message
		default:
			continue
		}
		account := r.accounts[u.About().PhoneNumberID]
		if account == nil {
			continue
		}
		who := personOf(m.Contact)
		arrivals = append(arrivals, store.Arrival{
			Thread:     store.ThreadKey{OrgID: account.OrgID, AccountID: account.ID, Number: who.Number},
			ProviderID: m.ProviderID,
			Others:     store.OtherNames{BSUID: who.BSUID, ParentBSUID: who.ParentBSUID, Username: who.Username},
		})
	}
	return tx.Foresee(arrivals)
}

// Apply applies one update.
func (a Applier) Apply(tx *store.Tx, u provider.Update) error {
	return a.ApplyAll(tx, []provider.Update{u})
}

func (a Applier) apply(tx *store.Tx, u provider.Update, r round) error {
	switch u := u.(type) {
	case provider.AccountUpdate:
		return a.accountUpdate(tx, u)
	case provider.NumberUpdate:
		return a.numberUpdate(tx, u)
	case provider.TemplateUpdate:
		return a.template(tx, u)
	case provider.Ignored, provider.ErrorReport:
		r.unused.ofNoUse(u)
		return nil
	}
	connected := r.accounts[u.About().PhoneNumberID]
	if connected == nil {
		r.unused.notConnected(u)
		return nil
	}
	account := *connected
	switch u := u.(type) {
	case provider.InboundMessage:
		return a.inbound(tx, account, r, u)
	case provider.StatusUpdate:
		return a.status(tx, account, r, u)
	case provider.Echo:
		return a.echo(tx, account, r, u)
	case provider.Edit:
		return a.edit(tx, account, u)
	case provider.Revoke:
		return a.revoke(tx, account, u)
	case provider.IdentityChange:
		return a.identity(tx, account, r, u)
	case provider.HistoryChunk:
		return a.history(tx, account, r, u)
	case provider.ContactSync:
		return a.contactSync(tx, account, r, u)
	case provider.Preference:
		return a.preference(tx, account, r, u)
	}
	return nil
}

func personOf(p provider.Person) person {
	who := person{Number: p.Phone, BSUID: p.UserID, ParentBSUID: p.ParentUserID, Username: p.Username, Name: p.ProfileName}
	if chat.ParentBSUID(who.BSUID) { // an answer to a message to a parent id has that id here
		who.BSUID, who.ParentBSUID = "", cmp.Or(who.ParentBSUID, who.BSUID)
	}
	if strings.TrimSpace(who.Name) == "" {
		who.Name = ""
	}
	return who.wellFormed()
}

// wellFormed is the person without ids that nobody could name in a request. If a person has no other, one of them stays:
// without it the message would be lost.
func (p person) wellFormed() person {
	shown := p
	if !chat.ValidBSUID(p.BSUID) {
		shown.BSUID = ""
	}
	if !chat.ValidBSUID(p.ParentBSUID) || !chat.ParentBSUID(p.ParentBSUID) {
		shown.ParentBSUID = ""
	}
	if shown.known() == 0 {
		return p
	}
	return shown
}

// mediaJob queues the download of a message's file.
func (a Applier) mediaJob(tx *store.Tx, m chat.Message, f provider.Media) error {
	mimeType, ok := chat.MediaType(f.MimeType)
	if !ok {
		mimeType = chat.UnknownMediaType
	}
	job := store.MediaJob{
		OrgID: m.OrgID, MessageID: m.ID, AccountID: m.AccountID, ProviderMediaID: f.ID, URL: f.URL, MimeType: mimeType,
		SHA256: hex.EncodeToString(f.SHA256), Filename: chat.Filename(f.Filename), DueAt: tx.Now(),
	}
	return tx.QueueFile(job)
}

// preference stores a contact's marketing preference.
func (a Applier) preference(tx *store.Tx, account chat.Account, r round, u provider.Preference) error {
	if !strings.HasPrefix(u.Category, "marketing") {
		return nil
	}
	who := personOf(u.Contact)
	contact, _, err := contactFor(tx, account, who)
	if err != nil {
		return err
	}
	if contact, _, err = a.learn(tx, account, r, contact, who.identifiers()); err != nil {
		return err
	}
	consent, known := map[string]chat.Consent{
		provider.PreferenceStop: chat.ConsentOptedOut, provider.PreferenceResume: chat.ConsentOptedIn,
	}[u.Value]
	at := orNow(u.Timestamp, tx)
	if !known || contact.PreferenceAt != nil && at.Before(*contact.PreferenceAt) { // the person changed it since
		return nil
	}
	before := contact.Consent
	contact.Consent, contact.PreferenceAt = consent, &at
	if consent == before {
		return tx.UpdateContact(contact)
	}
	contact.UpdatedAt = tx.Now()
	if err := tx.UpdateContact(contact); err != nil {
		return err
	}
	if err := consentChanged(tx, before, contact, chat.Actor{Source: chat.ConsentByProvider}); err != nil || consent != chat.ConsentOptedOut {
		return err
	}
	return countOptOut(tx, r, contact)
}
