package core

// TokenContext binds a sealed token to the account it is for.
func TokenContext(accountID string) string { return "account token " + accountID }
