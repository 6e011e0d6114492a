package backup

// ExplainRoom explains an error of a full disk.
var ExplainRoom = explainRoom
