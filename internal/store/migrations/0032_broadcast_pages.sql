-- +goose Up

-- Lists of a broadcast's recipients by what became of them, and the recipients that a contact was.
CREATE INDEX broadcast_recipients_by_reason ON broadcast_recipients (broadcast_id, reason, id) WHERE reason IS NOT NULL;
CREATE INDEX broadcast_recipients_replied ON broadcast_recipients (broadcast_id, id) WHERE replied_at IS NOT NULL;
CREATE INDEX broadcast_recipients_opted_out ON broadcast_recipients (broadcast_id, id) WHERE opted_out_at IS NOT NULL;
CREATE INDEX broadcast_recipients_by_contact ON broadcast_recipients (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX broadcast_recipients_by_address ON broadcast_recipients (address);
