-- Half a year of messages, on either engine: ten in each conversation, answers and resolutions of 20 people, webhook
-- deliveries. The table "wanted" holds how many messages of how many numbers, and the time now.

CREATE TABLE made AS WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n, wanted w WHERE i < w.numbers - 1)
    SELECT i, 'acc_0000000000' || substr(CAST(10000000000000000 + i AS TEXT), 2) AS account_id FROM n;
INSERT INTO accounts (org_id, id, team_id, phone_number_id, phone_number, waba_id, name, status, require_opt_in, token, created_at, updated_at)
    SELECT a.org_id, m.account_id, a.team_id, CAST(7000000 + m.i AS TEXT), '+1444' || CAST(7000000 + m.i AS TEXT), a.waba_id,
        'Branch ' || CAST(m.i AS TEXT), a.status, a.require_opt_in, a.token, a.created_at, a.updated_at
    FROM made m CROSS JOIN (SELECT * FROM accounts WHERE deleted_at IS NULL ORDER BY id LIMIT 1) a;

-- One in fifty of the conversations is open; of the open ones a quarter wait, and a third are nobody's.
INSERT INTO conversations (org_id, id, account_id, contact_id, status, assigned_to, unread_count, sort_at, last_inbound_at, created_at, updated_at, waiting_since)
    WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n, wanted w WHERE i < w.messages / 10 - 1)
    SELECT w.org_id, 'cnv_0000000000' || substr(CAST(10000000000000000 + n.i AS TEXT), 2), m.account_id,
        'con_0000000000' || substr(CAST(10000000000000000 + n.i AS TEXT), 2),
        CASE WHEN n.i % 50 = 0 THEN 'open' ELSE 'resolved' END,
        CASE WHEN n.i % 150 = 0 THEN NULL ELSE 'usr_' || CAST(n.i % 20 AS TEXT) END, 0,
        w.now - 15811200000 + n.i * 158112000000 / w.messages, w.now - 15811200000 + n.i * 158112000000 / w.messages,
        w.now - 15811200000 + n.i * 158112000000 / w.messages, w.now - 15811200000 + n.i * 158112000000 / w.messages,
        CASE WHEN n.i % 200 = 0 THEN w.now - 15811200000 + n.i * 158112000000 / w.messages END
    FROM n CROSS JOIN wanted w JOIN made m ON m.i = n.i % w.numbers;

INSERT INTO contacts (org_id, id, account_id, phone_number, marketing_consent, search_key, created_at, updated_at)
    SELECT c.org_id, c.contact_id, c.account_id, '+49' || substr(c.contact_id, 18), 'unknown', '+49' || substr(c.contact_id, 18), c.created_at, c.updated_at
    FROM conversations c WHERE c.account_id IN (SELECT account_id FROM made);

-- 183 days, the messages of a conversation within three minutes. Two in a hundred failed.
INSERT INTO messages (org_id, id, account_id, conversation_id, contact_id, direction, type, status, source, content, context_id, error_code, revoked, created_at, updated_at)
    WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n, wanted w WHERE i < w.messages - 1)
    SELECT t.org_id, 'msg_' || substr(t.letters, CAST(1 + ((t.at >> 45) & 31) AS INTEGER), 1) || substr(t.letters, CAST(1 + ((t.at >> 40) & 31) AS INTEGER), 1)
            || substr(t.letters, CAST(1 + ((t.at >> 35) & 31) AS INTEGER), 1) || substr(t.letters, CAST(1 + ((t.at >> 30) & 31) AS INTEGER), 1)
            || substr(t.letters, CAST(1 + ((t.at >> 25) & 31) AS INTEGER), 1) || substr(t.letters, CAST(1 + ((t.at >> 20) & 31) AS INTEGER), 1)
            || substr(t.letters, CAST(1 + ((t.at >> 15) & 31) AS INTEGER), 1) || substr(t.letters, CAST(1 + ((t.at >> 10) & 31) AS INTEGER), 1)
            || substr(t.letters, CAST(1 + ((t.at >> 5) & 31) AS INTEGER), 1) || substr(t.letters, CAST(1 + (t.at & 31) AS INTEGER), 1)
            || substr(CAST(10000000000000000 + t.i AS TEXT), 2),
        m.account_id, 'cnv_0000000000' || substr(CAST(10000000000000000 + t.i / 10 AS TEXT), 2),
        'con_0000000000' || substr(CAST(10000000000000000 + t.i / 10 AS TEXT), 2),
        CASE WHEN t.i % 2 = 1 THEN 'inbound' ELSE 'outbound' END, 'image',
        CASE WHEN t.i % 2 = 1 THEN 'delivered' WHEN t.i % 50 = 0 THEN 'failed' WHEN t.i % 10 = 2 THEN 'sent' WHEN t.i % 10 = 4 THEN 'delivered' ELSE 'read' END,
        CASE WHEN t.i % 2 = 1 THEN '' ELSE 'api' END, '{}', '',
        CASE WHEN t.i % 50 = 0 THEN CASE t.i / 50 % 3 WHEN 0 THEN 'undeliverable' WHEN 1 THEN 'outside_24h_window' ELSE 'recipient_unavailable' END END,
        FALSE, t.at, t.at
    FROM (SELECT n.i, w.org_id, w.numbers, '0123456789ABCDEFGHJKMNPQRSTVWXYZ' AS letters,
            w.now - 15811200000 + n.i / 10 * 158112000000 / w.messages + n.i % 10 * 15000 AS at FROM n CROSS JOIN wanted w) t
        JOIN made m ON m.i = t.i / 10 % t.numbers;

INSERT INTO outcomes (org_id, what, at, id, account_id, user_id, took)
    SELECT c.org_id, k.what, c.created_at + k.after, c.id, c.account_id, 'usr_1', k.after + c.created_at * 7919 % 3600000
    FROM conversations c CROSS JOIN (SELECT 'answered' AS what, 45000 AS after UNION ALL SELECT 'resolved', 900000) k
    WHERE c.account_id IN (SELECT account_id FROM made);

INSERT INTO delivery_counts (org_id, slot, version, deliveries, pending, failed, dead)
    WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 183 * 96 - 1)
    SELECT w.org_id, w.now - w.now % 900000 - n.i * 900000, 1, w.messages / 17568, 0, 0, n.i % 7 FROM n CROSS JOIN wanted w;
