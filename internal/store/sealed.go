package store

// SealedColumn is a column whose values the master key has sealed, some of them or all.
type SealedColumn struct {
	table, column string
	org           string // the empty text where the rows are of no organization
	id            string // finds the row
	subject       string // what the value is bound to
}

// The columns with sealed values. An answer is sealed if it shows a secret, a setting if its owner says so.
var (
	SealedTokens         = SealedColumn{"accounts", "token", "org_id", "id", "id"}
	SealedWebhookSecrets = SealedColumn{"webhook_secrets", "secret", "org_id", "id", "id"}
	SealedSecondSteps    = SealedColumn{"second_steps", "secret", "org_id", "user_id", "user_id"}
	SealedAnswers        = SealedColumn{"idempotency", "body", "org_id", "key", "request_id"}
	SealedSettings       = SealedColumn{"settings", "value", "''", "name", "name"}
)

// Sealed is a sealed value.
type Sealed struct{ OrgID, ID, Subject, Value string }

// SealedValues are the values of a column that a master key has sealed.
func (r Reader) SealedValues(c SealedColumn, keyID string) ([]Sealed, error) {
	return many(r, func(row scanner) (s Sealed, err error) {
		err = row.Scan(&s.OrgID, &s.ID, &s.Subject, &s.Value)
		return s, err
	}, "SELECT "+c.org+", "+c.id+", "+c.subject+", "+c.column+" FROM "+c.table+" WHERE "+c.column+" LIKE $1", keyID+".%")
}

// PutSealed replaces a value of a column by one that another master key has sealed.
func (tx *Tx) PutSealed(c SealedColumn, s Sealed) error {
	_, err := tx.exec("UPDATE "+c.table+" SET "+c.column+" = $1 WHERE "+c.org+" = $2 AND "+c.id+" = $3", s.Value, s.OrgID, s.ID)
	return err
}
