package simulator

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// numberSettings are the features that a number has turned on. They are stored and shown but have no effect, because
// calls are not simulated.
type numberSettings struct {
	calling map[string]json.RawMessage
	region  string // where the number's messages are stored; empty means anywhere
	// identityCheck is set if the business wants to know when a person's identity may have changed.
	identityCheck bool
}

var callingDefaults = map[string]json.RawMessage{
	"status": wire.MustJSON("DISABLED"), "call_icon_visibility": wire.MustJSON("DEFAULT"), "callback_permission_status": wire.MustJSON("DISABLED"),
}

// shown is the settings as the upstream lists them.
func (st numberSettings) shown(withPasswords bool) map[string]any {
	calling := maps.Clone(callingDefaults)
	maps.Copy(calling, st.calling)
	if sip, found := calling["sip"]; found {
		calling["sip"] = shownSIP(sip, withPasswords)
	}
	storage := map[string]string{"status": "DEFAULT"}
	if st.region != "" {
		storage = map[string]string{"status": storageOn, "data_localization_region": st.region}
	}
	return map[string]any{
		"calling": calling, "storage_configuration": storage,
		"payload_encryption":   map[string]string{"status": "DISABLED"},
		"user_identity_change": map[string]bool{"enable_identity_key_check": st.identityCheck},
	}
}

// shownSIP adds each server's password, which the upstream makes up, if it was asked for.
func shownSIP(raw json.RawMessage, withPasswords bool) json.RawMessage {
	sip := map[string]any{}
	if json.Unmarshal(raw, &sip) != nil {
		return raw
	}
	servers, _ := sip["servers"].([]any)
	for _, item := range servers {
		if server, isObject := item.(map[string]any); isObject && withPasswords {
			server["sip_user_password"] = fmt.Sprintf("%016x", names.HashString(fmt.Sprint("sip", server["hostname"])))
		}
	}
	return wire.MustJSON(sip)
}

func (s *Simulator) getSettings(c *call, n *number) (answer, *wire.Error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return ok(n.settings.shown(c.param("include_sip_credentials") == "true")), nil
}

// settingsChange changes one feature. Parameters that the upstream does not know change nothing.
type settingsChange struct {
	Calling    map[string]json.RawMessage `json:"calling"`
	Storage    *storageChange             `json:"storage_configuration"`
	Encryption *struct {
		Status string `json:"status"`
	} `json:"payload_encryption"`
	Identity *struct {
		Check *bool `json:"enable_identity_key_check"`
	} `json:"user_identity_change"`
}

type storageChange struct {
	Status string `json:"status"`
	Region string `json:"data_localization_region"`
}

func (s *Simulator) setSettings(c *call, n *number) (answer, *wire.Error) {
	var in settingsChange
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := in.check(n.status); err != nil {
		return answer{}, err
	}
	in.apply(&n.settings)
	return success, nil
}

const (
	storageOn  = "IN_COUNTRY_STORAGE_ENABLED"
	storageOff = "IN_COUNTRY_STORAGE_DISABLED"
)

func (in settingsChange) check(numberStatus string) *wire.Error {
	given := 0
	for _, is := range []bool{in.Calling != nil, in.Storage != nil, in.Encryption != nil, in.Identity != nil} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return wire.BadParam("Specify only one of calling, payload_encryption, storage_configuration, user_identity_change.")
	case in.Calling != nil:
		return checkCalling(in.Calling)
	case in.Storage != nil:
		return in.Storage.check(numberStatus)
	case in.Identity != nil && in.Identity.Check == nil:
		return wire.BadParam("The parameter user_identity_change['enable_identity_key_check'] is required.")
	case in.Encryption != nil && in.Encryption.Status != "DISABLED":
		return wire.Refuse(100, "Encrypted payloads are not simulated: payload_encryption['status'] can only be DISABLED")
	}
	return nil
}

// checkCalling checks what is turned on or off. Hours, holidays and servers are stored unchecked.
func checkCalling(calling map[string]json.RawMessage) *wire.Error {
	onOff := []string{"ENABLED", "DISABLED"}
	for name, allowed := range map[string][]string{
		"status": onOff, "callback_permission_status": onOff, "call_icon_visibility": {"DEFAULT", "DISABLE_ALL"},
	} {
		raw, given := calling[name]
		if !given {
			continue
		}
		var value string
		if err := wire.DecodeField("calling."+name, raw, &value); err != nil {
			return err
		}
		if err := wire.OneOf(wire.ParamName("calling", name), allowed, value); err != nil {
			return err
		}
	}
	return nil
}

func (in storageChange) check(numberStatus string) *wire.Error {
	if err := wire.OneOf("storage_configuration['status']", []string{storageOn, storageOff}, in.Status); err != nil {
		return err
	}
	if in.Status == storageOn && len(in.Region) != 2 {
		return wire.BadParam("Param storage_configuration['data_localization_region'] must be the code of a country - got %q.", in.Region)
	}
	if numberStatus == connected {
		return wire.Refuse(100, "Deregister the number first: where messages are stored can only be changed while it is not registered")
	}
	return nil
}

// apply changes the named settings. Each calling setting keeps its value until it is named.
func (in settingsChange) apply(st *numberSettings) {
	switch {
	case in.Calling != nil:
		calling := maps.Clone(st.calling)
		if calling == nil {
			calling = map[string]json.RawMessage{}
		}
		maps.Copy(calling, in.Calling)
		st.calling = calling
	case in.Storage != nil:
		st.region = in.Storage.Region
		if in.Storage.Status == storageOff {
			st.region = ""
		}
	case in.Identity != nil:
		st.identityCheck = *in.Identity.Check
	}
}
