package store

import "github.com/parleyhq/parley/internal/chat"

const planColumns = "name, api, customers, monthly_messages, retention_days, write_per_minute, read_per_minute"

func scanPlan(row scanner) (p chat.Plan, err error) {
	err = row.Scan(planDest(&p)...)
	return p, err
}

func planDest(p *chat.Plan) []any {
	return []any{&p.Name, &p.API, &p.Customers, &p.MonthlyMessages, &p.RetentionDays, &p.WritePerMinute, &p.ReadPerMinute}
}

// Plan returns the plan of that name, or ErrNotFound.
func (r Reader) Plan(name string) (chat.Plan, error) {
	return one(r, scanPlan, "SELECT "+planColumns+" FROM plans WHERE name = $1"+r.forUpdate(), name)
}

// PeekPlan is Plan without the lock.
func (r Reader) PeekPlan(name string) (chat.Plan, error) {
	r.locking = false
	return r.Plan(name)
}

// Plans returns every plan by name.
func (r Reader) Plans() ([]chat.Plan, error) {
	return many(r, scanPlan, "SELECT "+planColumns+" FROM plans ORDER BY name")
}

// PutPlan stores a plan and replaces an earlier one of that name.
func (tx *Tx) PutPlan(p chat.Plan) error {
	_, err := tx.exec(`INSERT INTO plans (`+planColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (name) DO UPDATE SET api = excluded.api, customers = excluded.customers,
			monthly_messages = excluded.monthly_messages, retention_days = excluded.retention_days,
			write_per_minute = excluded.write_per_minute, read_per_minute = excluded.read_per_minute`,
		p.Name, p.API, p.Customers, p.MonthlyMessages, p.RetentionDays, p.WritePerMinute, p.ReadPerMinute)
	return err
}

// Retentions returns for how many days organizations keep messages. Those not in it keep them for ever.
func (r Reader) Retentions() (map[string]int64, error) {
	days := map[string]int64{}
	_, err := many(r, func(row scanner) (id string, err error) {
		var plan chat.Plan
		var settings string
		err = row.Scan(&id, &plan.RetentionDays, &settings)
		if n := plan.Keeps(readSettings(settings)); n != nil {
			days[id] = *n
		}
		return id, err
	}, "SELECT o.id, p.retention_days, o.settings FROM organizations o JOIN plans p ON p.name = o.plan WHERE p.retention_days IS NOT NULL OR o.settings <> '{}'")
	return days, err
}
